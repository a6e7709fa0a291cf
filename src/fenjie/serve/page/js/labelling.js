// Marks entities in sentences by mouse, finger or keyboard.

import { classOf } from "./colours.js";
import { jsonl } from "./copies.js";
import { byId, make, save } from "./dom.js";
import { say } from "./language.js";
import { characters } from "./pieces.js";
import { add, keep, mark, MOST, sentences, unmark } from "./sentences.js";
import { remember, remembered } from "./store.js";

const OF_WORDS = "W"; // the label of a word, which no entity has

const own = remembered("labels", []); // labels that were added by hand
let ofModel = [];
let label = "";
let at = { sentence: null, anchor: 0, focus: 0, waiting: false };

/** All labels: of the model, of the sentences, and those that were added. */
export function labels() {
  const used = sentences.flatMap(({ spans }) => spans.map((span) => span[2]));
  return [...new Set([...ofModel, ...own, ...used])];
}

/** Sets up the controls; `taken()` gives the sentences of the text, marked by the model. */
export function setUpLabelling(taken) {
  byId("take").addEventListener("click", async () => {
    const found = await taken();
    if (found) takeOver(found);
  });
  byId("save-labels").addEventListener("click", () => save("sentences.jsonl", jsonl(sentences)));
  byId("forget").addEventListener("click", () => {
    if (!sentences.length || !confirm(say("forgetSure", sentences.length))) return;
    sentences.length = 0;
    keep();
    drawLabelling();
  });
  byId("new-label").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = byId("new-label-name").value.trim().replace(/\s+/g, "_");
    if (!name) return;
    if (name === OF_WORDS) return tell(say("labelOfWords", name));
    if (!labels().includes(name)) own.push(name);
    remember("labels", own);
    byId("new-label-name").value = "";
    choose(name);
  });
  const place = byId("sentences");
  place.addEventListener("pointerdown", pointerDown);
  place.addEventListener("pointermove", pointerMove);
  place.addEventListener("pointerup", pointerUp);
  place.addEventListener("keydown", keyDown);
}

/** Takes sentences over and says so where there are too many. */
export function takeOver(found) {
  const fits = add(found);
  drawLabelling();
  if (!fits) tell(say("full", MOST));
}

/** Draws everything; with labels, those of the model that is chosen now. */
export function drawLabelling(known = ofModel) {
  ofModel = known;
  drawChoice();
  const items = sentences.map((sentence, number) => {
    const name = say("removeSentence", number + 1);
    const gone = () => {
      sentences.splice(sentences.indexOf(sentence), 1);
      keep();
      drawLabelling();
    };
    const remove = make("button", { type: "button", "aria-label": name, onclick: gone }, "×");
    return make("li", {}, make("div", { className: "line" }, drawSentence(sentence, number), remove));
  });
  byId("sentences").replaceChildren(...items);
  const marks = sentences.reduce((sum, { spans }) => sum + spans.length, 0);
  tell(sentences.length ? say("labelled", sentences.length, marks) : say("noSentences"));
}

const tell = (text) => (byId("label-status").textContent = text);

function drawChoice() {
  const all = labels();
  if (!all.includes(label)) label = all[0] ?? "";
  const buttons = all.map((name, number) => {
    const settings = { type: "button", className: `tint ${classOf(name, all)}`,
      "aria-pressed": String(name === label), onclick: () => choose(name) };
    return make("button", settings, name, number < 9 ? make("kbd", {}, ` ${number + 1}`) : null);
  });
  const remove = make("button", { type: "button", onclick: removeMark }, say("removeMark"));
  byId("label-choice").replaceChildren(...buttons, remove);
}

/** Takes a label for new marks; what is selected gets it at once. */
function choose(name) {
  label = name;
  drawChoice();
  if (at.sentence && at.selecting) put();
}

function drawSentence(sentence, number) {
  const all = labels();
  const cells = characters(sentence.text).map((character, index) => {
    const cell = make("span", {}, character);
    cell.index = index;
    return cell;
  });
  const nodes = [];
  let end = 0;
  for (const [start, stop, name] of sentence.spans) {
    nodes.push(...cells.slice(end, start));
    const inside = cells.slice(start, stop);
    nodes.push(make("span", { className: `e ${classOf(name, all)}` }, ...inside, make("small", {}, name)));
    end = stop;
  }
  nodes.push(...cells.slice(end));
  const place = make("div", { className: "sentence", tabIndex: 0, role: "group",
    "aria-label": `${say("sentence", number + 1)}: ${sentence.text}`, "aria-describedby": "label-help" }, ...nodes);
  Object.assign(place, { sentence, cells, number });
  return place;
}

