// Files that are opened or dropped: read in the browser, never uploaded as such.

import { byId } from "./dom.js";

const MOST = 2_000_000; // bytes

/** Sets up the button and the drop zone; `opened(name, text)` gets each file that is text. */
export function setUpFiles(opened, refused) {
  const read = async (file) => {
    if (!file) return;
    if (file.size > MOST) refused("tooLarge", file.name);
    else {
      const text = decoded(await file.arrayBuffer());
      if (text === null) refused("notText", file.name);
      else opened(file.name, text);
    }
  };
  byId("open").addEventListener("click", () => byId("file").click());
  byId("file").addEventListener("change", async (event) => {
    await read(event.target.files[0]);
    event.target.value = "";
  });
  const zone = byId("drop");
  const holdsFile = (event) => event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", (event) => {
    if (!holdsFile(event)) return;
    event.preventDefault();
    zone.hidden = false;
  });
  addEventListener("dragleave", (event) => {
    if (!event.relatedTarget) zone.hidden = true;
  });
  addEventListener("drop", (event) => {
    zone.hidden = true;
    if (!holdsFile(event)) return;
    event.preventDefault();
    read(event.dataTransfer.files[0]);
  });
}

/** The text of bytes in UTF-8, else GB18030; null where they are neither. */
function decoded(bytes) {
  for (const name of ["utf-8", "gb18030"]) {
    try {
      const text = new TextDecoder(name, { fatal: true }).decode(bytes);
      if (!text.includes("\0")) return text.replace(/\r\n?/g, "\n");
    } catch {
      // Not in this encoding.
    }
  }
  return null;
}
