// The code walk: which line runs at a step, which ran before it, with which values.

/** The listings of a scenario, numbered from the first line to the last, and where each step stands in them. */
export class CodeWalk {
  constructor(payload, facts, telling) {
    this.telling = telling;
    this.steps = facts.table("steps");
    this.parts = payload.code;
    this.places = new Map();
    this.lines = 0;
    for (const part of this.parts) {
      for (const method of part.methods) {
        method.numbered = method.lines.map((line) => this.numbered(line, method.flink));
      }
    }
  }

  /** A line with its number, counted through all listings. Its place is found by its id. */
  numbered([id, text], flink) {
    this.lines += 1;
    const line = { id, text, number: this.lines, flink };
    if (id && !this.places.has(id)) this.places.set(id, line);
    return line;
  }

  /** The line of an id. */
  place(id) {
    return this.places.get(id);
  }

  /** The lines that ran at `step`, in order: {line, live}; the last one is where it stands. */
  at(step) {
    const ids = this.steps.value("lines", step) ?? [];
    const live = this.telling.live(step);
    return ids.map((id, index) => ({
      line: this.place(id),
      live: live[index],
      step,
    }));
  }

  /** The last `most` lines that ran up to `step` within its stream item, this step's own last. */
  upTo(step, most) {
    const item = this.steps.value("item", step);
    const found = [];
    for (let each = step; each >= 0 && found.length < most && this.steps.value("item", each) === item; each -= 1) {
      found.unshift(...this.at(each));
    }
    return found.slice(-most);
  }

  /** Everything that ran in this item up to `step`, each line with its last values, by line number. */
  ran(step) {
    return new Map(this.upTo(step, Infinity).map((each) => [each.line.number, each]));
  }

  /** Flink's class and method of the line at which `step` stands, or "". */
  flink(step) {
    return this.at(step).at(-1)?.line.flink ?? "";
  }
}
