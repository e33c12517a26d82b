// A button that is only an icon.
import { linkTo } from "../player/base/address.ts";
import { icon, pushButton } from "../player/base/dom.ts";
import { keepOwn } from "../player/base/kept.ts";
import { nameIn, titleIn } from "./history.ts";
import type { Author } from "./author.ts";
import type { CommandQuestion } from "./types.ts";

/** @param name of the icon */
export function iconButton(name: string, label: string, act: () => void) {
  const node = pushButton("tm-button tm-plain tm-au-icon", null, act, { "aria-label": label, title: label });
  node.append(icon(name));
  return node;
}

// A list to choose from. With the keys its value changes at every step and letter on the way to what is wanted; only
// where one stops, or leaves the list, something is chosen.

const STOP_MS = 700;
const STEPS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"];

/** Calls `act` with the value that was chosen. With the mouse that is at once. */
export function onChosen(list: HTMLSelectElement, act: (value: string) => void) {
  let keyed = false;
  let stopping: number | undefined;
  const done = () => {
    if (stopping === undefined) return;
    clearTimeout(stopping);
    stopping = undefined;
    act(list.value);
  };
  list.addEventListener("keydown", ({ key }) => {
    keyed = key.length === 1 || STEPS.includes(key);
    if (key === "Enter") done();
  });
  list.addEventListener("pointerdown", () => (keyed = false));
  list.addEventListener("change", () => {
    clearTimeout(stopping);
    stopping = setTimeout(done, keyed ? STOP_MS : 0);
    if (!keyed) done();
  });
  list.addEventListener("blur", done);
}

// The draft for the other pages: what an address must name to open it as it is now.

const NAMED = ["scenario", "s", "own"];

/**
 * What opens the draft in the page that is about to be opened. An untouched draft is what it was made from; any other
 * goes as its own text, as it last ran, or as a digest where that is too long for an address. Beats that its run
 * contradicts stay behind. Null where nothing runs.
 */
export async function openedBy(author: Author): Promise<[name: string, value: string] | null> {
  const { history } = author;
  if (!history) return null;
  author.settleTyping();
  const from = origin(author);
  // Asked when an edit that is under way has been made.
  const reply = await author.wire.ask(() => {
    const text = author.sound ? history.text : author.lastSound;
    if (text === null || (from && history.at === null)) return null;
    return { text, command: { name: "link", for: "preview" } } as CommandQuestion;
  });
  const { told } = (reply ?? {}) as unknown as { told?: { address?: [string, string] } };
  const opened = told?.address ?? from;
  if (opened) author.wire.close();
  if (opened && opened[0] !== "scenario") keepOwn(opened, titleIn(history.text) ?? nameIn(history.text) ?? "");
  return opened;
}

/**
 * Opens the comparison of the draft with the scenario that it was made from; of an untouched one with other numbers.
 */
export async function compare(author: Author) {
  const opened = await openedBy(author);
  if (!opened) return;
  const from = origin(author);
  const other = opened[0] !== "scenario" && from?.[0] === "scenario" ? [["with", from[1]]] : [];
  globalThis.tidemarkPlaces?.open(linkTo("compare", [opened, ...other]));
}

/** What the draft was made from; null where it began as a template or a file of the reader's own. */
function origin({ history }: Author): [name: string, value: string] | null {
  const [, kind, value] = /^(\w+):(.+)$/s.exec(history?.origin ?? "") ?? [];
  if (kind === "file") return ["scenario", value];
  return NAMED.includes(kind) ? [kind, value] : null;
}
