// Two runs under one cursor: mounts the comparison and moves both sides through the same moments.
import { el, fill, nearest } from "../player/base/dom.js";
import { Times, say } from "../player/base/format.js";
import { icon } from "../player/base/icons.js";
import { Side, keepSame } from "./side.js";
import { Results } from "./results.js";
import { Tools } from "./tools.js";
import { CursorBar } from "./cursor.js";
/** @import { Mounting } from "../player/types/player.d.ts" */
/** @import { Address, CompareData, Compared, KeptPlace, Question, Result } from "./types.d.ts" */

/**
 * A comparison on the page: the bytes that it was made from, and the number of its last mounting.
 *
 * @typedef {object} Mounted
 * @property {HTMLElement} host
 * @property {Uint8Array | null} bytes
 * @property {KeptPlace} kept
 * @property {Comparison | null} view
 * @property {number} turn
 */

/** @type {WeakMap<HTMLElement, Mounted>} */
const COMPARISONS = new WeakMap();

/** @implements {Compared} */
class Comparison {
  /**
   * `choose` asks for another address, `ask` for a computation; both go to the server.
   * @param {HTMLElement} host
   * @param {CompareData} data
   * @param {KeptPlace} kept
   * @param {Pick<Compared, "choose" | "ask">} server
   */
  constructor(host, data, kept, { choose, ask }) {
    this.data = data;
    this.choose = choose;
    this.ask = ask;
    this.words = data.words;
    this.cursor = data.cursor;
    this.kept = kept;
    this.times = new Times(data.style, data.sides[0].plane.words);
    this.last = this.cursor.length - 1;
    this.place = Math.min(this.placeInAddress() ?? kept.place ?? this.last, this.last);
    this.overlay = Boolean(kept.overlay) && data.sides.every((side) => side.plane);
    this.closed = false;
    /** @type {number | undefined} */
    this.writing = undefined;
    this.scheme = window.matchMedia("(prefers-color-scheme: dark)");
    this.onScheme = () => {
      this.sides.forEach((side) => side.colour());
      this.paint();
    };
    this.onKey = (/** @type {KeyboardEvent} */ event) => this.key(event);
    this.root = el("div", "tidemark-player tidemark-compare", null, { "data-ready": "false" });
    this.views = [this.viewButton("side_by_side", false), this.viewButton("overlay", true)];
    this.lead = el("p", "tm-compare-lead", null, { "aria-live": "polite" });
    this.sides = data.sides.map((side, index) => new Side(this, side, index));
    this.results = new Results(this);
    this.tools = new Tools(this, [this.results]);
    this.bar = new CursorBar(this);
    this.planes = el("div", "tm-compare-planes");
    this.planes.append(...this.sides.map((side) => side.node));
    this.root.append(this.head(), this.choices(), this.planes, this.tools.node, this.bar.node);
    fill(host, this.root);
  }

  /**
   * @param {"side_by_side" | "overlay"} name
   * @param {boolean} overlay
   */
  viewButton(name, overlay) {
    const button = el("button", "tm-button tm-plain tm-compare-view", this.words[name], {
      type: "button",
      "aria-pressed": String(overlay === this.overlay),
    });
    button.addEventListener("click", () => this.lay(overlay));
    return button;
  }

  head() {
    const { words, data } = this;
    const row = el("header", "tm-title-row");
    const copy = el("button", "tm-button tm-plain", null, { type: "button" });
    const label = el("span", "tm-label", words.copy_link);
    copy.append(icon("link"), label);
    copy.addEventListener("click", async () => {
      // eslint-disable-next-line no-alert -- where the clipboard is forbidden, a prompt lets the reader copy by hand
      await navigator.clipboard.writeText(this.link()).catch(() => window.prompt(words.copy_link, this.link()));
      label.textContent = words.copied;
      setTimeout(() => {
        label.textContent = words.copy_link;
      }, 2500);
    });
    const canLay = data.sides.every((side) => side.plane);
    row.append(
      el("h1", "tm-compare-title", data.title),
      this.about(),
      el("span", "tm-spring"),
      ...(canLay ? this.views : []),
      copy,
    );
    return row;
  }

  /** What is compared; where the address asks for what cannot be had, that. */
  about() {
    const { words, data } = this;
    if (!data.refused.length) return el("span", "tm-about", data.about);
    const text = `${data.refused.join(" ")} ${words.refused.left_out}`;
    return el("span", "tm-about tm-compare-refused", text, { role: "alert", title: text });
  }

