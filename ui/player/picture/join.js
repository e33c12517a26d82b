// An interval join on one event-time axis: left records above, right records below, the matches, and how long each
// record is kept.
import { el, fill, svg } from "../base/dom.js";
import { say, textWidth } from "../base/format.js";
import { pairedId } from "../base/identity.js";
import { keyText } from "../base/reading.js";
import { valueInAddress } from "../frame/place.js";
import { legend } from "../frame/head.js";
import { BufferTables } from "./buffers.js";
import { CENTRED, behindWatermark, joinGround, svgText, watermarkLine } from "./ground.js";
import { JOIN_SIDES, layoutOf } from "./sides.js";
/** @import { JoinSide, Part, PlainKey, RecordFact, ShownBuffer } from "../types/payload.d.ts" */
/** @import { Player } from "../player.js" */
/** @import { Row, Scale } from "../types/player.d.ts" */

/** @typedef {import("./ground.js").JoinPlace} JoinPlace */

const CROSS_SIZE = 6;
// As large (px) as in css/8-joins.css; with what present mode adds it can be read from the last row.
const BAR_TEXT = 13;

/** Draws over the plane, on its x scale; a switch shows the plane again. Nothing at all where no buffers are. */
export class JoinView {
  /** @param {Player} player */
  constructor(player) {
    this.player = player;
    this.there = "join" in player.payload.legend;
    this.inBatches = player.facts.all("batches").length > 0;
    this.node = el("div", "tm-join", null, { role: "img" });
    this.tables = new BufferTables(player);
    this.node.hidden = this.tables.node.hidden = !this.there;
    this.legends = ["plane", "join"].map((view) => legend(player, view in player.payload.legend ? view : "plane"));
    this.choice = el("div", "tm-segments tm-join-choice", null, {
      role: "group",
      "aria-label": player.words.picture.as,
    });
    this.choice.hidden = !this.there;
    this.buttons = ["join", "plane"].map((view) => {
      const button = el("button", "tm-segment tm-worded", player.words.picture[`view_${view}`], {
        type: "button",
        "data-picture": view,
        title: player.words.picture[`as_${view}`],
      });
      button.addEventListener("click", () => {
        this.set(view);
        player.paint();
        player.place.at(player.step);
      });
      this.choice.append(button);
      return button;
    });
    /** @type {[number, number] | null} the size (px) of the picture, once it is known */
    this.size = null;
    /** @type {Part | null} */
    this.part = null;
    this.width = 0;
    this.radius = 0;
    /** @type {Set<string>} */
    this.touched = new Set();
    /** @type {SVGElement[]} */
    this.told = [];
    /** @type {Map<string, number>} */
    this.itemOf = new Map();
    this.set(valueInAddress(player.payload.name, "picture") === "plane" ? "plane" : "join");
  }

  /** @param {string} view */
  set(view) {
    const { player } = this;
    this.on = this.there && view === "join";
    player.view.picture = this.there && !this.on ? "plane" : null;
    this.node.hidden = !this.on;
    player.canvas.classList.toggle("tm-covered", this.on);
    this.legends[0].hidden = this.on;
    this.legends[1].hidden = !this.on;
    for (const button of this.buttons) {
      button.setAttribute("aria-pressed", String((button.dataset.picture === "join") === this.on));
    }
  }

  layout() {
    if (!this.there) return;
    const { canvas, plane } = this.player;
    Object.assign(this.node.style, {
      left: `${canvas.offsetLeft}px`,
      top: `${canvas.offsetTop}px`,
      width: `${canvas.clientWidth}px`,
      height: `${canvas.clientHeight}px`,
    });
    this.size = [canvas.clientWidth / plane.big, canvas.clientHeight / plane.big];
    this.part = null;
  }

  /**
   * Where everything stands, once a part of the run and a size.
   * @param {Scale} scale
   */
  prepare(scale) {
    if (this.part === scale.part && this.width === scale.width) return;
    this.part = scale.part;
    this.width = scale.width;
    const { facts } = this.player;
    const order = [
      ...new Set(
        facts
          .all("records")
          .toSorted((a, b) => a.arrival - b.arrival)
          .map((row) => row.item),
      ),
    ];
    const shown = new Set(order.slice(scale.part.from_record, scale.part.until_record));
    const records = facts.all("records").filter((row) => shown.has(row.item));
    this.radius = shown.size > 120 ? 5 : shown.size > 40 ? 7 : 10;
    this.laid = this.layOut(records, scale);
    this.itemOf = new Map(records.map((row) => [pairedId(row.input, row.key, row), row.item]));
  }

  /** Where everything stands; `prepare` has found it. */
  get place() {
    return /** @type {JoinPlace} */ (this.laid);
  }

  /**
   * @param {RecordFact[]} records
   * @param {Scale} scale
   */
  layOut(records, scale) {
    return layoutOf({
      records,
      buffers: this.player.facts.all("buffers"),
      scale,
      height: this.size?.[1] ?? 0,
      textWide: (row, names) => textWidth(this.barText(row, names), BAR_TEXT) + 18,
    });
  }

