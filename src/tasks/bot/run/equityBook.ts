// The equity of a live bot over time: points for the chart, and the equity at the start of the day.

import type { Engine } from '../../../engine/engine.ts';

/** Maximum number of points. Beyond it every second one is dropped, and further ones are twice as far apart. */
const MAX_POINTS = 1000;
const DAY_MS = 86_400_000;

/** The equity of one bot, in units of its cash asset. */
export class EquityBook {
  readonly #engine: Engine;
  /** Minimum distance of points, ms. Doubles when there are too many points. */
  #minGapMs = 0;
  /** Oldest first, units of the cash asset. */
  #points: (readonly [timeMs: number, units: number])[] = [];
  /** Number of the current UTC day since 1970; NaN before the first point. */
  #day = NaN;
  #dayStartTotalUnits: number;
  #dayStartUnits: readonly number[];
  /** Change of the day before this process measured it. */
  #changeBeforeStart: number;
  /** By strategy, at the start of the ledger. */
  readonly startUnits: readonly number[];

  constructor(engine: Engine, startUnits: readonly number[]) {
    this.#engine = engine;
    this.startUnits = startUnits;
    this.#dayStartUnits = this.units();
    this.#dayStartTotalUnits = this.currentTotal();
    this.#changeBeforeStart = this.#changeSinceMidnight(this.#dayStartTotalUnits);
  }

  /** Returns the change of the equity from 00:00 UTC to `total`. The rule on daily losses stores the start of the day over a restart; 0 without that rule. */
  #changeSinceMidnight(total: number): number {
    const baseline = this.#engine.risk.lossBaseline('DAILY_LOSS');
    return Number.isNaN(baseline) ? 0 : total - baseline;
  }

  /** Returns the current equity by strategy. */
  units(): readonly number[] {
    return this.#engine.runs.map((_, strategy) => this.#engine.equityUnits(strategy));
  }
  /** Returns the current equity of all strategies. */
  currentTotal(): number {
    return this.#engine.ledger.equityTotalUnits(this.#engine.marks());
  }
  /**
   * Returns the change since 00:00 UTC, or since the start of the process if that is later. With a limit on daily losses it counts what was
   * lost before a restart, too; of several strategies only the total does.
   */
  changeToday(): { readonly total: number; readonly units: readonly number[] } {
    const earlierChange = this.#changeBeforeStart;
    const total = this.currentTotal() - this.#dayStartTotalUnits + earlierChange;
    const units = this.units().map((now, strategy) => now - this.#dayStartUnits[strategy]!);
    // The earlier change is known only in total. With one strategy, all of it is of that strategy.
    return { total, units: units.length === 1 ? [units[0]! + earlierChange] : units };
  }
  /** The points of the chart, oldest first. Equity in units. */
  get points(): readonly (readonly [timeMs: number, units: number])[] {
    return this.#points;
  }

  /** Adds the equity at the end of an instant. */
  addPoint(timeMs: number): void {
    const total = this.currentTotal();
    const day = Math.floor(timeMs / DAY_MS);
    if (day !== this.#day) {
      const isFirst = Number.isNaN(this.#day);
      this.#day = day;
      this.#dayStartTotalUnits = total;
      this.#dayStartUnits = this.units();
      this.#changeBeforeStart = isFirst ? this.#changeSinceMidnight(total) : 0;
    }
    const secondNewest = this.#points.at(-2);
    // The newest point always stays until the next one. It is dropped then if it was too close to the one before it.
    if (secondNewest && timeMs - secondNewest[0] < this.#minGapMs) this.#points.pop();
    this.#points.push([timeMs, total]);
    if (this.#points.length <= MAX_POINTS) return;
    this.#points = this.#points.filter((_, index) => index % 2 === 0 || index === this.#points.length - 1);
    this.#minGapMs = (2 * (timeMs - this.#points[0]![0])) / MAX_POINTS;
  }
}
