// The code walk: which line runs at a step, which ran before it, with which values.
/** @import { CodeLine, Payload, RanLine } from "../types/player.d.ts" */
/** @import { Facts } from "./facts.js" */
/** @import { Telling } from "./telling.js" */

/** The listings of a scenario, numbered from the first line to the last, and where each step stands in them. */
export class CodeWalk {
  /**
   * @param {Payload} payload
   * @param {Facts} facts
   * @param {Telling} telling
   */
  constructor(payload, facts, telling) {
    this.telling = telling;
    this.steps = facts.table("steps");
    /** @type {Map<string, CodeLine>} */
    this.places = new Map();
    this.lines = 0;
    this.parts = payload.code.map(({ name, methods }) => ({
      name,
      methods: methods.map(({ flink, lines }) => ({
        flink,
        numbered: lines.map((line) => this.numbered(line, flink)),
      })),
    }));
  }

  /**
   * A line with its number, counted through all listings. Its place is found by its id.
   * @param {[string | null, string]} line
   * @param {string} flink
   */
  numbered([id, text], flink) {
    this.lines += 1;
    const line = { id, text, number: this.lines, flink };
    if (id && !this.places.has(id)) this.places.set(id, line);
    return line;
  }

  /**
   * The line of an id.
   * @param {string} id
   * @returns {CodeLine}
   */
  place(id) {
    return /** @type {CodeLine} */ (this.places.get(id));
  }

  /**
   * The lines that ran at `step`, in order; the last one is where it stands.
   * @param {number} step
   * @returns {RanLine[]}
   */
  at(step) {
    const ids = this.steps.value("lines", step) ?? [];
    const live = this.telling.live(step);
    return ids.map((id, index) => ({
      line: this.place(id),
      live: live[index],
      step,
    }));
  }

  /**
   * The last `most` lines that ran up to `step` within its stream item, this step's own last.
   * @param {number} step
   * @param {number} most
   */
  upTo(step, most) {
    const item = this.steps.value("item", step);
    /** @type {RanLine[]} */
    const found = [];
    for (let each = step; each >= 0 && found.length < most && this.steps.value("item", each) === item; each -= 1) {
      found.unshift(...this.at(each));
    }
    return found.slice(-most);
  }

  /**
   * Everything that ran in this item up to `step`, each line with its last values, by line number.
   * @param {number} step
   */
  ran(step) {
    return new Map(this.upTo(step, Infinity).map((each) => [each.line.number, each]));
  }

  /**
   * Flink's class and method of the line at which `step` stands, or "".
   * @param {number} step
   */
  flink(step) {
    return this.at(step).at(-1)?.line.flink ?? "";
  }
}