  /**
   * Until when a record is kept, in words.
   * @param {ShownBuffer} row
   * @param {Map<number, string>} names
   */
  barText(row, names) {
    const { batches, picture } = this.player.words;
    const name = names.get(row.item);
    return row.kept_until === null
      ? say(batches.join.kept_for_ever, { name })
      : say(picture.to, { name, time: this.player.times.exact(row.kept_until) });
  }

  /** @param {number} step */
  show(step) {
    if (!this.there) return;
    this.tables.show(step);
    if (!this.on || !this.size) return;
    const { facts, plane } = this.player;
    const scale = plane.scale();
    if (!(scale.width > 0)) return;
    this.prepare(scale);
    const [wide, high] = this.size;
    const root = svg("svg", { viewBox: `0 0 ${wide} ${high}`, width: wide * plane.big, height: high * plane.big });
    this.touched = new Set(facts.at("steps", step)[0].touches);
    const [line, pill] = watermarkLine(this.player, this.place, step, scale, wide);
    // The watermark's line runs behind everything that is to be read; all words lie on top of all lines.
    this.told = [];
    root.append(
      ...joinGround(this.player, this.place, scale, wide),
      ...behindWatermark(this.player, this.place, step, scale),
      ...this.range(step, scale, wide),
      ...line,
      ...this.bars(step, scale),
      ...this.matches(step),
      ...this.records(step),
      ...this.told,
      ...pill,
    );
    fill(this.node, root);
    this.node.setAttribute("aria-label", this.player.said(step).what);
  }

  /**
   * Until when each record in the buffers is kept.
   * @param {number} step
   * @param {Scale} scale
   */
  bars(step, scale) {
    const { place } = this;
    return this.player.facts
      .at("buffers", step)
      .filter((row) => place.at.has(row.item))
      .flatMap((row) => {
        const from = scale.left + scale.px(row.ts);
        // What is kept for ever reaches to the edge and has no end.
        const ends = row.kept_until !== null;
        const until =
          row.kept_until === null ? scale.left + scale.width : scale.left + scale.px(Math.max(row.kept_until, row.ts));
        const y = place.bar(row.side, row.item);
        const group = svg("g", {
          "data-id": row.id,
          class: `tm-join-bar${this.touched.has(row.id) ? " tm-touched" : ""}`,
        });
        group.append(
          svg("path", { d: `M${from} ${y}H${until}`, class: "tm-join-kept" }),
          ends ? svg("path", { d: `M${until} ${y - 5}v10`, class: "tm-join-stop" }) : "",
        );
        const said = this.barText(row, place.names);
        const fits = until + 8 + textWidth(said, BAR_TEXT) < scale.left + scale.width + 18;
        if (place.rowHigh[row.side] >= 12) {
          this.told.push(
            fits
              ? svgText(said, until + 6, y + 4.5, "tm-join-bar-text")
              : svgText(said, from - 6, y + 4.5, "tm-join-bar-text", { "text-anchor": "end" }),
          );
        }
        return [group];
      });
  }

  /**
   * What matches the arriving record on the other side, with both bounds.
   * @param {number} step
   * @param {Scale} scale
   * @param {number} wide
   */
  range(step, scale, wide) {
    const { facts, words, times } = this.player;
    const row = facts.at("ranges", step)[0];
    const from = row && this.place.at.get(row.item);
    if (!from) return [];
    const other = row.side === "left" ? "right" : "left";
    const y = this.place.lanes[other];
    const low = scale.left + scale.px(row.low);
    const high = Math.max(scale.left + scale.px(row.high), low + 3);
    const down = row.side === "left";
    const [near, far] = down ? [y - 34, y + 32] : [y + 34, y - 32];
    const edge = (/** @type {number} */ x, /** @type {boolean} */ open) =>
      svg("path", { d: `M${x} ${near}V${far}`, class: `tm-join-edge${open ? " tm-open" : ""}` });
    const bounds = this.player.times.range(row);
    const lines = [
      say(this.inBatches ? words.batches.join.looked_at : words.picture.just_arrived, {
        name: this.nameOf(row),
        time: times.short(row.ts),
      }),
      say(words.picture[`match_${other}`], { key: keyText(row.key), range: bounds }),
    ];
    const long = 0.88 * Math.max(textWidth(lines[0]), textWidth(lines[1]));
    const middle = (this.place.lanes.left + this.place.lanes.right) / 2 + (down ? -14 : 6);
    const toRight = this.freer(from.x, long, middle + 9, wide);
    const say1 = { "text-anchor": toRight ? "start" : "end" };
    // On a phone neither side has room for them: they end where the picture does.
    const x = toRight ? Math.max(Math.min(from.x + 26, wide - 6 - long), 6) : from.x - 26;
    const foot = far + (down ? 15 : -6);
    const besideLow = { "text-anchor": high - low < 60 ? "end" : "middle" };
    const besideHigh = { "text-anchor": high - low < 60 ? "start" : "middle" };
    this.told.push(
      svgText(lines[0], x, middle, "tm-join-said tm-strong", say1),
      svgText(lines[1], x, middle + 18, "tm-join-said", say1),
      svgText(times.bound(row.low), low, foot, "tm-join-bound", besideLow),
      svgText(times.bound(row.high), high, foot, "tm-join-bound", besideHigh),
    );
    return [
      svg("path", { d: `M${from.x} ${from.y}L${low} ${near}H${high}Z`, class: "tm-join-cone" }),
      svg("rect", {
        x: low,
        y: Math.min(near, far),
        width: high - low,
        height: 66,
        class: "tm-join-range",
        "data-range": `${row.low} ${row.high}`,
      }),
      svg("path", { d: `M${low} ${near}H${high}M${low} ${far}H${high}`, class: "tm-join-edge" }),
      edge(low, row.low_open),
      edge(high, row.high_open),
    ];
  }

