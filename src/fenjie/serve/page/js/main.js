// The page: text in, words and entities drawn as one types.

import { get, isAborted, post, useToken } from "./api.js";
import { setUpAttention, showAttention } from "./attention.js";
import { drawLegend } from "./colours.js";
import { bio, brat, joined, json, spaced } from "./copies.js";
import { byId, copy, debounced, make } from "./dom.js";
import { describe, drawLines, entityNodes, wordNodes } from "./draw.js";
import { setUpFiles } from "./files.js";
import { drawLabelling, setUpLabelling, takeOver } from "./labelling.js";
import { say, sayStandard, setUpLanguage } from "./language.js";
import { drawLattice } from "./lattice.js";
import { characters, lines } from "./pieces.js";
import { Results } from "./results.js";
import { setUpRoving } from "./roving.js";
import { cut, parsed } from "./sentences.js";
import { remember, remembered } from "./store.js";
import { setUpTabs } from "./tabs.js";
import { proposeName, setUpTraining } from "./training.js";
import { labelled, listed, offer, own, propose, setUpWords } from "./userwords.js";

const EXAMPLE = "王小明昨天在北京大学听了李教授的课。\n国务院总理李强在上海会见了法国总统马克龙，双方谈到商品和服务。";
const PAUSE = 80; // milliseconds after the last key
const AGAIN = 1000; // after which a busy service is asked again
const LATTICE = 2000; // characters

const results = { entities: new Results("tag"), words: new Results("segment"), lattice: new Results("lattice") };
let models = [];
let tab = remembered("tab", "entities");
let running = new AbortController();

/** The model that is chosen for a task, or the first one. */
function model(task) {
  const name = byId(`${task === "segment" ? "segment" : "tag"}-model`).value;
  const known = models.filter((one) => one.task === task);
  return known.find((one) => one.name === name) ?? known[0];
}

const labels = () => model("ner")?.labels ?? [];
const textLines = () => lines(byId("text").value);

/** Shows an error in a sentence; without one, hides what was shown. */
function showError(error) {
  const place = byId("error");
  place.hidden = !error;
  byId("token").hidden = error?.status !== 401;
  if (!error) return;
  const busy = error.status === 429 || error.status === 503;
  if (busy) setTimeout(update, AGAIN);
  place.textContent =
    error.status === 0 ? say("unreachable") : busy ? say("busyService") : error.status === 401
      ? say("tokenNeeded") : say("refused", error.message);
}

/** Runs something that may be refused; tells whether it was done. */
async function trying(act) {
  try {
    await act();
    showError(null);
    return true;
  } catch (error) {
    if (error.status === undefined && !isAborted(error)) throw error;
    if (!isAborted(error)) showError(error);
    return false;
  }
}

/** Asks for what the open tab shows, and draws it. */
async function update() {
  if (!models.length && !(await loadModels())) return;
  running.abort();
  running = new AbortController();
  const { signal } = running;
  if (tab === "label") {
    byId("status").textContent = "";
    drawLabelling(labels());
    proposeName(models);
    askTraining();
    return;
  }
  const view = { lattice: updateLattice, attention: updateAttention }[tab] ?? updateText;
  if (!(await trying(() => view(signal))) && !signal.aborted) forgetOlder();
}

/** Takes away what is drawn of an older text, where the service has refused the one that is there. */
function forgetOlder() {
  byId("lattice-view").replaceChildren();
  showAttention(null);
  byId("output").replaceChildren();
  if (tab === "entities" || tab === "words") drawText(prepared(tab), textLines());
  byId("status").textContent = "";
}

/** The sentences of the text, with the entities that the model finds in them. */
async function marked() {
  const texts = cut(byId("text").value);
  const found = prepared("entities");
  const spans = (text) => found.of(text).entities.map(({ start, end, label }) => [start, end, label]);
  if (found && !(await trying(() => found.fill(texts)))) return null;
  return texts.map((text) => ({ text, spans: found ? spans(text) : [] }));
}

/** Changes to a model of entities that was trained just now. */
async function use(name) {
  if (!(await loadModels())) return;
  byId("tag-model").value = name;
  offer(labels());
  chooseTab("entities");
}

function prepared(name) {
  const words = name === "words";
  const one = model(words ? "segment" : "ner");
  const found = results[name];
  if (!one) return undefined;
  if (!words) found.use({ model: one.name, words: labelled(one.labels, one.lattice) });
  else found.use({ model: one.name, words: listed(), standard: byId("standard").value || null });
  return found;
}

async function updateText(signal) {
  const found = prepared(tab);
  const all = textLines();
  if (!found) {
    byId("output").replaceChildren(say("noModel"));
    return;
  }
  drawText(found, all);
  await found.fill(all.flat(), signal, () => drawText(found, all));
}

function drawText(found, all) {
  const words = tab === "words";
  drawLines(byId("output"), all, (piece) => {
    const one = found.of(piece);
    if (one === undefined) return ["pending", () => [piece]];
    return [tab + found.settings, () => (words ? wordNodes(one, own()) : entityNodes(piece, one, labels()))];
  });
  tabStop();
  const done = joined(all, (piece) => found.of(piece) ?? {});
  const number = done.reduce((sum, line) => sum + line[tab].filter((one) => !words || one.trim()).length, 0);
  byId("legend").hidden = byId("hint").hidden = words;
  drawLegend(byId("legend"), labels(), done.flatMap((line) => line.entities));
  const size = characters(byId("text").value).length;
  byId("status").textContent = size ? say(words ? "doneWords" : "done", size, number) : "";
}

