// The language of the page: English or Chinese, as the browser prefers unless it was chosen.

import { remember, remembered } from "./store.js";
import { TEXTS } from "./texts.js";

const LANGUAGES = ["en", "zh"];
const OTHER = { en: "中文", zh: "English" };
let current = remembered("language", navigator.language.startsWith("zh") ? "zh" : "en");

/** A text of the page; `{0}` in it stands for what is given. */
export function say(name, ...given) {
  const text = TEXTS[name][LANGUAGES.indexOf(current)];
  return text.replace(/\{(\d)\}/g, (_, at) => String(given[at]));
}

/** The name of a segmentation standard as it is shown; one that is not known is its own name. */
export const sayStandard = (name) => (TEXTS.standards[name] ?? {})[LANGUAGES.indexOf(current)] ?? name;

/** Writes all texts of the page in the current language. */
function translate() {
  for (const one of document.querySelectorAll("[data-t]")) one.textContent = say(one.dataset.t);
  for (const one of document.querySelectorAll("[data-t-label]")) {
    one.setAttribute("aria-label", say(one.dataset.tLabel));
  }
}

/** Makes a button that changes the language; calls `changed` then, and once at first. */
export function setUpLanguage(button, changed) {
  const apply = () => {
    document.documentElement.lang = current === "zh" ? "zh-CN" : "en";
    button.textContent = OTHER[current];
    button.lang = current === "zh" ? "en" : "zh-CN";
    translate();
    changed();
  };
  button.addEventListener("click", () => {
    current = current === "zh" ? "en" : "zh";
    remember("language", current);
    apply();
  });
  apply();
}