  /** Which scenario, and what stands on the other side; what differs up to the cursor, in words. */
  choices() {
    const { words, data } = this;
    const row = el("div", "tm-compare-choices");
    /**
     * @param {string} name
     * @param {[string, [string, string][]][]} groups titles with values and their texts
     * @param {string} value
     * @param {(value: string) => void} pick
     */
    const list = (name, groups, value, pick) => {
      const label = el("label", "tm-compare-choice", name);
      const select = el("select");
      for (const [title, options] of groups) {
        const parent = title ? el("optgroup", "", null, { label: title }) : select;
        for (const [key, text] of options) parent.append(el("option", "", text, { value: key }));
        if (title) select.append(parent);
      }
      select.value = value;
      select.addEventListener("change", () => pick(select.value));
      label.append(select);
      return label;
    };
    /** @type {[string, string][]} */
    const scenarios = data.scenarios.map(({ name, title }) => [name, title]);
    const sizes = [...new Set([1, 3, 5, data.spark ?? 3])].sort((one, other) => one - other);
    /** @type {[string, [string, string][]][]} */
    const others = [
      ["", [["settings", words.against_settings]]],
      [words.against_spark_group, sizes.map((size) => [`spark ${size}`, say(words.against_spark, { size })])],
      [words.against_belief, data.beliefs.map(({ name, claim }) => [`belief ${name}`, claim])],
      [
        words.against_scenario,
        scenarios.filter(([name]) => name !== data.name).map(([name, title]) => [`with ${name}`, title]),
      ],
    ];
    const now = data.spark
      ? `spark ${data.spark}`
      : data.belief
        ? `belief ${data.belief}`
        : data.other
          ? `with ${data.other}`
          : "settings";
    row.append(
      list(words.scenario, [["", scenarios]], data.name, (name) =>
        this.choose({ scenario: name, ...this.otherSide() }),
      ),
      list(words.against, others, now, (value) => {
        const [kind, name] = value.split(" ");
        this.choose({ scenario: data.name, ...(kind === "settings" ? {} : { [kind]: name }) });
      }),
    );
    row.append(this.lead);
    return row;
  }

  otherSide() {
    const { address } = this.data;
    return Object.fromEntries(["belief", "spark"].filter((name) => address[name]).map((name) => [name, address[name]]));
  }

  /**
   * Compares with another number on one side.
   * @param {string} side
   * @param {string} name
   * @param {number | string} value
   */
  set(side, name, value) {
    this.choose({ ...this.data.address, [`${side}.${name}`]: String(value) });
  }

  async start() {
    window.addEventListener("keydown", this.onKey);
    await Promise.all(this.sides.map((side) => side.open()));
    if (this.closed) return;
    this.resizing = new ResizeObserver(() => this.layout());
    this.resizing.observe(this.planes);
    this.scheme.addEventListener("change", this.onScheme);
    this.lay(this.overlay);
    await this.paint();
    this.tools.reveal(this.kept.asked);
    this.kept.asked = null;
    this.root.dataset.ready = "true";
  }

  /**
   * Side by side, or one over the other with only what differs.
   * @param {boolean} overlay
   */
  lay(overlay) {
    this.overlay = overlay;
    this.kept.overlay = overlay;
    this.planes.dataset.overlay = String(overlay);
    this.views.forEach((button, index) => button.setAttribute("aria-pressed", String(Boolean(index) === overlay)));
    this.layout();
  }

  layout() {
    this.sides.forEach((side) => side.layout());
    this.bar.layout();
    this.paint();
  }

  /** @param {number} place */
  go(place) {
    const wanted = Math.min(Math.max(place, 0), this.last);
    if (wanted === this.place) return;
    this.place = wanted;
    this.kept.place = wanted;
    this.paint();
    clearTimeout(this.writing);
    this.writing = setTimeout(() => {
      const address = new URL(window.location.href);
      address.searchParams.set("moment", String(this.cursor[this.place].moment));
      window.history.replaceState(window.history.state, "", address);
    }, 250);
  }

  /** The next place at which a result differs; null if there is none. */
  nextDifference() {
    const here = this.cursor[this.place].moment;
    const moments = this.data.rows
      .filter((row) => row.kind !== "same")
      .flatMap((row) => [row.left, row.right])
      .flatMap((each) => (each && each.moment > here ? [each.moment] : []));
    if (!moments.length) return null;
    return this.cursor.findIndex((each) => each.moment === Math.min(...moments));
  }

  paint() {
    if (this.closed) return Promise.resolve();
    const here = this.cursor[this.place];
    this.root.dataset.moment = String(here.moment);
    const drawn = this.sides.map((side, index) => side.show(here.steps[index]));
    if (this.overlay) keepSame(this.sides);
    this.results.show(here.moment);
    this.bar.show();
    fill(this.lead, ...this.leadParts(here.moment));
    return Promise.all(drawn);
  }

