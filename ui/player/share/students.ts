// What students get: a link, a frame or a file without notes and answers. The server takes them out
// (ui/share/links.py), because what is in this page could be read.
import { addressOf } from "../base/address.ts";
import { el, fileName, fill } from "../base/dom.ts";
import { ask } from "./desk.ts";
import type { Share } from "./dialog.ts";

const EMBED_SIZE = { wide: 800, high: 500 };

/**
 * The HTML of a frame in a course page.
 * @param address of the view that fills a window
 */
export function frameOf(address: URL, title: string) {
  const small = new URL(address);
  small.searchParams.set("embed", "true");
  small.searchParams.set("lang", document.documentElement.lang.split("-")[0]); // a course is in one language
  const frame = el("iframe", "", null, {
    src: small.href,
    width: EMBED_SIZE.wide,
    height: EMBED_SIZE.high,
    title,
    loading: "lazy",
    style: "border: 0",
  });
  return frame.outerHTML;
}

/** The row of the dialog. */
export function studentsRow(share: Share) {
  const { player, words } = share;
  const { students } = words;
  const copying = el("input", "", null, { type: "checkbox" });
  const label = fill(el("label", "tm-share-set"), copying, students.copying);
  const made = el("div", "tm-share-steps");
  let token: string | null = null;
  const show = () => {
    if (token === null) return;
    if (token === "") {
      fill(made, share.note(students.long));
      return;
    }
    const address = addressOf(player.payload.name, share.step, {}, ["s", token]);
    address.searchParams.delete("embed");
    if (copying.checked) address.searchParams.delete("copy");
    else address.searchParams.set("copy", "off");
    const link = share.copied(el("input", "tm-share-text", null, { readonly: "" }), address.href, {
      label: students.link,
      copy: students.copy_link,
    });
    const frame = share.copied(
      el("textarea", "tm-share-text", null, { readonly: "" }),
      frameOf(address, player.payload.title),
      { label: students.frame, copy: students.copy_frame },
    );
    fill(made, row(link), row(frame));
  };
  copying.addEventListener("change", show);
  const make = share.button(students.make, async () => {
    try {
      token = (await asked()).said.token ?? "";
      show();
      share.tell("");
    } catch (error) {
      share.failed(error);
    }
  });
  const name = fileName(player.payload.name, "students", "html");
  const file = share.button(students.file, () => share.make(name, async () => share.offline((await asked()).body)));
  return share.row(students.title, [make, file, label, made, share.note(students.about)]);
}

function row(parts: Node[]) {
  return fill(el("div", "tm-share-animate"), ...parts);
}

/** The student edition as the server makes it. */
async function asked() {
  const answer = await ask("students");
  ask("taken").catch(() => null);
  if (answer.said.problem) throw new Error(answer.said.problem);
  return answer;
}
