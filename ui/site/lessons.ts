// A lesson to take away: Python makes it from what the page hands over, and the browser saves it.
import { save } from "../player/base/save.ts";
import { studentsFile } from "../library/students.ts";
import { textOf, type Store } from "./store.ts";
import type { TakenLesson } from "../library/types.ts";
import type { Computed } from "./computed.ts";

const TYPES = { html: "text/html", zip: "application/zip" };
const LONGEST_PACKAGE_NAME = 60;

/** As the app names it (ui/pages/opening/server.py). */
export function lessonFile({ lesson, as, student }: TakenLesson) {
  if (as === "html") return studentsFile(lesson);
  const name = lesson.replace(/[^A-Za-z0-9-]/g, "-").slice(0, LONGEST_PACKAGE_NAME);
  return `${name}${student ? "-students" : ""}.zip`;
}

/** @returns the problem in words; "" for none, or where the header says it already */
export async function takeLesson(asked: TakenLesson, store: Store, computed: Computed): Promise<string> {
  const [shell, fonts, own] = await Promise.all([
    store.part("kit", computed.reading.language),
    store.bytes(store.manifest.fonts).then(textOf),
    store.json(store.manifest.lesson),
  ]);
  const answer = await computed.reply("lesson", { ...asked, kit: { shell, fonts, ...own } });
  if (!answer) return "";
  if (answer.said.problem) return answer.said.problem;
  save(new Blob([answer.body], { type: TYPES[asked.as] }), lessonFile(asked));
  return "";
}
