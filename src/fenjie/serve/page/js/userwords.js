// Words of the user: they go with each request, and stay in this browser.

import { byId, make } from "./dom.js";
import { say } from "./language.js";
import { remember, remembered } from "./store.js";

const words = new Map(remembered("words", []));

const isOne = (word) => !/\s/.test(word); // only an entity may hold spaces

/** The words for a model of words. */
export const listed = () => [...words.keys()].filter(isOne);

/** The words for a model of entities; those without a label that it knows only if it sees words. */
export const labelled = (labels, lattice) => {
  const known = [...words].map(([word, label]) => [word, labels.includes(label) ? label : null]);
  return Object.fromEntries(known.filter(([word, label]) => label !== null || (lattice && isOne(word))));
};
export const own = () => words;

/** Sets up the form; `changed` is called when words were added or removed. Returns what draws them anew. */
export function setUpWords(changed) {
  byId("words").addEventListener("submit", (event) => {
    event.preventDefault();
    const word = byId("word").value.toWellFormed().trim(); // its length is bounded, also amid an emoji
    if (!word) return;
    const label = byId("word-label").value || null;
    const parts = word.split(/\s+/);
    for (const each of label ? [parts.join(" ")] : parts) words.set(each, label);
    byId("word").value = "";
    byId("word").focus();
    draw(changed);
    changed();
  });
  return () => draw(changed);
}

/** Fills the form, for instance with an entity that was chosen. */
export function propose(word, label) {
  byId("word").value = word;
  if (label !== undefined) byId("word-label").value = label ?? "";
}

/** Offers the labels of the model. */
export function offer(labels) {
  const select = byId("word-label");
  const before = select.value;
  const options = labels.map((label) => make("option", { value: label }, label));
  select.replaceChildren(make("option", { value: "" }, say("noLabel")), ...options);
  select.value = labels.includes(before) ? before : "";
}

function drop(word, changed) {
  words.delete(word);
  draw(changed);
  changed();
}

function draw(changed) {
  remember("words", [...words]);
  const items = [...words].map(([word, label]) => {
    const settings = { type: "button", "aria-label": say("remove", word), onclick: () => drop(word, changed) };
    const name = make("span", { lang: "zh" }, label ? `${word} ${label}` : word);
    return make("li", {}, name, make("button", settings, "×"));
  });
  byId("word-list").replaceChildren(...items);
}
