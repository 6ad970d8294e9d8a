// The exchange ends the trading of a symbol: it cancels the open orders of the symbol, and refuses creates and bars of it from then on.

import { VENUE_CODES } from '../../../../src/model/venueCodes.ts';
import type { Answer } from '../../../../src/worlds/computer/connection.ts';
import { SYMBOLS, type SimulatedVenue } from '../venue.ts';

/** Paths of the account's orders and trades, which an exchange that still knows the symbol answers. */
const ACCOUNT_PATHS = /^\/sapi\/v1\/(?:openOrders|order|myTrades|cancel|batchCancel)(?:\?|$)/;

/** The asset in which the symbols are priced. */
const QUOTE = 'USDT';

/** A request as it reaches the exchange. */
interface RequestOfSymbol {
  readonly method: string;
  readonly target: string;
  readonly body: string;
}

/** The symbol whose trading ends on a day, and the replies about it from then on. */
export class Delisting {
  readonly #venue: SimulatedVenue;
  readonly #knowsSymbol: boolean;
  /** The coin whose symbol is delisted; null: none yet. */
  #base: string | null = null;

  /** `knowsSymbol`: the exchange still answers reads of orders and trades of the symbol. */
  constructor(venue: SimulatedVenue, knowsSymbol: boolean) {
    this.#venue = venue;
    this.#knowsSymbol = knowsSymbol;
  }

  /** Ends the trading of a symbol. `draw`, in [0, 1), decides which one. */
  begin(draw: number): void {
    const venue = this.#venue;
    this.#base = SYMBOLS[Math.floor(draw * SYMBOLS.length)]!;
    // `as never`: the orders are of the market of this side, spot or futures, which the compiler cannot see.
    for (const order of venue.openOrders())
      if (order.instrument.base === this.#base && order.isAdmitted && venue.side.cancel(order as never, false))
        venue.allowances.cancelledByExchangeIds.add(order.id);
  }

  /** Returns the reply to a request about the delisted symbol; null: the exchange answers as before. */
  answer({ method, target, body }: RequestOfSymbol): Answer | null {
    if (this.#base === null || !(target + body).toUpperCase().includes(`${this.#base}${QUOTE}`)) return null;
    const isCreate = method === 'POST' && target.startsWith('/sapi/v1/order');
    const isOfAccount = !isCreate && ACCOUNT_PATHS.test(target);
    if (this.#knowsSymbol && isOfAccount) return null;
    if (isOfAccount) this.#venue.allowances.hidesSymbol = true;
    return this.#venue.service.error(VENUE_CODES.badSymbol.code, this.#venue.market);
  }
}
