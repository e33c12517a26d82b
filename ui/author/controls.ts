// Controls within a sentence or a form: a list to choose from, or a field as wide as what stands in it.
import { dataNodes, el, fill, pushButton } from "../player/base/dom.ts";
import { onChosen } from "./buttons.ts";
import { AuthorPart } from "./author_part.ts";
import type { Control, Edit, Piece } from "./types.ts";

/** called when another value is wanted */
type SetControl = (name: string, value: string) => void;

/** The kind of window in the form: what the new kind also takes stays, and the author is told what goes. */
const ASSIGNER = "operator.assigner.type";

const NUMBER_WAYS: { [key: string]: number | undefined } = { ArrowUp: 1, ArrowDown: -1 };

/** What is turned by the arrow keys. */
const TURNED = ["span", "whole", "share", "number"];

export function controlNode(piece: Control, set: SetControl) {
  const label = { "aria-label": piece.label, "data-control": piece.name };
  if (piece.kind === "choice") {
    const select = el("select", "tm-au-choice", null, label);
    for (const [value, text] of piece.choices) select.append(el("option", "", text, { value }));
    select.value = piece.value;
    onChosen(select, (value) => set(piece.name, value));
    return select;
  }
  const field = el("input", "tm-au-field", null, { ...label, type: "text", autocomplete: "off", spellcheck: "false" });
  field.defaultValue = piece.value;
  field.placeholder = piece.default ?? "";
  const fit = () => {
    field.style.width = `${Math.max(field.value.length, field.placeholder.length, 2) + 1.6}ch`;
  };
  fit();
  let asked = piece.value;
  let turning: number | undefined;
  const done = () => {
    const wanted = field.value.trim();
    if (!wanted && piece.required !== false) field.value = asked;
    else if (wanted !== asked) {
      asked = wanted;
      set(piece.name, wanted);
    }
    fit();
  };
  field.addEventListener("input", fit);
  field.addEventListener("focus", () => field.select());
  field.addEventListener("blur", done);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") done();
    if (event.key === "Escape") {
      field.value = piece.value;
      fit();
    }
    const way = NUMBER_WAYS[event.key];
    if (way && TURNED.includes(piece.kind)) {
      event.preventDefault();
      field.value = turned(field.value, way, piece.kind);
      fit();
      clearTimeout(turning);
      turning = setTimeout(done, 350);
    }
  });
  return field;
}

/**
 * `text` with its number one step up or down (`way`) and its unit kept. A step is a second; 100 ms for a time in ms.
 */
function turned(text: string, way: number, kind: Control["kind"]) {
  const found = /^(-|−)?(\d+(?:[.,]\d+)?)(.*)$/s.exec(text.trim());
  if (!found) return text;
  const number = Number(found[2].replace(",", ".")) * (found[1] ? -1 : 1);
  const step = kind === "span" && /ms/.test(found[3]) ? 100 : 1;
  const next = Math.round((number + way * step) * 1000) / 1000;
  const least = kind === "span" || kind === "share" ? 0 : -Infinity;
  return `${number >= 0 ? Math.max(next, least) : next}${found[3]}`;
}

/** The name of the control in `node` that has the focus, null for none. */
export function focusedControl(node: HTMLElement) {
  const focused = document.activeElement;
  return focused instanceof HTMLElement && node.contains(focused) ? (focused.dataset.control ?? null) : null;
}

/** Gives the focus back to the control of that name. */
export function focusControl(node: HTMLElement, name: string | null) {
  if (name) dataNodes(node, `[data-control="${CSS.escape(name)}"]`)[0]?.focus();
}

/** The sentence of the configuration with its controls. */
export class SentenceLine extends AuthorPart {
  node = el("p", "tm-au-sentence", null, { "data-half": "sentence" });
  shown: string | null = null;

  show(pieces: Piece[]) {
    const sign = JSON.stringify(pieces);
    if (this.shown === sign) return;
    this.shown = sign;
    const focused = focusedControl(this.node);
    this.node.replaceChildren(
      ...pieces.map((piece) =>
        "text" in piece ? piece.text : controlNode(piece, (name, value) => this.set(name, value)),
      ),
    );
    focusControl(this.node, focused);
  }

  async set(name: string, value: string) {
    const edit: Edit =
      name === "assigner" ? { kind: "member", name: ASSIGNER, value } : { kind: "control", name, value };
    if (!(await this.author.edit(edit))) this.again();
  }

  /** Shows what the text says again, after an edit was refused. */
  again() {
    this.shown = null;
    if (this.author.facts) this.show(this.author.facts.sentence);
  }
}

/** The controls of a generated stream. */
export class GeneratorForm extends AuthorPart {
  node = el("div", "tm-au-generator", null, { "data-half": "generator" });

  show(controls: Control[]) {
    const { words } = this.author;
    const focused = focusedControl(this.node);
    const set = async (name: string, value: string) => {
      if (!(await this.author.edit({ kind: "control", name, value }))) this.show(controls);
    };
    const rows = controls.map((piece) => {
      const row = fill(el("label", "tm-au-setting"), el("span", "", piece.label), controlNode(piece, set));
      if (piece.name === "seed") {
        const dice = pushButton("tm-button tm-plain", words.generator.other_seed, () =>
          set("seed", String(1 + Math.floor(Math.random() * 9999))),
        );
        row.append(dice);
      }
      return row;
    });
    const list = pushButton("tm-button", words.generator.write_out, () => this.author.edit({ kind: "list" }));
    this.node.replaceChildren(el("p", "tm-quiet", words.generator.about), ...rows, list);
    focusControl(this.node, focused);
  }
}
