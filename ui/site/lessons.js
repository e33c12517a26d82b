// A lesson to take away: Python makes it from what the page hands over, and the browser saves it.
import { save } from "../player/base/save.js";
import { studentsFile } from "../library/students.js";
import { textOf } from "./store.js";
/** @import { TakenLesson } from "../library/types.d.ts" */
/** @import { Computed } from "./computed.js" */
/** @import { Store } from "./store.js" */

const TYPES = { html: "text/html", zip: "application/zip" };
const LONGEST_PACKAGE_NAME = 60;

/**
 * As the app names it (ui/opening/server.py).
 * @param {TakenLesson} asked
 */
export function lessonFile({ lesson, as, student }) {
  if (as === "html") return studentsFile(lesson);
  const name = lesson.replace(/[^A-Za-z0-9-]/g, "-").slice(0, LONGEST_PACKAGE_NAME);
  return `${name}${student ? "-students" : ""}.zip`;
}

/**
 * @param {TakenLesson} asked
 * @param {Store} store
 * @param {Computed} computed
 * @returns {Promise<string>} the problem in words; "" for none, or where the header says it already
 */
export async function takeLesson(asked, store, computed) {
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
