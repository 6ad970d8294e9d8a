// Equity of a live bot over time: points for the picture, and what it was as the day began.

import type { Engine } from '../../../engine/engine.ts';

const MAX_POINTS = 1000;
const DAY_MS = 86_400_000;

export class EquityBook {
  readonly #engine: Engine;
  /** At least so far apart; doubles when there are too many. */
  #gapMs = 0;
  #points: (readonly [timeMs: number, units: number])[] = [];
  #day = NaN;
  #dayTotal: number;
  #dayUnits: readonly number[];
  /** By strategy, as the books began. */
  readonly startUnits: readonly number[];

  constructor(engine: Engine, startUnits: readonly number[]) {
    this.#engine = engine;
    this.startUnits = startUnits;
    this.#dayUnits = this.units();
    this.#dayTotal = this.total();
  }

  /** By strategy, now. */
  units(): readonly number[] {
    return this.#engine.runs.map((_, strategy) => this.#engine.equityUnits(strategy));
  }
  total(): number {
    return this.#engine.ledger.equityTotalUnits(this.#engine.marks());
  }
  /** Since 00:00 UTC. */
  today(): { readonly total: number; readonly units: readonly number[] } {
    const units = this.units();
    return { total: this.total() - this.#dayTotal, units: units.map((now, at) => now - this.#dayUnits[at]!) };
  }
  get points(): readonly (readonly [timeMs: number, units: number])[] {
    return this.#points;
  }

  /** An instant is over. */
  note(timeMs: number): void {
    const total = this.total();
    const day = Math.floor(timeMs / DAY_MS);
    if (day !== this.#day) {
      this.#day = day;
      this.#dayTotal = total;
      this.#dayUnits = this.units();
    }
    const before = this.#points.at(-2);
    // The newest point always stands; one that is too near to the one before gives its place to it.
    if (before && timeMs - before[0] < this.#gapMs) this.#points.pop();
    this.#points.push([timeMs, total]);
    if (this.#points.length <= MAX_POINTS) return;
    this.#points = this.#points.filter((_, at) => at % 2 === 0 || at === this.#points.length - 1);
    this.#gapMs = (2 * (timeMs - this.#points[0]![0])) / MAX_POINTS;
  }
}
