// Adds trades to the expected position of a contract. In two-way mode a trade changes the long or the short side, which its order shows.

import type { Decimal } from '../../../base/number/decimal.ts';
import type { TradeRow } from '../calls/venueRows.ts';
import { positionPartOf, type PositionBook, type PositionPart } from '../order/expectedHoldings.ts';
import type { OrderAttribution } from './attribution.ts';

/** What the sides of one contract take. */
export interface PositionSidesDeps {
  readonly index: number;
  /** True if its long and short positions are separate. */
  readonly isTwoWay: boolean;
  readonly attribution: Pick<OrderAttribution, 'closes' | 'noteAction'>;
  readonly positions: PositionBook;
  readonly lotsOf: (row: TradeRow) => Decimal;
  /** Time of our clock. */
  readonly nowMs: () => number;
  /** L: how old a list may be when it is read. */
  readonly lagMs: () => number;
}

/** The trade and the order by which a position changes. */
type Change = Pick<TradeRow, 'venueId' | 'side'>;

/** The trades of one contract by side. In net mode each trade counts at once. */
export class PositionSides {
  readonly #deps: PositionSidesDeps;
  /** Trades that the expected position lacks, with our time of their first read: no row has shown whether their order opens or closes. */
  readonly #uncounted = new Map<TradeRow, number>();

  constructor(deps: PositionSidesDeps) {
    this.#deps = deps;
  }

  /** Adds a trade to the expected position, in two-way mode by the next `countKnown`. */
  count(row: TradeRow): void {
    if (this.#deps.isTwoWay) this.#uncounted.set(row, this.#deps.nowMs());
    else this.#book('lots', row);
  }
  /** Adds the trades whose side is known by now. */
  countKnown(): void {
    for (const row of this.#uncounted.keys()) {
      const isLong = this.longOf(row);
      if (isLong === null) continue;
      this.#book(positionPartOf(true, isLong), row);
      this.#uncounted.delete(row);
    }
  }
  /** The trades that are not counted yet. */
  get uncounted(): readonly TradeRow[] {
    return Array.from(this.#uncounted.keys());
  }

  /** True in two-way mode if no row has shown whether the order opens or closes. */
  isUnknown(venueId: string): boolean {
    return this.#deps.isTwoWay && this.#deps.attribution.closes(venueId) === null;
  }
  /** True for a change of the long side, false for one of the short side. Null in net mode, and while the side is not known. */
  longOf({ venueId, side }: Change): boolean | null {
    const closes = this.#deps.isTwoWay ? this.#deps.attribution.closes(venueId) : null;
    return closes === null ? null : closes !== (side === 'buy');
  }
  /** True if the trade may have changed this part of the position. If its order is not known, it may have closed one side. */
  mayChange({ venueId, side }: Change, part: PositionPart): boolean {
    return positionPartOf(this.#deps.isTwoWay, (this.#deps.attribution.closes(venueId) ?? true) !== (side === 'buy')) === part;
  }
  /**
   * Notes that the exchange does not know an order whose trades it has shown, the first at `firstMs` of our clock. After the read lag they
   * count as trades that open: if they have closed a position, the audit names the difference.
   */
  noteUnlisted(venueId: string, firstMs: number): void {
    const { attribution, nowMs, lagMs } = this.#deps;
    const sinceMs = Array.from(this.#uncounted).reduce((ms, [row, atMs]) => (row.venueId === venueId ? Math.min(ms, atMs) : ms), firstMs);
    if (nowMs() >= sinceMs + lagMs()) attribution.noteAction({ venueId, action: 'OPEN' });
  }

  #book(part: PositionPart, row: TradeRow): void {
    const { positions, index, lotsOf } = this.#deps;
    positions.book(index, part, row.side, lotsOf(row), row.timeMs);
  }
}
