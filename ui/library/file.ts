// How a reader opens a scenario of their own: the file is read here and sent to the server as text.
import { coded } from "../player/base/coded.ts";
import { el, fill } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import { handFile } from "../player/base/handed.ts";
import { icon } from "../player/base/icons.ts";
import type { GivenFile, LibraryData } from "./types.ts";

/** the file that was sent last, which may be refused */
let lastGiven: GivenFile | null = null;

/** Opens a folder of the reader's own, on pages without a server; null where the browser cannot. */
export function folderDoor({ words }: LibraryData) {
  const { tidemarkFolder } = globalThis;
  if (!tidemarkFolder) return null;
  const { name, choose } = tidemarkFolder;
  const door = el("div", "tm-file");
  const button = el("button", "tm-file-button", null, { type: "button" });
  button.append(icon("up"), words.folder.open);
  button.addEventListener("click", choose);
  door.append(button, el("p", "tm-quiet", name ? say(words.folder.opened, { folder: name }) : words.folder.note));
  return door;
}

/** The button, and under it what is wrong with the file that was sent last. */
export function fileDoor({ words, refused, most_bytes: most }: LibraryData, give: (file: GivenFile) => void) {
  const door = el("div", "tm-file");
  const said = el("div", "tm-file-said", null, { role: "alert" });
  const problem = (title: string, text: string) =>
    said.replaceChildren(el("b", "", title), fill(el("pre"), coded(text)));
  const input = el("input", "tm-file-input", null, {
    type: "file",
    accept: ".yaml,.yml,.json",
    "aria-label": words.file.open,
  });
  const button = el("label", "tm-file-button", null, {});
  button.append(icon("up"), words.file.open, input);
  input.addEventListener("change", async () => {
    const [file] = input.files ?? [];
    input.value = "";
    if (!file) return;
    if (file.size > most) {
      problem(say(words.file.refused, { file: file.name }), say(words.file.too_large, { limit: most / 1024 }));
      return;
    }
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
      lastGiven = { name: file.name, text, at: Date.now() };
      give(lastGiven);
      said.textContent = words.file.opening;
    } catch {
      problem(say(words.file.refused, { file: file.name }), words.file.not_text);
    }
  });
  if (refused) problem(refused.file, refused.problem);
  if (refused && lastGiven?.at === refused.at) said.append(toAuthor(lastGiven, words.file.to_author));
  door.append(button, el("p", "tm-quiet", words.file.note), said);
  return door;
}

/**
 * The way to the page where the file can be mended.
 * @param name what the button says
 */
function toAuthor(file: GivenFile, name: string) {
  const button = el("button", "tm-file-button", name, { type: "button" });
  button.addEventListener("click", () => handFile(file) && globalThis.tidemarkPlaces?.open("./author"));
  return button;
}