async function updateLattice(signal) {
  const place = byId("lattice-view");
  if (!model("ner")?.lattice) {
    place.replaceChildren(say("latticeNone"));
    return;
  }
  const found = prepared("lattice");
  const text = characters(byId("text").value);
  const all = lines(text.slice(0, LATTICE).join(""));
  await found.fill(all.flat(), signal);
  drawLattice(place, joined(all, (piece) => found.of(piece)), own());
  byId("status").textContent = text.length > LATTICE ? say("latticeFirst", LATTICE) : "";
}

/** The line of the text in which the cursor stands, or the first one. */
function currentLine() {
  const { value, selectionStart } = byId("text");
  const all = value.split("\n");
  const line = all[value.slice(0, selectionStart).split("\n").length - 1];
  return (line.trim() ? line : all.find((each) => each.trim())) ?? "";
}

async function updateAttention(signal) {
  const one = model("ner");
  const text = currentLine().toWellFormed();
  byId("status").textContent = "";
  byId("attention-note").textContent = one?.attention ? "" : say("attentionNone");
  if (!one?.attention || !text) {
    showAttention(null);
    return;
  }
  showAttention(await post("/v1/attention", { text, model: one.name }, signal));
}

/** Copies the result in a form, also one that the open tab does not show. */
async function copyAs(form) {
  byId("status").textContent = ""; // so that a second copy is said, too
  const name = form === "spaced" ? "words" : form === "json" ? tab : "entities";
  const all = textLines();
  const found = prepared(name);
  let text = "";
  const done = found && (await trying(async () => {
    await found.fill(all.flat());
    const each = joined(all, (piece) => found.of(piece));
    text = { json: () => json(each, name), spaced: () => spaced(each), bio: () => bio(each),
      brat: () => brat(each) }[form]();
  }));
  if (!done) return;
  byId("status").textContent = await copy(text).then(() => say("copied"), () => say("notCopied"));
}

/** Fills the lists of models; they are shown where there is a choice. */
function offerModels() {
  for (const [task, name] of [["ner", "tag"], ["segment", "segment"]]) {
    const known = models.filter((one) => one.task === task);
    const select = byId(`${name}-model`);
    const before = select.value;
    select.replaceChildren(...known.map((one) => make("option", { value: one.name }, one.name)));
    if (known.some((one) => one.name === before)) select.value = before;
    byId(`${name}-pick`).hidden = known.length < 2;
  }
  offer(labels());
  offerStandards();
}

/** Fills the list of the standards by which the model cuts words; shown where there is a choice. */
function offerStandards() {
  const known = model("segment")?.standards ?? [];
  const select = byId("standard");
  const before = select.value || remembered("standard", "");
  select.replaceChildren(...known.map((name) => make("option", { value: name }, sayStandard(name))));
  if (known.includes(before)) select.value = before;
  byId("standard-pick").hidden = known.length < 2;
}

async function loadModels() {
  return trying(async () => {
    models = (await get("/v1/models")).models;
    offerModels();
  });
}

function setUp() {
  const redraw = setUpWords(update);
  const choose = setUpTabs(byId("tabs"), (name) => {
    tab = name;
    remember("tab", name);
    byId("output").replaceChildren();
    update();
  });
  tabStop = setUpRoving(byId("output"), ".e", ({ entity }) => propose(entity.text, entity.label));
  const soon = debounced(update, PAUSE);
  byId("text").addEventListener("input", soon);
  byId("text").addEventListener("select", () => {
    const { value, selectionStart, selectionEnd } = byId("text");
    const chosen = value.slice(selectionStart, selectionEnd).trim();
    if (chosen && chosen.length <= 30 && !chosen.includes("\n")) propose(chosen);
  });
  for (const kind of ["mouseover", "focusin"]) {
    byId("output").addEventListener(kind, (event) => {
      const one = event.target.closest?.(".e");
      byId("hint").textContent = one ? describe(one) : say("hint");
      if (one) one.title = byId("hint").textContent;
    });
  }
  const write = (text) => {
    byId("text").value = text;
    update();
  };
  byId("example").addEventListener("click", () => write(EXAMPLE));
  byId("clear").addEventListener("click", () => write(""));
  setUpAttention();
  byId("text").addEventListener("click", () => tab === "attention" && soon());
  setUpLabelling(marked);
  askTraining = setUpTraining(use, trying);
  setUpFiles((name, text) => {
    const sentences = name.endsWith(".jsonl") ? parsed(text) : null;
    showError(null);
    if (!sentences) return write(text);
    takeOver(sentences);
    return chooseTab("label");
  }, (reason, name) => {
    showError(null);
    byId("error").hidden = false;
    byId("error").textContent = say(reason, name);
  });
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", () => copyAs(button.dataset.copy));
  }
  for (const id of ["tag-model", "segment-model"]) {
    byId(id).addEventListener("change", () => {
      offer(labels());
      offerStandards();
      update();
    });
  }
  byId("standard").addEventListener("change", (event) => {
    remember("standard", event.target.value);
    update();
  });
  byId("token").addEventListener("submit", async (event) => {
    event.preventDefault();
    useToken(byId("token-value").value);
    update();
  });
  addEventListener("resize", debounced(() => tab === "lattice" && update(), 200));
  setUpTheme();
  setUpLanguage(byId("language"), () => {
    redraw();
    offer(labels());
    offerStandards();
    byId("hint").textContent = say("hint");
    byId("output").replaceChildren();
    if (models.length) update();
  });
  return choose;
}

let tabStop = () => {};
let askTraining = () => {};

function setUpTheme() {
  const apply = (theme) => {
    document.documentElement.dataset.theme = theme;
    remember("theme", theme);
  };
  byId("theme").value = remembered("theme", "");
  apply(byId("theme").value);
  byId("theme").addEventListener("change", (event) => apply(event.target.value));
}

const chooseTab = setUp();
if (!byId("text").value) byId("text").value = EXAMPLE;
chooseTab(tab);
