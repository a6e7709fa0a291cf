// Trains a model from the labelled sentences, and shows how far it is.

import { ask, get, post } from "./api.js";
import { byId, make } from "./dom.js";
import { percent } from "./draw.js";
import { say } from "./language.js";
import { sentences } from "./sentences.js";

const EVERY = 1000; // milliseconds

let timer;

/** Sets up the form; `use(name)` changes to a model, `tried(act)` runs what may be refused. */
export function setUpTraining(use, tried) {
  byId("train").addEventListener("submit", (event) => {
    event.preventDefault();
    const start = byId("train-start").value || null;
    tried(async () => {
      draw(await post("/v1/train", { name: byId("train-name").value.trim(), sentences, start }));
    });
  });
  byId("train-stop").addEventListener("click", () => tried(async () => draw(await ask("DELETE", "/v1/train"))));
  byId("train-use").addEventListener("click", () => use(byId("train-use").dataset.name));
  return () => tried(async () => draw(await get("/v1/train")));
}

/** Proposes a name that no model has. */
export function proposeName(models) {
  const names = new Set(models.map(({ name }) => name));
  let [name, number] = ["mine", 1];
  while (names.has(name)) name = `mine-${(number += 1)}`;
  byId("train-name").value ||= name;
  if (names.has(byId("train-name").value)) byId("train-name").value = name;
}

function draw({ available, reason, starts, run }) {
  byId("train-controls").hidden = !available;
  const why = reason?.includes("--train") ? "trainNotTold" : "trainNoTorch";
  byId("train-help").textContent = available
    ? say("trainHelp") + (starts.length ? "" : ` ${say("trainNoStart")}`) : say(why);
  offerStarts(starts);
  clearTimeout(timer);
  if (run) drawRun(run);
  else drawNoRun();
}

/** Of a run that was shown before nothing stays: the service has been started anew. */
function drawNoRun() {
  byId("train-status").textContent = "";
  byId("train-go").disabled = false;
  for (const id of ["train-stop", "train-bar", "train-use", "train-message"]) byId(id).hidden = true;
}

function offerStarts(starts) {
  const select = byId("train-start");
  const before = select.value;
  const known = starts.map((name) => make("option", { value: name }, name));
  select.replaceChildren(...known, make("option", { value: "" }, say("trainNothing")));
  if (starts.includes(before)) select.value = before;
}

function drawRun(run) {
  const going = run.phase === "training" || run.phase === "exporting";
  const seconds = Math.round(run.seconds);
  const score = run.f1 === null ? "" : ` · ${say(run.seen ? "trainSeen" : "trainScore", percent(run.f1))}`;
  const said = {
    training: run.steps ? say("training", run.step, run.steps, seconds) + score : say("trainBegun", seconds),
    exporting: say("exporting", seconds) + score,
    done: say("trained", run.name, seconds) + score,
    failed: say("trainFailed", run.name),
    stopped: say("trainStopped", run.name),
  }[run.phase];
  byId("train-status").textContent = said;
  byId("train-go").disabled = going;
  byId("train-stop").hidden = !going;
  const bar = byId("train-bar");
  bar.hidden = !going;
  if (run.steps) [bar.max, bar.value] = [run.steps, run.step];
  else bar.removeAttribute("value");
  byId("train-use").hidden = run.phase !== "done";
  byId("train-use").textContent = say("trainUse", run.name);
  byId("train-use").dataset.name = run.name;
  byId("train-message").hidden = !run.message;
  byId("train-message").textContent = run.message ?? "";
  if (going) timer = setTimeout(() => get("/v1/train").then(draw, () => again()), EVERY);
}

/** Asks again where the service was too busy to say how far it is. */
function again() {
  timer = setTimeout(() => get("/v1/train").then(draw, again), 3 * EVERY);
}
