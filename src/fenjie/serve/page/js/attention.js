// The attention of a model at one character of a sentence: to characters, and to words.

import { byId, make } from "./dom.js";
import { percent } from "./draw.js";
import { say } from "./language.js";
import { setUpRoving } from "./roving.js";

const STEPS = 8; // shades

let found = null;
let query = 0;
let tabStop = () => {};

/** Sets up the choice of layer, head and character. */
export function setUpAttention() {
  for (const id of ["layer", "head"]) byId(id).addEventListener("change", draw);
  tabStop = setUpRoving(byId("attention-view"), ".query", (chosen) => {
    query = chosen.place;
    draw();
    byId("attention-view").querySelectorAll(".query")[query].focus();
  });
}

/** Shows an answer of the service; null where there is none. */
export function showAttention(answer) {
  found = answer;
  if (found) {
    fill("layer", found.layers.map((_, at) => [String(at), String(at + 1)]), found.layers.length - 1);
    const heads = found.layers[0].map((_, at) => [String(at), String(at + 1)]);
    fill("head", [["", say("headAll")], ...heads], "");
    query = Math.min(query, found.layers[0][0].length - 1);
  }
  draw();
}

function fill(id, options, otherwise) {
  const before = byId(id).value;
  byId(id).replaceChildren(...options.map(([value, name]) => make("option", { value }, name)));
  byId(id).value = before && options.some(([value]) => value === before) ? before : String(otherwise);
}

function draw() {
  const place = byId("attention-view");
  if (!found) {
    place.replaceChildren();
    return;
  }
  const heads = found.layers[Number(byId("layer").value)];
  const chosen = byId("head").value === "" ? heads : [heads[Number(byId("head").value)]];
  const weights = chosen[0][query].map(
    (_, key) => chosen.reduce((sum, head) => sum + head[query][key], 0) / chosen.length,
  );
  const most = Math.max(...weights, 1e-9);
  const queries = found.names.slice(0, heads[0].length).map((name, at) => {
    const settings = { type: "button", className: "query", tabIndex: -1, "aria-pressed": String(at === query) };
    const made = make("button", settings, name);
    made.place = at;
    return made;
  });
  const keys = weights.map((weight, key) => {
    const shade = Math.round((STEPS * weight) / most);
    const text = `${found.names[key]} ${percent(weight)}`;
    return make("li", { className: `key s${shade}`, title: text }, found.names[key],
      make("small", {}, ` ${percent(weight)}`));
  });
  const size = found.names.findIndex((name, at) => at >= heads[0].length || !name);
  const characters = size < 0 ? keys.length : size;
  place.replaceChildren(
    make("div", { className: "queries", role: "group", "aria-label": say("queries") }, ...queries),
    make("h3", {}, say("attentionOf", found.names[query])),
    make("ul", { className: "keys" }, ...keys.slice(0, characters)),
    make("ul", { className: "keys" }, ...keys.slice(characters)),
  );
  tabStop();
}
