// Controls within a sentence or a form: a list to choose from, or a field as wide as what stands in it.
import { el } from "../player/base/dom.js";

/** A control for {name, kind, value, label, choices}; `set(name, value)` is called when another value is wanted. */
function controlNode(piece, set) {
  const label = { "aria-label": piece.label, "data-control": piece.name };
  if (piece.kind === "choice") {
    const select = el("select", "tm-au-choice", null, label);
    for (const [value, text] of piece.choices) select.append(el("option", "", text, { value }));
    select.value = piece.value;
    select.addEventListener("change", () => set(piece.name, select.value));
    return select;
  }
  const field = el("input", "tm-au-field", null, { ...label, type: "text", autocomplete: "off", spellcheck: "false" });
  field.value = piece.value;
  const fit = () => {
    field.style.width = `${Math.max(field.value.length, 2) + 1.6}ch`;
  };
  fit();
  let asked = piece.value;
  const done = () => {
    const wanted = field.value.trim();
    if (!wanted) field.value = asked;
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
    const way = { ArrowUp: 1, ArrowDown: -1 }[event.key];
    if (way) {
      event.preventDefault();
      field.value = turned(field.value, way, piece.kind);
      fit();
      clearTimeout(field.tmTurning);
      field.tmTurning = setTimeout(done, 350);
    }
  });
  return field;
}

/** Returns `text` with its number one step up or down and its unit kept. A step is a second; less for short times. */
function turned(text, way, kind) {
  const found = /^(-|−)?(\d+(?:[.,]\d+)?)(.*)$/.exec(text.trim());
  if (!found) return text;
  const number = Number(found[2].replace(",", ".")) * (found[1] ? -1 : 1);
  const step = kind === "span" && /ms/.test(found[3]) ? 100 : 1;
  const next = Math.round((number + way * step) * 1000) / 1000;
  const least = kind === "span" || kind === "share" ? 0 : -Infinity;
  return `${number >= 0 ? Math.max(next, least) : next}${found[3]}`;
}

/** The sentence of the configuration with its controls. */
export class SentenceLine {
  constructor(author) {
    this.author = author;
    this.node = el("p", "tm-au-sentence");
    this.shown = null;
  }

  show(pieces) {
    const sign = JSON.stringify(pieces);
    if (this.shown === sign) return;
    this.shown = sign;
    const focused = this.node.contains(document.activeElement) ? document.activeElement.dataset.control : null;
    this.node.replaceChildren(
      ...pieces.map((piece) =>
        "text" in piece ? piece.text : controlNode(piece, (name, value) => this.set(name, value)),
      ),
    );
    if (focused) this.node.querySelector(`[data-control="${CSS.escape(focused)}"]`)?.focus();
  }

  async set(name, value) {
    const done = await this.author.edit({ kind: "control", name, value });
    if (!done) this.again();
  }

  /** What was refused goes back to what stands in the text. */
  again() {
    this.shown = null;
    if (this.author.facts) this.show(this.author.facts.sentence);
  }
}

/** The controls of a generated stream. */
export class GeneratorForm {
  constructor(author) {
    this.author = author;
    this.node = el("div", "tm-au-generator");
  }

  show(controls) {
    const { words } = this.author;
    const focused = this.node.contains(document.activeElement) ? document.activeElement.dataset.control : null;
    const set = async (name, value) => {
      if (!(await this.author.edit({ kind: "control", name, value }))) this.show(controls);
    };
    const rows = controls.map((piece) => {
      const row = el("label", "tm-au-setting");
      row.append(el("span", "", piece.label), controlNode(piece, set));
      if (piece.name === "seed") {
        const dice = el("button", "tm-button tm-plain", words.generator.other_seed, { type: "button" });
        dice.addEventListener("click", () => set("seed", String(1 + Math.floor(Math.random() * 9999))));
        row.append(dice);
      }
      return row;
    });
    const list = el("button", "tm-button", words.generator.write_out, { type: "button" });
    list.addEventListener("click", () => this.author.edit({ kind: "list" }));
    this.node.replaceChildren(el("p", "tm-quiet", words.generator.about), ...rows, list);
    if (focused) this.node.querySelector(`[data-control="${CSS.escape(focused)}"]`)?.focus();
  }
}
