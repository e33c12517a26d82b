// An interval join on one event-time axis: left records above, right records below, the matches, and how long each
// record is kept.
import { el, fill, svg } from "../base/dom.js";
import { say, textWidth } from "../base/format.js";
import { pairedId } from "../base/identity.js";
import { keyText } from "../base/reading.js";
import { valueInAddress } from "../frame/place.js";
import { legend } from "../frame/head.js";
import { BufferTables } from "./buffers.js";
import { layoutOf } from "./sides.js";

const CROSS_SIZE = 6;
// As large (px) as in css/8-joins.css; with what present mode adds it can be read from the last row.
const BAR_TEXT = 13;
const CENTRED = { "text-anchor": "middle" };

/** Draws over the plane, on its x scale; a switch shows the plane again. Nothing at all where no buffers are. */
export class JoinView {
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
    this.set(valueInAddress(player.payload.name, "picture") === "plane" ? "plane" : "join");
  }

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

  /** Where everything stands, once a part of the run and a size. */
  prepare(scale) {
    if (this.part === scale.part && this.width === scale.width) return;
    this.part = scale.part;
    this.width = scale.width;
    const { facts, times } = this.player;
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
    const { batches, picture } = this.player.words;
    this.barText = (row, names) =>
      row.kept_until === null
        ? say(batches.join.kept_for_ever, { name: names.get(row.item) })
        : say(picture.to, { name: names.get(row.item), time: times.exact(row.kept_until) });
    this.place = layoutOf({
      records,
      buffers: facts.all("buffers"),
      scale,
      height: this.size[1],
      textWide: (row, names) => textWidth(this.barText(row, names), BAR_TEXT) + 18,
    });
    this.itemOf = new Map(records.map((row) => [pairedId(row.input, row.key, row), row.item]));
  }

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
    const [line, pill] = this.watermark(step, scale, wide);
    // The watermark's line runs behind everything that is to be read; all words lie on top of all lines.
    this.told = [];
    root.append(
      ...this.ground(scale, wide),
      ...this.behind(step, scale),
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

  ground(scale, wide) {
    const { x_ticks: ticks, x_labels: labels } = scale.part.signals;
    const { top, bottom, lanes } = this.place;
    const nodes = [];
    const { words, payload } = this.player;
    ticks.forEach((tick, index) => {
      const x = scale.left + scale.px(tick);
      nodes.push(
        svg("path", { d: `M${x} ${top}V${bottom + 4}`, class: "tm-join-grid" }),
        svgText(labels[index], x, bottom + 18, "tm-join-tick", CENTRED),
      );
    });
    for (const side of ["left", "right"]) {
      nodes.push(
        svg("path", { d: `M${scale.left} ${lanes[side]}H${scale.left + scale.width}`, class: "tm-join-lane" }),
      );
      nodes.push(
        svgText(words.picture[side], scale.left - 12, lanes[side] + 5, "tm-join-side", { "text-anchor": "end" }),
      );
    }
    nodes.push(svgText(payload.signals.x_title, wide - 20, bottom + 36, "tm-join-tick", { "text-anchor": "end" }));
    return nodes;
  }

  behind(step, scale) {
    const value = this.player.facts.at("watermark", step)[0]?.value ?? null;
    if (value === null) return [];
    const { top, bottom } = this.place;
    return [
      svg("rect", { x: scale.left, y: top, width: scale.px(value), height: bottom - top, class: "tm-join-behind" }),
    ];
  }

  /** The vertical line, and its value, which stands above the picture: [shapes of the line, those of the value]. */
  watermark(step, scale, wide) {
    const { facts, words, times } = this.player;
    const value = facts.at("watermark", step)[0]?.value ?? null;
    const { top, bottom } = this.place;
    if (value === null) return [[], [svgText(words.no_watermark, scale.left, top - 14, "tm-join-none")]];
    const x = scale.left + scale.px(value);
    const outside = value < scale.part.signals.x0;
    const said =
      value >= 9.2e18
        ? words.watermark_end
        : say(outside ? words.watermark_outside : words.watermark_mark, { value: times.exact(value) });
    const half = textWidth(said, 14) / 2 + 12;
    const middle = Math.min(Math.max(x, half + 2), wide - half - 14);
    return [
      outside ? [] : [svg("path", { d: `M${x} ${top - 8}V${bottom}`, class: "tm-join-watermark" })],
      [
        svg("rect", { x: middle - half, y: top - 31, width: half * 2, height: 24, rx: 4, class: "tm-join-pill" }),
        svgText(said, middle, top - 14, "tm-join-pill-text", CENTRED),
      ],
    ];
  }

  /** Until when each record in the buffers is kept. */
  bars(step, scale) {
    const { place } = this;
    return this.player.facts
      .at("buffers", step)
      .filter((row) => place.at.has(row.item))
      .flatMap((row) => {
        const from = scale.left + scale.px(row.ts);
        // What is kept for ever reaches to the edge and has no end.
        const ends = row.kept_until !== null;
        const until = ends ? scale.left + scale.px(Math.max(row.kept_until, row.ts)) : scale.left + scale.width;
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

  /** What matches the arriving record on the other side, with both bounds. */
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
    const edge = (x, open) =>
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

  /** Whether two lines of text, `long` px, are to stand at the right of `x`: where fewer records are in their way. */
  freer(x, long, y, wide) {
    const inTheWay = (left) =>
      [...this.place.at.values()].filter(
        (spot) => spot.x > left - 14 && spot.x < left + long + 14 && Math.abs(spot.y - y) < 34,
      ).length;
    const right = x + 26 + long < wide - 12 ? inTheWay(x + 26) : Infinity;
    const left = x - 26 - long > 90 ? inTheWay(x - 26 - long) : Infinity;
    return right === Infinity && left === Infinity ? true : right <= left;
  }

  nameOf({ item, key }) {
    return `${keyText(key)} ${this.place.names.get(item)}`;
  }

  /** Lines from left to right records that were joined; of the item that is worked on strong ones. */
  matches(step) {
    const { facts } = this.player;
    const { item } = facts.at("steps", step)[0];
    return facts
      .at("outputs", step)
      .filter((fact) => fact.row.row === "joined")
      .map((fact) => {
        const [left, right] = ["left", "right"].map((side) =>
          this.place.at.get(this.itemOf.get(pairedId(side, fact.row.key, fact.row[side]))),
        );
        if (!left || !right) return "";
        return svg("path", {
          d: `M${left.x} ${left.y}L${right.x} ${right.y}`,
          class: `tm-join-match${fact.row.item === item || this.touched.has(fact.id) ? " tm-now" : ""}`,
          "data-id": fact.id,
        });
      })
      .filter(Boolean);
  }

  records(step) {
    const { place, radius, player } = this;
    return player.facts
      .at("records", step)
      .filter((row) => place.at.has(row.item) && !(player.plane.past && row.fate === "ahead"))
      .map((row) => {
        const { x, y, level } = place.at.get(row.item);
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
          crossed || radius <= 8 || keyText(row.key).length > 2 ? this.nameOf(row) : place.names.get(row.item);
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

function svgText(said, x, y, name, more = {}) {
  const node = svg("text", { x, y, class: name, ...more });
  node.textContent = said;
  return node;
}
