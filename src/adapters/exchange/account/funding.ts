// Detects funding payments. The venue has no list of payments, so each change of a position's funding total counts as a payment.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import type { PositionRow } from '../calls/venueRows.ts';

/** What the watch of funding payments takes. */
export interface FundingWatchDeps {
  readonly instruments: readonly Instrument[];
  readonly venueMs: () => number;
  /** True if strategies hold a position on this side of a contract. Undefined: always. */
  readonly isHeld?: ((instrumentIndex: number, isLong: boolean) => boolean) | undefined;
  /** Receives each payment, in `units` of the settlement asset; above 0 is received. */
  readonly reportPayment: (instrumentIndex: number, isLong: boolean, units: number, timeMs: number) => void;
  /** Receives the new funding total of a position. It is journalled as a cursor. */
  readonly journalTotal: (instrument: Instrument, side: Side, units: number) => void;
  /** Called once for each contract with a held position whose funding the exchange does not report. */
  readonly onUnreported?: ((instrumentIndex: number) => void) | undefined;
}

const SIDES: readonly Side[] = ['buy', 'sell'];

/** The funding totals of all open positions. Each change of a total is reported as one payment. */
export class FundingWatch {
  readonly #deps: FundingWatchDeps;
  /** The latest funding total of each open position, in units. A position that is not open starts at 0. */
  readonly #totals = new Map<string, number>();
  /** Opening time of each of these positions, ms, if the venue reports it. */
  readonly #openedMs = new Map<string, number>();
  /** Contracts whose funding the exchange does not report. */
  readonly #unreported = new Set<number>();

  constructor(deps: FundingWatchDeps) {
    this.#deps = deps;
  }

  /** Restores the funding total that an earlier run has noted. */
  restore(instrumentIndex: number, side: Side, units: number): void {
    this.#totals.set(`${instrumentIndex} ${side}`, units);
  }

  /** Takes a read of all positions of a contract, and reports each change of their funding totals. */
  reportChanges(instrumentIndex: number, rows: readonly PositionRow[]): void {
    const { instruments, reportPayment, journalTotal, venueMs, isHeld, onUnreported } = this.#deps;
    for (const side of SIDES) {
      const row = rows.find((sideRow) => sideRow.side === side);
      const key = `${instrumentIndex} ${side}`;
      if (row?.funding === null) {
        if (!this.#unreported.has(instrumentIndex) && isHeld?.(instrumentIndex, side === 'buy') !== false) {
          this.#unreported.add(instrumentIndex);
          onUnreported?.(instrumentIndex);
        }
        continue;
      }
      // The fill that opened the position may not be booked yet: a later read reports the funding. A foreign position pays for itself.
      if (row !== undefined && isHeld?.(instrumentIndex, side === 'buy') === false) continue;
      const knownTotal = this.#totals.get(key) ?? 0;
      // A position that was closed and reopened between two reads starts at 0, not at the total of its predecessor.
      const bookedUnits = this.#isReopened(key, row) ? 0 : knownTotal;
      const venueUnits = row === undefined ? 0 : unitsOf(row.funding, instruments[instrumentIndex]!);
      // The venue no longer shows a closed position, so its last payment stays unknown.
      if (row !== undefined && venueUnits !== bookedUnits)
        reportPayment(instrumentIndex, side === 'buy', venueUnits - bookedUnits, venueMs());
      if (venueUnits === knownTotal) continue;
      this.#totals.set(key, venueUnits);
      journalTotal(instruments[instrumentIndex]!, side, venueUnits);
    }
  }

  /** True if the position was closed and opened again since the previous read. Notes its opening time. */
  #isReopened(key: string, row: PositionRow | undefined): boolean {
    const beforeMs = this.#openedMs.get(key) ?? null;
    const openedMs = row?.openedMs ?? null;
    if (openedMs === null) this.#openedMs.delete(key);
    else this.#openedMs.set(key, openedMs);
    return beforeMs !== null && openedMs !== null && openedMs !== beforeMs;
  }
}

const unitsOf = (text: string, { quoteDigits }: Instrument): number =>
  new Decimal(text).times(Decimal.pow(10, quoteDigits)).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