/** Draws a sentence anew, with what is selected in it, and keeps the focus. */
function redraw(place) {
  const made = drawSentence(place.sentence, place.number);
  const focused = document.activeElement === place;
  place.replaceWith(made);
  if (focused) made.focus({ preventScroll: true });
  at.place = made;
  show();
  drawChoice();
}

const range = () => [Math.min(at.anchor, at.focus), Math.max(at.anchor, at.focus) + 1];

function show() {
  for (const old of byId("sentences").querySelectorAll(".sel, .cur")) old.classList.remove("sel", "cur");
  if (!at.place) return;
  const [start, end] = range();
  if (at.selecting) at.place.cells.slice(start, end).forEach((cell) => cell.classList.add("sel"));
  at.place.cells[at.focus]?.classList.add("cur");
}

function select(place, anchor, focus, selecting) {
  at = { sentence: place.sentence, place, anchor, focus, selecting, waiting: at.waiting, dragging: at.dragging };
  show();
  const [start, end] = range();
  if (selecting) tell(say("selected", place.cells.slice(start, end).map((cell) => cell.textContent).join("")));
}

function put(name = label) {
  const { place, sentence } = at;
  if (!place || !name) return;
  const text = mark(sentence, ...range(), name);
  at.selecting = at.waiting = false;
  redraw(place);
  if (text) tell(say("marked", name, text));
}

function removeMark() {
  const { place, sentence } = at;
  if (!place) return;
  const text = unmark(sentence, ...range());
  at.selecting = at.waiting = false;
  redraw(place);
  if (text) tell(say("unmarked", text));
}

function spanAt(sentence, index) {
  return sentence.spans.find(([start, end]) => start <= index && index < end);
}

function pointerDown(event) {
  const place = event.target.closest(".sentence");
  const index = event.target.index ?? event.target.closest(".e")?.firstChild?.index;
  if (!place || index === undefined || event.button) return;
  event.preventDefault(); // no selection of the browser's own
  event.target.releasePointerCapture?.(event.pointerId);
  place.focus({ preventScroll: true });
  if (at.waiting && at.sentence === place.sentence && !spanAt(place.sentence, index)) {
    select(place, at.anchor, index, true);
    at.second = true;
    return;
  }
  at.waiting = false;
  select(place, index, index, true);
  at.dragging = event.pointerType === "mouse";
}

function pointerMove(event) {
  const { index } = event.target;
  if (!at.dragging || !event.buttons || index === undefined || event.target.closest(".sentence") !== at.place) return;
  if (index !== at.focus) select(at.place, at.anchor, index, true);
}

function pointerUp() {
  if (!at.place) return;
  const drawn = at.anchor !== at.focus;
  at.dragging = false;
  if (at.second || (drawn && at.selecting && !at.waiting)) {
    at.second = false;
    put();
    return;
  }
  const span = spanAt(at.sentence, at.focus);
  if (span) select(at.place, span[0], span[1] - 1, true); // to be changed or removed
  else at.waiting = true; // for the last character
}

function keyDown(event) {
  const place = event.target.closest(".sentence");
  if (!place || event.ctrlKey || event.metaKey || event.altKey) return;
  const number = Number.parseInt(event.key, 10);
  if (at.place !== place) select(place, 0, 0, false);
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const jump = { Home: 0, End: place.cells.length - 1 }[event.key];
  const line = { ArrowUp: -1, ArrowDown: 1 }[event.key];
  if (step || jump !== undefined) {
    const to = Math.max(0, Math.min(place.cells.length - 1, jump ?? at.focus + step));
    select(place, event.shiftKey ? at.anchor : to, to, event.shiftKey);
  } else if (line) {
    [...byId("sentences").querySelectorAll(".sentence")][place.number + line]?.focus();
  } else if (number >= 1 && number <= 9 && labels()[number - 1]) {
    extendToMark();
    label = labels()[number - 1];
    put();
  } else if (event.key === "Enter") {
    extendToMark();
    put();
  } else if (event.key === "Delete" || event.key === "Backspace") {
    removeMark();
  } else if (event.key === "Escape") {
    at.waiting = false;
    select(place, at.focus, at.focus, false);
  } else return;
  event.preventDefault();
}

/** Without a selection, what is meant is the mark under the cursor. */
function extendToMark() {
  const span = !at.selecting && spanAt(at.sentence, at.focus);
  if (span) [at.anchor, at.focus] = [span[0], span[1] - 1];
}
