// Four steps of the run on one sheet, to leave on the screen at the end of a lecture.
import { el, fill } from "../base/dom.ts";
import { fourSteps, sheetOf } from "../share/figure.ts";
import { fileName, save } from "../base/save.ts";
import type { Player } from "../player.ts";

/** Of one picture, so that four of them can be read from the last row. */
const ON_SCREEN = { wide: 760, high: 410 };

export class Montage {
  player: Player;
  node: HTMLElement;
  address: string | null = null;

  constructor(player: Player) {
    this.player = player;
    this.node = el("section", "tm-montage tm-paper", null, { "aria-label": player.words.lecture.montage });
    this.node.hidden = true;
  }

  get isOpen() {
    return !this.node.hidden;
  }

  toggle() {
    if (this.isOpen) this.close();
    else this.open();
  }

  async open() {
    const { player } = this;
    const { words } = player;
    player.transport.stop();
    this.node.hidden = false;
    player.lecture.cover();
    const said = el("p", "tm-montage-said", words.lecture.drawing, { role: "status" });
    fill(this.node, said);
    const steps = fourSteps(player);
    const blob = await sheetOf(player, steps, "png", ON_SCREEN).catch(() => null);
    if (!this.isOpen) return;
    if (!blob) {
      said.textContent = words.lecture.not_drawn;
      return;
    }
    this.address = URL.createObjectURL(blob);
    const alt = steps.map((step) => player.said(step).what).join(" ");
    const foot = el("div", "tm-montage-foot");
    foot.append(
      this.button(words.lecture.save, "", () =>
        save(blob, fileName(player.payload.name, `steps-${steps.join("-")}`, "png")),
      ),
      this.button(words.close, "E", () => this.close()),
    );
    fill(this.node, el("img", "", null, { src: this.address, alt }), foot);
  }

  button(text: string, cap: string, run: () => void) {
    const button = el("button", "tm-button", text, { type: "button" });
    if (cap) button.append(el("kbd", "", cap));
    button.addEventListener("click", run);
    return button;
  }

  close() {
    this.node.hidden = true;
    this.player.lecture.cover();
    fill(this.node);
    if (this.address) URL.revokeObjectURL(this.address);
    this.address = null;
  }
}
