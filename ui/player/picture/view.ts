// The orientation of the plane: arrival downward, as one reads, or upward, as in Akidau's figures; the order of
// processing as numbers on the records; and which part of a long run it shows.
import { el, svg } from "../base/dom.ts";
import { say } from "../base/format.ts";
import { keepText, keptChoice } from "../base/kept.ts";
import { valueInAddress } from "../frame/place.ts";
import type { Part } from "#types/payload";
import type { Player } from "../player.ts";

const WAY_KEPT = "tidemark.view";

/** The switch at the end of the legend. The browser remembers the choice, and a link carries it (`view=up`). */
export class PlaneView {
  player: Player;
  node = el("div", "tm-view");
  note = el("div", "tm-part");
  group: HTMLDivElement;
  buttons: HTMLButtonElement[];
  numbered: HTMLButtonElement;
  way = "down";
  part: Part | null = null;

  constructor(player: Player) {
    this.player = player;
    const { scale } = player.words;
    this.group = el("div", "tm-segments", null, { role: "group", "aria-label": scale.orientation });
    this.buttons = ["down", "up"].map((way) => {
      const button = el("button", "tm-segment", null, {
        type: "button",
        "data-view": way,
        title: `${scale[way]} (Y)`,
        "aria-label": scale[way],
      });
      button.append(axesIcon(way));
      button.addEventListener("click", () => this.choose(way));
      this.group.append(button);
      return button;
    });
    this.numbered = el("button", "tm-segment tm-numbered", "1·2·3", {
      type: "button",
      title: `${scale.numbers} (R)`,
      "aria-label": scale.numbers,
    });
    this.numbered.addEventListener("click", () => this.number());
    this.group.append(this.numbered);
    this.node.append(this.group);
    this.set(valueInAddress(player.payload.name, "view") ?? keptChoice(WAY_KEPT, ["down", "up"]));
    this.setNumbers(valueInAddress(player.payload.name, "order") === "processing");
  }

  /** Takes a way, `up` or anything else for down, without drawing. */
  set(way: string | null) {
    this.way = way === "up" ? "up" : "down";
    this.player.view.view = this.way === "up" ? "up" : null;
    this.player.plane.up = this.way === "up";
    for (const button of this.buttons) button.setAttribute("aria-pressed", String(button.dataset.view === this.way));
  }

  /** Shows the plane this way from now on. */
  choose(way: string) {
    this.set(way);
    keepText(WAY_KEPT, this.way);
    this.player.paint();
    this.player.place.at(this.player.step);
  }

  /** Whether records carry the number of their processing, without drawing. A link says it too (`order=processing`). */
  setNumbers(on: boolean) {
    const { facts, plane, view } = this.player;
    plane.numbers = on ? new Map(facts.all("records").map((row) => [row.id, String(row.item)])) : null;
    view.order = on ? "processing" : null;
    this.numbered.setAttribute("aria-pressed", String(on));
  }

  /** Shows the numbers, or the keys again. */
  number() {
    this.setNumbers(this.player.plane.numbers === null);
    this.player.paint();
    this.player.place.at(this.player.step);
  }

  turn() {
    this.choose(this.way === "up" ? "down" : "up");
  }

  show() {
    const { payload, plane, words } = this.player;
    if (this.part === plane.part || payload.parts.length === 1) return;
    this.part = plane.part;
    if (!this.note.isConnected) this.player.canvas.append(this.note);
    const number = (value: number) => value.toLocaleString("en");
    this.note.textContent = say(words.scale.part, {
      number: payload.parts.indexOf(plane.part) + 1,
      count: payload.parts.length,
      from: number(plane.part.from_record + 1),
      until: number(plane.part.until_record),
    });
  }
}

/** Two axes as an icon: event time to the right, arrival down or up. */
function axesIcon(way: string) {
  const root = svg("svg", { viewBox: "0 0 16 16", class: "tm-icon", "aria-hidden": "true" });
  const paths =
    way === "up"
      ? "M3 13h10M10.5 10.500L13 13l-2.500 2.500M3 13V2.500M.8 5L3 2.500 5.200 5"
      : "M3 3h10M10.5 .800L13 3l-2.500 2.500M3 3v10.500M.8 11L3 13.500 5.200 11";
  root.append(
    svg("path", {
      d: paths,
      fill: "none",
      stroke: "currentColor",
      "stroke-width": "1.500",
      "stroke-linecap": "round",
      "stroke-linejoin": "round",
    }),
  );
  return root;
}
