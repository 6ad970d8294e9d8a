// Checks positions, stops and money of contracts against the books of the exchange. The rules come from the documents, not from the code.

import type { OwnTrade, UserOrder } from '../../../../src/paperExchange/orders/userOrder.ts';
import type { OrderId } from '../../../../src/model/order.ts';
import type { Engine, MarketRules, Report, WorldFacts } from '../observer.ts';
import { SYMBOLS } from '../venue.ts';
import type { ContractTrader } from './contractTrader.ts';
import type { ContractVenue } from './contractVenue.ts';

export class ContractRules implements MarketRules {
  readonly #venue: ContractVenue;

  constructor(venue: ContractVenue) {
    this.#venue = venue;
  }

  checkAfterEvent(facts: WorldFacts, live: readonly UserOrder[], report: Report): void {
    for (const base of SYMBOLS) this.#checkSize(base, facts, live, report);
  }

  /** S3: a position with all open orders of its side that open stays within the largest position. */
  #checkSize(base: string, { maxLots }: WorldFacts, live: readonly UserOrder[], report: Report): void {
    const held = this.#venue.heldLots(base);
    for (const [side, sign] of [
      ['buy', 1],
      ['sell', -1],
    ] as const) {
      let lots = held * sign;
      for (const { instrument, intent, live: openPart } of live)
        if (instrument.base === base && intent.side === side && !intent.reduceOnly)
          lots += openPart === null ? intent.lots : Math.max(0, openPart.lots - openPart.filledLots);
      if (lots > maxLots) report('S3', `${base}: ${lots} contracts are held and ordered (${side}), ${maxLots} are allowed`);
    }
  }

  /** S6: positions and cash of the bot are those of the exchange. */
  checkEnd(engine: Engine, _facts: WorldFacts, report: Report): void {
    const venue = this.#venue;
    for (const [index, { base }] of engine.instruments.entries()) {
      const botLots = engine.runs.reduce((sum, run) => sum + engine.ledger.lots(run.index, index), 0);
      const lots = venue.heldLots(base);
      if (botLots !== lots) report('S6', `${base}: the bot holds ${botLots} contracts, the exchange has ${lots}`);
    }
    if (venue.hasCopyTrades) return;
    const cash = engine.ledger.cashTotal;
    // The exchange does not say which part of a liquidation's loss it has borne, so the books of the bot count all of it.
    const truth = venue.units('USDT') - venue.coveredUnits;
    const unreported = this.#unreportedFunding();
    if (cash !== truth && !unreported.has(cash - truth))
      report('S6', `the bot has ${cash} of cash, the exchange ${truth}; funding: ${JSON.stringify(venue.payments)}`);
  }

  /** Returns the sums by which the books may differ: payments of positions that closed before the bot could read them. */
  #unreportedFunding(): ReadonlySet<number> {
    let sums = new Set([0]);
    for (const payment of this.#venue.payments)
      if (payment.closedMs < Infinity && !this.#venue.isReadable(payment))
        sums = new Set([...sums, ...Array.from(sums, (sum) => sum - payment.units)]);
    return sums;
  }

  /** An adopted liquidation is an order of the bot without a client order id. */
  tradesOf(engine: Engine, order: number): readonly OwnTrade[] {
    const venueId = String(engine.orders.get(order as OrderId)?.venueId);
    return this.#venue.liquidations.find(({ order: { id } }) => id === venueId)?.trades ?? [];
  }
}
export type { ContractTrader };
