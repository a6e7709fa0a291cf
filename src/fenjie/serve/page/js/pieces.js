// A text as lines, and long lines as pieces. Models read line by line, so that a line has the same
// result alone; only what has changed is asked for again.

const LONG = 1000;
const WANTED = 400;
const END = /[。！？…；!?;]+[”’」』）】》"')]*/gu;

/** The characters of a text as the service counts them: code points. */
export const characters = (text) => Array.from(text);

/** The lines of a text, each as its pieces; joined by line ends they are the text. */
export function lines(text) {
  return text.toWellFormed().split("\n").map((line) => (line.length <= LONG ? [line] : cut(line)));
}

function cut(line) {
  const found = [];
  let start = 0;
  let last = 0;
  for (const match of [...line.matchAll(END), { index: line.length, 0: "" }]) {
    const end = match.index + match[0].length;
    if (end - start > WANTED && last > start) {
      found.push(line.slice(start, last));
      start = last;
    }
    last = end;
  }
  found.push(line.slice(start));
  return found.flatMap(hardCut);
}

/** A stretch without an end of a sentence, cut where it must be. */
function hardCut(piece) {
  if (piece.length <= 2 * LONG) return [piece];
  const all = characters(piece);
  const found = [];
  for (let at = 0; at < all.length; at += LONG) found.push(all.slice(at, at + LONG).join(""));
  return found;
}
