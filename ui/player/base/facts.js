// Facts by step: row r is true at step n when r.from_step <= n and (r.until_step is null or n < r.until_step).

const BLOCK = 64;

/** One table of facts in order of `from_step`, with the rows alive at every 64th step kept, so that a look-up is short. */
export class Table {
  constructor(rows) {
    this.rows = rows;
    this.blocks = [];
    this.step = -1;
    this.visible = [];
    let alive = [];
    let next = 0;
    const last = rows.length ? rows[rows.length - 1].from_step : 0;
    for (let start = 0; start <= last; start += BLOCK) {
      alive = alive.filter((row) => row.until_step === null || row.until_step > start);
      const first = next;
      while (next < rows.length && rows[next].from_step < start + BLOCK) next += 1;
      this.blocks.push({ alive, first, end: next });
      alive = alive.concat(rows.slice(first, next));
    }
  }

  /** The rows that are true at `step`, in order of `from_step`. */
  at(step) {
    if (step === this.step) return this.visible;
    this.step = step;
    const block = this.blocks[Math.min(Math.floor(step / BLOCK), this.blocks.length - 1)];
    if (!block) return (this.visible = []);
    const living = (row) => row.from_step <= step && (row.until_step === null || step < row.until_step);
    const found = block.alive.filter(living);
    for (let i = block.first; i < block.end; i += 1) if (living(this.rows[i])) found.push(this.rows[i]);
    return (this.visible = found);
  }
}

/** All tables of a scenario. */
export class Facts {
  constructor(tables) {
    this.tables = Object.fromEntries(Object.entries(tables).map(([name, rows]) => [name, new Table(rows)]));
    this.empty = new Table([]);
  }

  at(name, step) {
    return (this.tables[name] ?? this.empty).at(step);
  }

  /** Every row that the table ever has. */
  all(name) {
    return (this.tables[name] ?? this.empty).rows;
  }
}