  /** @param {number} moment */
  leadParts(moment) {
    const { words, data } = this;
    const seen = (/** @type {Result | null} */ each) => each !== null && each.moment <= moment;
    const counts = { a: 0, b: 0, value: 0, time: 0 };
    for (const row of data.rows.filter(({ kind }) => kind !== "same")) {
      if (seen(row.left) && seen(row.right)) {
        if (row.kind === "value" || row.kind === "time") counts[row.kind] += 1;
      } else if (seen(row.left)) {
        counts.a += 1;
      } else if (seen(row.right)) {
        counts.b += 1;
      }
    }
    const count = counts.a + counts.b + counts.value + counts.time;
    const total = data.differing;
    const atEnd = this.place >= this.last;
    const head = !total
      ? words.no_differences
      : atEnd
        ? data.headline
        : count
          ? say(words.up_to_here, { count, total })
          : say(words.up_to_here_none, { total });
    /** @type {[number, string][]} */
    const counted = [
      [counts.a, words.only_a],
      [counts.b, words.only_b],
      [counts.value, words.other_value],
      [counts.time, words.other_time],
    ];
    const parts = counted
      .filter(([number]) => number && !atEnd)
      .map(([number, text]) => ` · ${say(text, { count: number })}`);
    if (!total) {
      parts.push(` · ${data.sides[1].settings.length ? words.no_differences_try : words.no_differences_choose}`);
    }
    if (!data.belief) return [el("b", "", head), parts.join("")];
    const first = this.cursor.find((each) => each.moment === data.parting);
    const verdict = first ? say(words.goes_wrong, { record: first.item }) : words.never_wrong;
    return [el("b", "", verdict), ` · ${head}`, parts.join("")];
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    if (nearest(event, "select, input, textarea")) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    /** @type {{ [key: string]: (() => void) | undefined }} */
    const acts = {
      ArrowRight: () => this.go(this.place + 1),
      ArrowLeft: () => this.go(this.place - 1),
      Home: () => this.go(0),
      End: () => this.go(this.last),
      " ": () => this.bar.toggle(),
      d: () => this.go(this.nextDifference() ?? this.place),
      D: () => this.go(this.nextDifference() ?? this.place),
    };
    const act = acts[event.key];
    if (!act || (event.key === " " && nearest(event, "button"))) return;
    event.preventDefault();
    act();
  }

  placeInAddress() {
    const moment = new URL(window.location.href).searchParams.get("moment");
    if (moment === null || !/^-?\d{1,9}$/.test(moment)) return null;
    const place = this.cursor.findIndex((each) => each.moment >= Number(moment));
    return place < 0 ? null : place;
  }

  link() {
    const address = new URL(window.location.href);
    address.search = new URLSearchParams({
      ...this.data.address,
      moment: String(this.cursor[this.place].moment),
    }).toString();
    return address.href;
  }

  close() {
    this.closed = true;
    this.bar.stop();
    clearTimeout(this.writing);
    window.removeEventListener("keydown", this.onKey);
    this.resizing?.disconnect();
    this.scheme.removeEventListener("change", this.onScheme);
    this.sides.forEach((side) => side.close());
    this.tools.close();
  }
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<CompareData>}
 */
async function opened(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/**
 * Streamlit calls this at each run of the page; other bytes mount the comparison again, at the place where it stood.
 * @param {Mounting<Uint8Array<ArrayBuffer> | null>} mounting
 */
export default function mount({ data, parentElement, setTriggerValue }) {
  /** @type {Mounted} */
  const here = COMPARISONS.get(parentElement) ?? {
    host: el("div", "tm-host"),
    bytes: null,
    kept: {},
    view: null,
    turn: 0,
  };
  COMPARISONS.set(parentElement, here);
  if (!here.host.isConnected) parentElement.append(here.host);
  const known =
    here.bytes && data && here.bytes.length === data.length && here.bytes.every((byte, index) => byte === data[index]);
  if (data && !known) {
    here.bytes = data;
    const turn = (here.turn += 1);
    opened(data).then((contents) => {
      if (turn !== here.turn) return;
      here.view?.close();
      const choose = (/** @type {Address} */ address) => setTriggerValue("choose", address);
      const ask = (/** @type {Question} */ question) => {
        here.kept.asked = question.what;
        setTriggerValue("ask", question);
      };
      here.view = new Comparison(here.host, contents, here.kept, { choose, ask });
      here.view.start();
    });
  }
  return () => {
    here.turn += 1;
    here.view?.close();
    COMPARISONS.delete(parentElement);
  };
}
