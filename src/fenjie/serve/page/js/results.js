// Results of the service by piece of text, kept until model or words change.

import { post } from "./api.js";

const ROOM = 1200; // characters of a request, so that the first results are soon there
const TEXTS = 500; // texts of a request
const KEPT = 20000; // pieces

export class Results {
  #found = new Map();

  /** What one operation finds with a model and user words. */
  constructor(operation) {
    this.operation = operation;
    this.request = {};
    this.settings = "";
  }

  /** Takes what the requests to come say (model, words, standard); forgets results of others. */
  use(request) {
    const settings = JSON.stringify(request);
    if (settings !== this.settings) this.#found.clear();
    this.settings = settings;
    this.request = request;
  }

  /** The result of a piece; undefined where it has not been asked for. */
  of(piece) {
    if (piece.trim()) return this.#found.get(piece);
    return { words: piece && this.operation === "segment" ? [piece] : [], entities: [] };
  }

  /** Asks for the pieces that are missing, some at a time; calls `drawn` after each answer. */
  async fill(pieces, signal, drawn = () => {}) {
    if (this.#found.size > KEPT) this.#found.clear();
    const missing = [...new Set(pieces.filter((piece) => this.of(piece) === undefined))];
    const settings = this.settings;
    while (missing.length) {
      const text = [missing.shift()];
      let size = text[0].length;
      while (missing.length && text.length < TEXTS && size + missing[0].length <= ROOM) {
        size += missing[0].length;
        text.push(missing.shift());
      }
      const answer = await post(`/v1/${this.operation}`, { text, ...this.request }, signal);
      if (settings !== this.settings) return;
      answer.sentences.forEach((sentence, at) => this.#found.set(text[at], sentence));
      drawn();
    }
  }
}
