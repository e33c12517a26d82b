// What students get of a lesson: a page without notes and answers, as a link, a file, a frame or a package for an LMS.
import { el, fill, icon, pushButton } from "../player/base/dom.ts";
import { say } from "../player/base/format.ts";
import type { LibraryWords } from "#types/words";
import type { TakenLesson } from "./types.ts";
/** makes a lesson; null where it has an address */
type Making = ((asked: TakenLesson) => void) | null;

const FRAME_SIZE = { wide: 1100, high: 720 };

/**
 * The address of a lesson as the server makes it (ui/pages/opening/server.py), in the language of the page.
 * @param file `lesson.html` or `lesson.zip`
 */
export function lessonAddress(file: string, lesson: string, more: { [part: string]: string } = {}) {
  const lang = document.documentElement.lang.split("-")[0];
  return new URL(`./tidemark/${file}?${new URLSearchParams({ lesson, ...more, lang })}`, document.baseURI).href;
}

/** The name of the file under which the student edition of a lesson is saved. */
export function studentsFile(id: string) {
  return `${id.replace(/[^A-Za-z0-9-]+/g, "-")}-students.html`;
}

/**
 * What fetches a lesson to take away: a link to where the server makes it, or a button that has it made.
 * @param shown the name of an icon
 * @param attributes of the link
 */
export function wayTo(
  asked: TakenLesson,
  shown: string,
  text: string,
  make: Making,
  attributes: { [name: string]: string } = { target: "_blank" },
) {
  const { lesson, as, student } = asked;
  if (!make) {
    const address = lessonAddress(`lesson.${as}`, lesson, student && as === "zip" ? { edition: "student" } : undefined);
    return linkTo(address, shown, text, attributes);
  }
  const button = pushButton("tm-package", null, () => make(asked));
  button.append(icon(shown), text);
  return button;
}

/** The button that opens the dialog, for the lesson or lecture `id`. */
export function studentsButton(id: string, title: string, words: LibraryWords, make: Making) {
  const button = el("button", "tm-package", null, { type: "button", "aria-haspopup": "dialog" });
  button.append(icon("link"), words.students.title);
  button.addEventListener("click", () => {
    const dialog = studentsDialog(id, title, words, make);
    // Outside of the groups: those are drawn anew once more pictures are ready.
    button.closest(".tidemark-library")?.append(dialog);
    dialog.addEventListener("close", () => {
      dialog.remove();
      button.focus();
    });
    dialog.showModal();
  });
  return button;
}

function studentsDialog(id: string, title: string, { students }: LibraryWords, make: Making) {
  const heading = say(students.heading, { lesson: title });
  const dialog = el("dialog", "tm-for-students", null, { "aria-label": heading });
  const said = el("p", "tm-quiet", "", { role: "status" });
  const closing = pushButton("tm-package", students.close, () => dialog.close());
  const head = fill(el("div", "tm-students-row"), el("h2", "", heading), closing);
  const page = lessonAddress("lesson.html", id);
  const files = el("div", "tm-students-row");
  const asked: TakenLesson = { lesson: id, as: "html", student: true };
  files.append(
    make ? "" : linkTo(page, "link", students.open, { target: "_blank" }),
    wayTo(asked, "download", students.file, make, { download: studentsFile(id) }),
    wayTo({ ...asked, as: "zip" }, "download", students.package, make),
  );
  dialog.append(head, el("p", "tm-quiet", students.about), files);
  if (make) dialog.append(el("p", "tm-quiet", students.upload));
  else dialog.append(...addresses(page, title, students, said));
  dialog.append(said);
  return dialog;
}

/** The address of the page for students, and a frame that shows it. */
function addresses(page: string, title: string, words: LibraryWords["students"], said: HTMLElement) {
  const frame = el("iframe", "", null, {
    src: page,
    width: FRAME_SIZE.wide,
    height: FRAME_SIZE.high,
    title,
    loading: "lazy",
    style: "border: 0",
  });
  return [
    copied(page, words.link, words.copy_link, said, words.copied),
    copied(frame.outerHTML, words.frame, words.copy_frame, said, words.copied),
  ];
}

/** @param shown the name of an icon */
function linkTo(href: string, shown: string, text: string, attributes: { [name: string]: string }) {
  return fill(el("a", "tm-package", null, { href, ...attributes }), icon(shown), text);
}

/** A text with the button that copies it. */
function copied(text: string, label: string, copy: string, said: HTMLElement, done: string) {
  const field = el("input", "tm-students-text", null, { readonly: "", "aria-label": label });
  field.value = text;
  field.addEventListener("focus", () => field.select());
  const button = pushButton("tm-package", copy, async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      document.execCommand("copy");
    }
    said.textContent = done;
  });
  return fill(el("div", "tm-students-row"), field, button);
}
