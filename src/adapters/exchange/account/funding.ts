// Funding of positions: no list of payments exists, so what a position says of its funding so far is watched for changes.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import type { PositionRow } from '../calls/rows.ts';

export interface FundingWatchDeps {
  readonly instruments: readonly Instrument[];
  readonly venueMs: () => number;
  /** `units` of the settlement asset, received above 0. */
  readonly funded: (instrument: number, isLong: boolean, units: number, timeMs: number) => void;
  /** What is known now, for a note. */
  readonly noted: (instrument: number, side: Side, units: number) => void;
}

const SIDES: readonly Side[] = ['buy', 'sell'];

export class FundingWatch {
  readonly #parts: FundingWatchDeps;
  /** Funding so far of each open position, in units; a position that is not open begins with 0. */
  readonly #known = new Map<string, number>();
  /** When each of them was opened, ms; where it is known. */
  readonly #openedMs = new Map<string, number>();

  constructor(parts: FundingWatchDeps) {
    this.#parts = parts;
  }

  /** As it was noted in an earlier life. */
  restore(instrument: number, side: Side, units: number): void {
    this.#known.set(`${instrument} ${side}`, units);
  }

  /** The positions of a contract as they were read: all of them. */
  take(instrument: number, rows: readonly PositionRow[]): void {
    const { instruments, funded, noted, venueMs } = this.#parts;
    for (const side of SIDES) {
      const row = rows.find((each) => each.side === side);
      const key = `${instrument} ${side}`;
      if (row?.funding === null) continue;
      const known = this.#known.get(key) ?? 0;
      // One that was closed and opened anew between two readings has been paid nothing of what the one before it was.
      const before = this.#isAnother(key, row) ? 0 : known;
      const now = row === undefined ? 0 : unitsOf(row.funding, instruments[instrument]!);
      // A position that is gone takes what it was paid last with it.
      if (row !== undefined && now !== before) funded(instrument, side === 'buy', now - before, venueMs());
      if (now === known) continue;
      this.#known.set(key, now);
      noted(instrument, side, now);
    }
  }

  #isAnother(key: string, row: PositionRow | undefined): boolean {
    const beforeMs = this.#openedMs.get(key) ?? null;
    const openedMs = row?.openedMs ?? null;
    if (openedMs === null) this.#openedMs.delete(key);
    else this.#openedMs.set(key, openedMs);
    return beforeMs !== null && openedMs !== null && openedMs !== beforeMs;
  }
}

const unitsOf = (text: string, { quoteDigits }: Instrument): number =>
  new Decimal(text).times(Decimal.pow(10, quoteDigits)).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