  /**
   * Whether two lines of text, `long` px, are to stand at the right of `x`: where fewer records are in their way.
   * @param {number} x
   * @param {number} long
   * @param {number} y
   * @param {number} wide
   */
  freer(x, long, y, wide) {
    const inTheWay = (/** @type {number} */ left) =>
      [...this.place.at.values()].filter(
        (spot) => spot.x > left - 14 && spot.x < left + long + 14 && Math.abs(spot.y - y) < 34,
      ).length;
    const right = x + 26 + long < wide - 12 ? inTheWay(x + 26) : Infinity;
    const left = x - 26 - long > 90 ? inTheWay(x - 26 - long) : Infinity;
    return right === Infinity && left === Infinity ? true : right <= left;
  }

  /** @param {{ item: number, key: PlainKey }} record */
  nameOf({ item, key }) {
    return `${keyText(key)} ${this.place.names.get(item)}`;
  }

  /**
   * Lines from left to right records that were joined; of the item that is worked on strong ones.
   * @param {number} step
   */
  matches(step) {
    const { facts } = this.player;
    const { item } = facts.at("steps", step)[0];
    return facts
      .at("outputs", step)
      .filter((fact) => fact.row.row === "joined")
      .map((fact) => {
        const [left, right] = JOIN_SIDES.map((side) => this.spotOf(side, fact.row));
        if (!left || !right) return null;
        return svg("path", {
          d: `M${left.x} ${left.y}L${right.x} ${right.y}`,
          class: `tm-join-match${fact.row.item === item || this.touched.has(fact.id) ? " tm-now" : ""}`,
          "data-id": fact.id,
        });
      })
      .filter((line) => line !== null);
  }

  /**
   * Where the record of one side of a joined row stands.
   * @param {JoinSide} side
   * @param {Row} row
   */
  spotOf(side, row) {
    const record = row[side];
    if (!record || Array.isArray(record)) return undefined;
    const item = this.itemOf.get(pairedId(side, row.key, record));
    return item === undefined ? undefined : this.place.at.get(item);
  }

  /** @param {number} step */
  records(step) {
    const { place, radius, player } = this;
    return player.facts
      .at("records", step)
      .filter((row) => !(player.plane.past && row.fate === "ahead"))
      .flatMap((row) => {
        const spot = place.at.get(row.item);
        if (!spot) return [];
        const { x, y, level } = spot;
        const group = svg("g", {
          "data-id": row.id,
          "data-fate": row.fate,
          class: `tm-join-record tm-fate-${row.fate}`,
        });
        if (this.touched.has(row.id)) {
          group.append(svg("circle", { cx: x, cy: y, r: radius + 6, class: "tm-join-ring" }));
        }
        if (row.fate === "dropped" || row.fate === "side") {
          if (row.fate === "side") {
            group.append(
              svg("rect", {
                x: x - radius,
                y: y - radius,
                width: 2 * radius,
                height: 2 * radius,
                class: "tm-join-boxed",
              }),
            );
          }
          const c = Math.min(CROSS_SIZE, radius - 1);
          group.append(
            svg("path", {
              d: `M${x - c} ${y - c}l${2 * c} ${2 * c}M${x + c} ${y - c}l${-2 * c} ${2 * c}`,
              class: "tm-join-cross",
            }),
          );
        } else {
          group.append(svg("circle", { cx: x, cy: y, r: radius, class: "tm-join-dot" }));
          if (radius > 8 && keyText(row.key).length <= 2) {
            group.append(svgText(keyText(row.key), x, y + 4.5, "tm-join-letter", CENTRED));
          }
        }
        const crossed = row.fate === "dropped" || row.fate === "side";
        const name =
          crossed || radius <= 8 || keyText(row.key).length > 2 ? this.nameOf(row) : (place.names.get(row.item) ?? "");
        // Where records of one time stand over one another, the name of an inner one is beside it.
        if (radius > 5 && level) {
          group.append(svgText(name, x - radius - 4, y + 5, "tm-join-name", { "text-anchor": "end" }));
        } else if (radius > 5) {
          group.append(
            svgText(name, x, row.input === "left" ? y - radius - 9 : y + radius + 18, "tm-join-name", CENTRED),
          );
        }
        return group;
      });
  }
}
