// A colour for each label, and the legend that names them.

import { make } from "./dom.js";

const COLOURS = 10;
const FIRST = ["PER", "ORG", "LOC", "GPE"]; // the same in every model

/** The class that colours a label, by its place among the labels of the model. */
export function classOf(label, labels) {
  const fixed = FIRST.indexOf(label);
  if (fixed >= 0) return `c${fixed}`;
  const others = labels.filter((each) => !FIRST.includes(each));
  const place = others.indexOf(label);
  return `c${(FIRST.length + (place < 0 ? others.length : place)) % COLOURS}`;
}

/** Draws the labels and how many entities each has. */
export function drawLegend(place, labels, entities) {
  const counts = new Map(labels.map((label) => [label, 0]));
  for (const { label } of entities) counts.set(label, (counts.get(label) ?? 0) + 1);
  const items = [...counts].map(([label, count]) =>
    make("li", {}, make("span", { className: classOf(label, labels) }, label), String(count)),
  );
  place.replaceChildren(...items);
}
