// The words that a model sees, each under the characters that it covers.

import { make } from "./dom.js";
import { characters } from "./pieces.js";

const CELL = 1.7 * 1.1 * 16; // pixels of a character, about

/** Draws the lattice of lines with their words into an element, in rows as wide as it is. */
export function drawLattice(place, lines, own) {
  const width = Math.max(8, Math.floor((place.clientWidth || 640) / CELL));
  const blocks = lines.filter(({ text }) => text.trim()).flatMap((line) => blocksOf(line, width, own));
  place.replaceChildren(...blocks);
}

function blocksOf(line, width, own) {
  const all = characters(line.text);
  const blocks = [];
  for (let begin = 0; begin < all.length; begin += width) {
    const end = Math.min(begin + width, all.length);
    const inside = line.words.filter((word) => word.start < end && word.end > begin);
    const lanes = [];
    const words = inside.map((word) => wordOf(word, begin, end, lanes, own));
    const shown = all.slice(begin, end).map((character, at) => {
      const cell = make("span", { className: "char" }, character);
      cell.style.gridColumn = String(at + 1);
      return cell;
    });
    blocks.push(make("div", { className: "lattice" }, ...shown, ...words));
  }
  return blocks;
}

/** A word in the first lane that is free there; one that a row end parts shows that it goes on. */
function wordOf(word, begin, end, lanes, own) {
  const start = Math.max(word.start, begin);
  const stop = Math.min(word.end, end);
  let lane = lanes.findIndex((free) => free <= start);
  if (lane < 0) lane = lanes.length;
  lanes[lane] = stop;
  const classes = ["word"];
  if (own.has(word.text)) classes.push("own");
  if (word.start < begin) classes.push("from");
  if (word.end > end) classes.push("on");
  const made = make("span", { className: classes.join(" "), title: word.text }, word.text);
  made.style.gridColumn = `${start - begin + 1} / ${stop - begin + 1}`;
  made.style.gridRow = String(lane + 2);
  return made;
}
