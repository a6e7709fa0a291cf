// Labelled sentences: {text, spans: [[start, end, label], …]}, offsets in characters.

import { characters } from "./pieces.js";
import { remember, remembered } from "./store.js";

export const MOST = 200;

const END = /(?<=[。！？；!?][”’」』）】》"')]*)(?![。！？；!?”’」』）】》"')])/u;

export const sentences = remembered("sentences", []);

export const keep = () => remember("sentences", sentences);

/** The sentences of a text, without whitespace around them. */
export const cut = (text) =>
  text.toWellFormed().split("\n").flatMap((line) => line.split(END)).map((each) => each.trim()).filter(Boolean);

/** Adds sentences whose text is not there yet; false where there is no room for all. */
export function add(some) {
  const known = new Set(sentences.map(({ text }) => text));
  const fresh = some.filter(({ text }) => !known.has(text) && known.add(text));
  sentences.push(...fresh.slice(0, Math.max(0, MOST - sentences.length)));
  keep();
  return fresh.length === 0 || sentences.length < MOST || sentences.at(-1) === fresh.at(-1);
}

/** Marks a stretch, in place of all marks that it touches; returns its text. */
export function mark(sentence, start, end, label) {
  const all = characters(sentence.text);
  let [first, last] = [start, end];
  while (first < last && !all[first].trim()) first += 1;
  while (last > first && !all[last - 1].trim()) last -= 1;
  if (first === last) return "";
  unmark(sentence, first, last);
  sentence.spans.push([first, last, label]);
  sentence.spans.sort((one, other) => one[0] - other[0]);
  keep();
  return all.slice(first, last).join("");
}

/** Removes the marks that touch a stretch; returns the text of the first one. */
export function unmark(sentence, start, end) {
  const gone = sentence.spans.filter(([first, last]) => first < end && last > start);
  sentence.spans = sentence.spans.filter((span) => !gone.includes(span));
  keep();
  return gone.length ? characters(sentence.text).slice(gone[0][0], gone[0][1]).join("") : "";
}

/** The sentences of a JSONL file; null where a line is not one. */
export function parsed(content) {
  try {
    const found = content.split("\n").filter((line) => line.trim()).map((line) => JSON.parse(line));
    return found.every(isSentence) && found.length ? found.map(plain) : null;
  } catch {
    return null;
  }
}

/** A sentence as the page keeps it: nothing else, its spans in order. */
function plain({ text, spans }) {
  const inOrder = spans.map(([start, end, label]) => [start, end, label]).sort((one, other) => one[0] - other[0]);
  return { text, spans: inOrder };
}

function isSentence({ text, spans }) {
  if (typeof text !== "string" || !Array.isArray(spans)) return false;
  const size = characters(text).length;
  let last = 0;
  return [...spans].sort((one, other) => one[0] - other[0]).every(([start, end, label]) => {
    const fits = Number.isInteger(start) && last <= start && start < end && end <= size && label;
    last = end;
    return fits && typeof label === "string";
  });
}
