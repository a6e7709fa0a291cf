// Many things in one stop of the Tab key, between which the arrow keys move.

/** Lets the arrow keys move between the elements of a selector; `chosen` gets one on Enter. */
export function setUpRoving(place, selector, chosen) {
  const all = () => [...place.querySelectorAll(selector)];
  place.addEventListener("focusin", (event) => {
    if (!event.target.matches(selector)) return;
    for (const each of place.querySelectorAll(`${selector}[tabindex="0"]`)) each.tabIndex = -1;
    event.target.tabIndex = 0;
  });
  place.addEventListener("keydown", (event) => {
    const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (event.target.matches(selector) && (event.key === "Enter" || event.key === " ")) {
      event.preventDefault();
      chosen(event.target);
    } else if (event.key in steps && event.target.matches(selector)) {
      event.preventDefault();
      const list = all();
      list[list.indexOf(event.target) + steps[event.key]]?.focus();
    }
  });
  place.addEventListener("click", (event) => {
    const one = event.target.closest(selector);
    if (one) chosen(one);
  });
  /** One element can be reached by Tab; to be called after drawing. */
  return () => {
    const first = place.querySelector(selector);
    if (first && !place.querySelector(`${selector}[tabindex="0"]`)) first.tabIndex = 0;
  };
}
