// The row of Export with the data of the run: its rows and its micro-steps in several forms, and the scenario itself.
import { el } from "../base/dom.ts";
import { between } from "../base/format.ts";
import { unwritten } from "./desk.ts";
import type { Share } from "./dialog.ts";

const FORMS = [
  ["csv", "CSV"],
  ["jsonl", "JSON Lines"],
  ["parquet", "Parquet"],
];

/** A form that nobody here can write has no button; a sentence says where it comes from. */
export function dataRow(share: Share) {
  const words = share.words.data;
  const forms = FORMS.filter(([form]) => !unwritten().includes(form));
  const set = (what: string) => {
    const group = el("span", "tm-share-set tm-share-data", null, { role: "group", "aria-label": words[what] });
    group.append(el("span", "", words[what]));
    for (const [form, title] of forms) group.append(share.button(title, () => share.dataFile(what, form)));
    return group;
  };
  const scenario = el("span", "tm-share-set tm-share-data");
  scenario.append(
    el("span", "", words.scenario),
    share.button(words.file, () => share.dataFile("scenario")),
  );
  const { note: said, more_in_app: more } = words;
  const note = forms.length < FORMS.length ? `${said}${between(said, more)}${more}` : said;
  return share.row(words.title, [set("rows"), set("trace"), scenario, share.note(note)]);
}
