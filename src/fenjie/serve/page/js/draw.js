// Words and entities in their text. What has not changed stays as it is drawn.

import { classOf } from "./colours.js";
import { make } from "./dom.js";
import { characters } from "./pieces.js";
import { say } from "./language.js";

const SURE = 0.7; // below it the line under an entity is dashed

/** Draws lines into an element. `drawPiece(piece)` gives nodes and a mark of their state. */
export function drawLines(place, lines, drawPiece) {
  const old = [...place.children];
  const texts = lines.map((pieces) => pieces.join(""));
  const same = (a, b) => old[a].lineText === texts[b];
  let head = 0;
  while (head < old.length && head < texts.length && same(head, head)) head += 1;
  let tail = 0;
  const room = Math.min(old.length, texts.length) - head;
  while (tail < room && same(old.length - 1 - tail, texts.length - 1 - tail)) tail += 1;
  const middle = lines.slice(head, lines.length - tail).map(() => make("div", { className: "line" }));
  const gone = old.slice(head, old.length - tail);
  const after = old[old.length - tail] ?? null;
  // A line that is being written is drawn over, so that it does not flicker.
  middle.forEach((made, at) => place.insertBefore(gone[at] ?? made, after));
  gone.slice(middle.length).forEach((line) => line.remove());
  [...place.children].forEach((line, at) => {
    line.lineText = texts[at];
    drawLine(line, lines[at], drawPiece);
  });
}

function drawLine(line, pieces, drawPiece) {
  pieces.forEach((piece, at) => {
    const old = line.children[at];
    const [state, nodes] = drawPiece(piece);
    const mark = `${state}\n${piece}`;
    if (old?.mark === mark) return;
    if (old && state === "pending") {
      old.classList.add("pending");
      if (old.textContent && !old.plain) return; // the older result, until the new one is there
    }
    const made = make("span", { className: state === "pending" ? "piece pending" : "piece" });
    made.append(...nodes());
    Object.assign(made, { mark, pieceText: piece, plain: state === "pending" });
    if (old) old.replaceWith(made);
    else line.append(made);
  });
  while (line.children.length > pieces.length) line.lastChild.remove();
}

/** The nodes of a piece by its words; user words stand out. */
export function wordNodes(found, own) {
  return found.words.map((word) =>
    word.trim() ? make("span", { className: own.has(word) ? "w own" : "w" }, word) : word,
  );
}

/** The nodes of a piece by its entities. */
export function entityNodes(piece, found, labels) {
  const all = characters(piece);
  const nodes = [];
  let at = 0;
  for (const entity of found.entities) {
    nodes.push(all.slice(at, entity.start).join(""), entityNode(entity, labels));
    at = entity.end;
  }
  nodes.push(all.slice(at).join(""));
  return nodes;
}

function entityNode(entity, labels) {
  const unsure = entity.confidence !== null && entity.confidence < SURE ? " unsure" : "";
  const settings = { className: `e ${classOf(entity.label, labels)}${unsure}`, role: "button" };
  const made = make("mark", settings, entity.text, make("small", {}, entity.label));
  made.tabIndex = -1;
  made.entity = entity;
  return made;
}

/** What there is to say about an entity that is drawn, in a line; its offsets are in the whole text. */
export function describe(node) {
  const { entity } = node;
  const offset = offsetOf(node.closest(".piece"));
  const sure = entity.confidence === null ? "" : ` · ${percent(entity.confidence)}`;
  return `${entity.text} · ${entity.label}${sure} · ${say("offsets", entity.start + offset, entity.end + offset)}`;
}

/** The characters of the text before a piece. */
function offsetOf(piece) {
  let offset = 0;
  const before = (element) => element.previousElementSibling;
  for (let one = before(piece); one; one = before(one)) offset += characters(one.pieceText).length;
  for (let one = before(piece.parentElement); one; one = before(one)) offset += characters(one.lineText).length + 1;
  return offset;
}

/** A share as a percentage; one that is not certain is never rounded to 100 %. */
export const percent = (share) =>
  `${share < 1 ? Math.min(99.9, 100 * share).toFixed(1) : "100"}\u2009%`;
