// What students get of a lesson: a page without notes and answers, as a link, a file, a frame or a package for an LMS.
import { el } from "../player/base/dom.js";
import { icon } from "../player/base/icons.js";
/** @import { LibraryWords } from "../player/types/words.d.ts" */

const FRAME_SIZE = { wide: 1100, high: 720 };

/**
 * The address of a lesson as the server makes it (ui/opening/server.py), in the language of the page.
 * @param {string} file `lesson.html` or `lesson.zip`
 * @param {string} lesson
 * @param {{ [part: string]: string }} [more]
 */
export function lessonAddress(file, lesson, more = {}) {
  const lang = document.documentElement.lang.split("-")[0];
  return new URL(`./tidemark/${file}?${new URLSearchParams({ lesson, ...more, lang })}`, document.baseURI).href;
}

/**
 * The button that opens the dialog, for the lesson or lecture `id`.
 * @param {string} id
 * @param {string} title
 * @param {LibraryWords} words
 */
export function studentsButton(id, title, words) {
  const button = el("button", "tm-package", null, { type: "button", "aria-haspopup": "dialog" });
  button.append(icon("link"), words.students.title);
  button.addEventListener("click", () => {
    const dialog = studentsDialog(id, title, words);
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

/**
 * @param {string} id
 * @param {string} title
 * @param {LibraryWords} words
 */
function studentsDialog(id, title, { students }) {
  const page = lessonAddress("lesson.html", id);
  const dialog = el("dialog", "tm-for-students", null, { "aria-label": `${students.title}: ${title}` });
  const said = el("p", "tm-quiet", "", { role: "status" });
  const head = el("div", "tm-students-row");
  const closing = el("button", "tm-package", students.close, { type: "button" });
  closing.addEventListener("click", () => dialog.close());
  head.append(el("h2", "", `${students.title}: ${title}`), closing);
  const frame = el("iframe", "", null, {
    src: page,
    width: FRAME_SIZE.wide,
    height: FRAME_SIZE.high,
    title,
    loading: "lazy",
    style: "border: 0",
  });
  const name = `${id.replace(/[^A-Za-z0-9-]+/g, "-")}-students.html`;
  const files = el("div", "tm-students-row");
  files.append(
    linkTo(page, "link", students.open, { target: "_blank" }),
    linkTo(page, "download", students.file, { download: name }),
    linkTo(lessonAddress("lesson.zip", id, { edition: "student" }), "download", students.package, { target: "_blank" }),
  );
  dialog.append(
    head,
    el("p", "tm-quiet", students.about),
    files,
    copied(page, students.link, students.copy_link, said, students.copied),
    copied(frame.outerHTML, students.frame, students.copy_frame, said, students.copied),
    said,
  );
  return dialog;
}

/**
 * @param {string} href
 * @param {string} shown the name of an icon
 * @param {string} text
 * @param {{ [name: string]: string }} attributes
 */
function linkTo(href, shown, text, attributes) {
  const link = el("a", "tm-package", null, { href, ...attributes });
  link.append(icon(shown), text);
  return link;
}

/**
 * A text with the button that copies it.
 * @param {string} text
 * @param {string} label
 * @param {string} copy
 * @param {HTMLElement} said
 * @param {string} done
 */
function copied(text, label, copy, said, done) {
  const row = el("div", "tm-students-row");
  const field = el("input", "tm-students-text", null, { readonly: "", "aria-label": label });
  field.value = text;
  field.addEventListener("focus", () => field.select());
  const button = el("button", "tm-package", copy, { type: "button" });
  button.addEventListener("click", async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      document.execCommand("copy");
    }
    said.textContent = done;
  });
  row.append(field, button);
  return row;
}
