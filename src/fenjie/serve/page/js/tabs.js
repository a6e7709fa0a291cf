// Tabs, by mouse and by the arrow keys.

import { byId } from "./dom.js";

/** Sets up the tabs; `chosen(name)` is called with the name of a tab that is chosen. */
export function setUpTabs(list, chosen) {
  const tabs = [...list.querySelectorAll("[role=tab]")];
  const choose = (tab) => {
    for (const each of tabs) {
      const isChosen = each === tab;
      each.setAttribute("aria-selected", String(isChosen));
      each.tabIndex = isChosen ? 0 : -1;
    }
    for (const each of tabs) byId(each.getAttribute("aria-controls")).hidden = true;
    const panel = byId(tab.getAttribute("aria-controls"));
    panel.hidden = false;
    panel.setAttribute("aria-labelledby", tab.id);
    chosen(tab.id.replace("tab-", ""));
  };
  list.addEventListener("click", (event) => {
    const tab = event.target.closest("[role=tab]");
    if (tab) choose(tab);
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const edge = { Home: 0, End: tabs.length - 1 }[event.key];
    if (step === undefined && edge === undefined) return;
    event.preventDefault();
    const place = tabs.indexOf(document.activeElement);
    const next = tabs[edge ?? (place + step + tabs.length) % tabs.length];
    next.focus();
    choose(next);
  });
  return (name) => choose(byId(`tab-${name}`));
}
