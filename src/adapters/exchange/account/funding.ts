// Detects funding payments. The venue has no list of payments, so each change of a position's funding total counts as a payment.

import { Decimal } from '../../../base/number/decimal.ts';
import type { Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Side } from '../../../model/order.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';
import type { Page, PositionRow } from '../calls/venueRows.ts';
import type { CallOptions } from '../client/restClient.ts';

/** What the watch of funding payments takes. */
export interface FundingWatchDeps {
  readonly venue: Pick<VenueCalls, 'positions'>;
  readonly instruments: readonly Instrument[];
  readonly venueMs: () => number;
  /** True if strategies hold a position on this side of a contract. Undefined: always. */
  readonly isHeld?: ((instrumentIndex: number, isLong: boolean) => boolean) | undefined;
  /** Receives each payment, in `units` of the settlement asset; above 0 is received. */
  readonly reportPayment: (instrumentIndex: number, isLong: boolean, units: number, timeMs: number) => void;
  /** Receives the new funding total of a position, as the text that `restore` reads. It is journalled as a cursor. */
  readonly journalTotal: (instrument: Instrument, side: Side, total: string) => void;
  /** Called once for each contract with a held position whose funding the exchange does not report. */
  readonly onUnreported?: ((instrumentIndex: number) => void) | undefined;
}

/** The funding total of a position as it is journalled. */
export interface FundingTotal {
  /** Units of the settlement asset. */
  readonly units: number;
  /** Opening time of the position, ms; null if the exchange does not report it. */
  readonly openedMs: number | null;
}
/** Returns a total as the text of its cursor. */
export const fundingTotalText = ({ units, openedMs }: FundingTotal): string => (openedMs === null ? `${units}` : `${units} ${openedMs}`);
/** Reads the text of a cursor. Earlier versions wrote no opening time. */
export function fundingTotalIn(text: string): FundingTotal {
  const [units, openedMs] = text.split(' ').map(Number);
  return { units: units!, openedMs: openedMs ?? null };
}

const NOTHING_NOTED: FundingTotal = { units: 0, openedMs: null };

const SIDES: readonly Side[] = ['buy', 'sell'];

/** The funding totals of all open positions. Each change of a total is reported as one payment. */
export class FundingWatch {
  readonly #deps: FundingWatchDeps;
  /** Opening time of the newest position of each side, ms, if the venue reports it. */
  readonly #openedMs = new Map<string, number>();
  /** The newest cursor of each side: the funding total of its newest position. */
  readonly #noted = new Map<string, FundingTotal>();
  /** Contracts whose funding the exchange does not report. */
  readonly #unreported = new Set<number>();

  constructor(deps: FundingWatchDeps) {
    this.#deps = deps;
  }

  /** Restores the funding total that an earlier run has noted. */
  restore(instrumentIndex: number, side: Side, totalText: string): void {
    const key = `${instrumentIndex} ${side}`;
    const total = fundingTotalIn(totalText);
    this.#noted.set(key, total);
    if (total.openedMs !== null) this.#openedMs.set(key, total.openedMs);
  }

  /**
   * Reads the positions of a contract, and reports their payments, because a position may be closed before the next read. Trades must have been
   * read before: a payment belongs to the bot if its books hold the position. Null: no reply that can be read.
   */
  *readPositions(instrumentIndex: number, options: CallOptions): Work<Page<PositionRow> | null> {
    const page = yield* this.#deps.venue.positions(this.#deps.instruments[instrumentIndex]!, options);
    if (page?.isComplete === true) this.reportChanges(instrumentIndex, page.rows);
    return page;
  }

  /** Takes a read of all positions of a contract, and reports each change of their funding totals. */
  reportChanges(instrumentIndex: number, rows: readonly PositionRow[]): void {
    const { instruments, reportPayment, venueMs, isHeld, onUnreported } = this.#deps;
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
      const openedMs = row?.openedMs ?? null;
      const newestMs = this.#openedMs.get(key) ?? null;
      // The total of a closed position is remembered, because an older list may show the position again.
      if (newestMs !== null && (row === undefined || (openedMs !== null && openedMs < newestMs))) continue;
      if (openedMs === null) this.#openedMs.delete(key);
      else this.#openedMs.set(key, openedMs);
      const knownTotal = this.#notedOf(key).units;
      // A position that was closed and opened again starts at 0, not at the total of its predecessor.
      const bookedUnits = newestMs !== null && openedMs !== null && openedMs !== newestMs ? 0 : knownTotal;
      const venueUnits = row === undefined ? 0 : unitsOf(row.funding, instruments[instrumentIndex]!);
      // The venue no longer shows a closed position, so its last payment stays unknown.
      if (row !== undefined && venueUnits !== bookedUnits) {
        // Noted before the payment: if the process ends between the two records, the next one knows to which position the payment belongs.
        if (openedMs !== this.#notedOf(key).openedMs) this.#writeTotal(instrumentIndex, side, { units: bookedUnits, openedMs });
        reportPayment(instrumentIndex, side === 'buy', venueUnits - bookedUnits, venueMs());
      }
      this.#journalTotal(instrumentIndex, side, { units: venueUnits, openedMs });
    }
  }

  #notedOf(key: string): FundingTotal {
    return this.#noted.get(key) ?? NOTHING_NOTED;
  }
  /** Journals a total, unless the newest cursor has it. */
  #journalTotal(instrumentIndex: number, side: Side, total: FundingTotal): void {
    const noted = this.#notedOf(`${instrumentIndex} ${side}`);
    const isOfOtherPosition = total.units !== 0 && noted.openedMs !== total.openedMs;
    if (noted.units !== total.units || isOfOtherPosition) this.#writeTotal(instrumentIndex, side, total);
  }
  #writeTotal(instrumentIndex: number, side: Side, total: FundingTotal): void {
    this.#noted.set(`${instrumentIndex} ${side}`, total);
    this.#deps.journalTotal(this.#deps.instruments[instrumentIndex]!, side, fundingTotalText(total));
  }
}

const unitsOf = (text: string, { quoteDigits }: Instrument): number =>
  new Decimal(text).times(Decimal.pow(10, quoteDigits)).toDecimalPlaces(0, Decimal.ROUND_HALF_UP).toNumber();
