// Equity of a live bot over time: points for the chart, and the equity at the start of the day.

import type { Engine } from '../../../engine/engine.ts';

const MAX_POINTS = 1000;
const DAY_MS = 86_400_000;

export class EquityBook {
  readonly #engine: Engine;
  /** Minimum distance of points, ms. Doubles when there are too many points. */
  #gapMs = 0;
  #points: (readonly [timeMs: number, units: number])[] = [];
  #day = NaN;
  #dayTotal: number;
  #dayUnits: readonly number[];
  /** By strategy, at the start of the ledger. */
  readonly startUnits: readonly number[];

  constructor(engine: Engine, startUnits: readonly number[]) {
    this.#engine = engine;
    this.startUnits = startUnits;
    this.#dayUnits = this.units();
    this.#dayTotal = this.total();
  }

  /** Current equity by strategy. */
  units(): readonly number[] {
    return this.#engine.runs.map((_, strategy) => this.#engine.equityUnits(strategy));
  }
  total(): number {
    return this.#engine.ledger.equityTotalUnits(this.#engine.marks());
  }
  /** Change since 00:00 UTC. */
  today(): { readonly total: number; readonly units: readonly number[] } {
    const units = this.units();
    return { total: this.total() - this.#dayTotal, units: units.map((now, at) => now - this.#dayUnits[at]!) };
  }
  get points(): readonly (readonly [timeMs: number, units: number])[] {
    return this.#points;
  }

  /** Adds the equity at the end of an instant. */
  note(timeMs: number): void {
    const total = this.total();
    const day = Math.floor(timeMs / DAY_MS);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayTotal = total;
      this.#dayUnits = this.units();
    }
    const before = this.#points.at(-2);
    // The newest point always stays. A point that is too close to the one before is replaced by the next one.
    if (before && timeMs - before[0] < this.#gapMs) this.#points.pop();
    this.#points.push([timeMs, total]);
    if (this.#points.length <= MAX_POINTS) return;
    this.#points = this.#points.filter((_, at) => at % 2 === 0 || at === this.#points.length - 1);
    this.#gapMs = (2 * (timeMs - this.#points[0]![0])) / MAX_POINTS;
  }
}
