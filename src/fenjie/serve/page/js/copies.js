// A result in the forms that other tools read.

import { characters } from "./pieces.js";

/** Words with spaces between them, line by line; the text's own whitespace parts them too. */
export const spaced = (lines) =>
  lines.map(({ words }) => words.filter((word) => word.trim()).join(" ")).join("\n");

/** A character and its tag a line, an empty line after each line of text. */
export function bio(lines) {
  const blocks = lines.filter(({ text }) => text).map(({ text, entities }) => {
    const tags = characters(text).map(() => "O");
    for (const { start, end, label } of entities) {
      tags.fill(`I-${label}`, start, end);
      tags[start] = `B-${label}`;
    }
    return characters(text).map((character, at) => `${character} ${tags[at]}\n`).join("");
  });
  return blocks.join("\n");
}

/** The annotations (.ann) of the whole text as brat has them. */
export function brat(lines) {
  return whole(lines)
    .entities.map(({ text, label, start, end }, at) => `T${at + 1}\t${label} ${start} ${end}\t${text}\n`)
    .join("");
}

/** Labelled sentences as fenjie's JSONL. */
export const jsonl = (sentences) =>
  sentences.map(({ text, spans }) => `${JSON.stringify({ text, spans })}\n`).join("");

/** The text with what was found in it, offsets counting characters of the whole. */
export function json(lines, key) {
  const { text, [key]: found } = whole(lines);
  return JSON.stringify({ text, [key]: found }, null, 1);
}

/** Lines as one text: its entities and words, moved to their places in it. */
function whole(lines) {
  const entities = [];
  const words = [];
  let offset = 0;
  lines.forEach((line, number) => {
    for (const entity of line.entities) {
      entities.push({ ...entity, start: entity.start + offset, end: entity.end + offset });
    }
    words.push(...line.words);
    if (number < lines.length - 1) words.push("\n");
    offset += characters(line.text).length + 1;
  });
  return { text: lines.map(({ text }) => text).join("\n"), entities, words };
}

/** One result for each line, from those of its pieces. */
export function joined(lines, of) {
  return lines.map((pieces) => {
    const line = { text: pieces.join(""), entities: [], words: [] };
    let offset = 0;
    for (const piece of pieces) {
      const { entities = [], words = [] } = of(piece);
      const moved = (one) => ({ ...one, start: one.start + offset, end: one.end + offset });
      line.entities.push(...entities.map(moved));
      line.words.push(...words.map((word) => (typeof word === "string" ? word : moved(word))));
      offset += characters(piece).length;
    }
    return line;
  });
}
