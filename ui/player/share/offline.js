// One HTML file that holds the whole walkthrough: made from what lies in the page already, without a server.
import { kit } from "./desk.js";
import { base64 } from "./save.js";

const FAMILIES = ["Source Sans", "Source Code Pro"];

/** The upright fonts of this page as rules that hold them, so that the file looks the same where they are not installed. */
async function fonts() {
  const faces = [...document.styleSheets].flatMap((sheet) => {
    try {
      return [...sheet.cssRules].filter((rule) => rule instanceof CSSFontFaceRule).map((rule) => ({ style: rule.style, base: sheet.href ?? document.baseURI }));
    } catch {
      return []; // the sheet of somebody else, an extension's say
    }
  });
  const made = faces.map(async ({ style, base }) => {
    const family = style.getPropertyValue("font-family").replace(/["']/g, "");
    const url = style.getPropertyValue("src").match(/url\("?([^")]+)"?\)/)?.[1];
    if (!url || !FAMILIES.includes(family) || !["", "normal"].includes(style.getPropertyValue("font-style"))) return "";
    try {
      const font = new Uint8Array(await (await fetch(new URL(url, base))).arrayBuffer());
      return `@font-face { font-family: "${family}"; font-weight: ${style.getPropertyValue("font-weight")}; src: url(data:font/woff2;base64,${base64(font)}); }`;
    } catch {
      return ""; // then the reader's own fonts do
    }
  });
  return (await Promise.all(made)).join("\n");
}

/** The file, opening at `step`; null where this page does not hold what it needs. */
export async function offlinePage(facts, { title, step }) {
  const parts = kit();
  if (!parts) return null;
  const unpacked = new Blob([parts.packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  const shell = await new Response(unpacked).text();
  const filled = { fonts: await fonts(), facts: base64(facts), vega: base64(parts.vega), step: String(step), title: title.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`) };
  return new Blob([shell.replace(/@@(facts|vega|fonts|step|title)@@/g, (whole, name) => filled[name])], { type: "text/html" });
}
