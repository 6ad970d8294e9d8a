// Detects funding payments. The venue has no list of payments, so the running funding total of each position is watched for changes.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import type { PositionRow } from '../calls/rows.ts';

export interface FundingWatchDeps {
  readonly instruments: readonly Instrument[];
  readonly venueMs: () => number;
  /** `units` of the settlement asset; above 0 is received. */
  readonly funded: (instrument: number, isLong: boolean, units: number, timeMs: number) => void;
  /** The new funding total of a position, to be journalled as a cursor. */
  readonly noted: (instrument: number, side: Side, units: number) => void;
}

const SIDES: readonly Side[] = ['buy', 'sell'];

export class FundingWatch {
  readonly #parts: FundingWatchDeps;
  /** The latest funding total of each open position, in units. A position that is not open starts at 0. */
  readonly #known = new Map<string, number>();
  /** Opening time of each of these positions, ms, if the venue reports it. */
  readonly #openedMs = new Map<string, number>();

  constructor(parts: FundingWatchDeps) {
    this.#parts = parts;
  }

  /** Restores the funding total that an earlier run has noted. */
  restore(instrument: number, side: Side, units: number): void {
    this.#known.set(`${instrument} ${side}`, units);
  }

  /** Takes all positions of a contract as read, and reports each change of their funding totals. */
  take(instrument: number, rows: readonly PositionRow[]): void {
    const { instruments, funded, noted, venueMs } = this.#parts;
    for (const side of SIDES) {
      const row = rows.find((each) => each.side === side);
      const key = `${instrument} ${side}`;
      if (row?.funding === null) continue;
      const known = this.#known.get(key) ?? 0;
      // A position that was closed and reopened between two reads starts at 0, not at the total of its predecessor.
      const before = this.#isAnother(key, row) ? 0 : known;
      const now = row === undefined ? 0 : unitsOf(row.funding, instruments[instrument]!);
      // The last payment of a position that has closed since cannot be read any more.
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
