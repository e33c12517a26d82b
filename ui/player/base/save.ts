// Files for the reader: their names, and how the browser saves one.
import { el } from "./dom.ts";

const LONGEST_NAME = 60;
const REVOKED_LATER = 20000;

/** `late-but-allowed-step-114.png`: only letters, digits and hyphens, whatever the scenario is called. */
export function fileName(scenario: string, part: string, ending: string) {
  const safe =
    scenario
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, "-")
      .replace(/^-+|(?<!-)-+$/g, "")
      .slice(0, LONGEST_NAME) || "scenario";
  return `${safe}${part ? `-${part}` : ""}.${ending}`;
}

/** Saves `blob` as a file. */
export function save(blob: Blob, name: string) {
  const url = URL.createObjectURL(blob);
  const link = el("a", "", null, { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), REVOKED_LATER);
}

/** Bytes as base64, converted in pieces because each byte is an argument on the stack. */
export function base64(bytes: Uint8Array) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 32768) text += String.fromCharCode(...bytes.subarray(at, at + 32768));
  return btoa(text);
}
