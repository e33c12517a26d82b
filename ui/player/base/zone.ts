// The clock of a session time zone during a run: where windows, which are in local time, lie among instants. The rule
// for windows is that of simulator/engine/values/zone.py.

export class ZoneClocks {
  clocks: [number, number, string][];

  /** @param clocks [from this instant on, UTC plus so many ms, what that is called] */
  constructor(clocks: [number, number, string][]) {
    this.clocks = clocks;
  }

  /**
   * The instants between which a window lies. A local time that comes twice is the earlier instant at its start and the
   * later one at its end; one that is skipped is later by what was skipped.
   */
  span({ start, end }: { start: number | null; end: number | null }): { start: number | null; end: number | null } {
    if (!this.clocks.length || start === null || end === null) return { start, end };
    return { start: this.instants(start)[0], end: (this.instants(end - 1).at(-1) as number) + 1 };
  }

  /** The instants, ascending, at which the clock shows a local time. */
  instants(local: number) {
    const found = this.clocks.flatMap(([since, offset], index) => {
      const [ms, until] = [local - offset, this.clocks[index + 1]?.[0] ?? Infinity];
      return (index === 0 || ms >= since) && ms < until ? [ms] : [];
    });
    if (found.length) return found;
    const next = this.clocks.findIndex(([since, offset]) => local - offset < since);
    return [local - this.clocks[Math.max(next - 1, 0)][1]];
  }

  /** What the zone's time is called at an instant, `PDT`; "" where the clock is not changed. */
  nameAt(ms: number) {
    if (this.clocks.length < 2) return "";
    return (this.clocks.findLast(([since]) => ms >= since) ?? this.clocks[0])[2];
  }
}
