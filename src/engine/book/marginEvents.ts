// Books the funding payments and liquidations that the venue makes without an order of the bot.

import type { Lots } from '../../base/brand.ts';
import { fromScaled } from '../../base/number/decimal.ts';
import { InvariantError } from '../../base/errors.ts';
import type { Fill } from '../../model/fill.ts';
import { sizeText, type Instrument } from '../../model/instrument.ts';
import type { OrderId } from '../../model/order.ts';
import type { WaitingDraft } from '../../orders/drafts.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import type { Brackets } from '../../orders/stops/brackets.ts';
import type { FuturesLedger } from '../../portfolio/futuresLedger.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import { futuresLedgerOf } from '../../portfolio/pairedLedger.ts';
import type { FillLog } from './fillLog.ts';
import type { PaymentLog } from './paymentLog.ts';

/** What `MarginEvents` needs of the engine. */
export interface MarginHost {
  readonly ledger: Ledger;
  readonly instruments: readonly Instrument[];
  readonly orders: OrderManager;
  readonly brackets: Brackets;
  readonly fills: FillLog;
  readonly payments: PaymentLog;
  readonly recorder: { settle(): void };
  readonly runs: readonly { readonly name: string }[];
  readonly drafts: { withdrawAll(isWithdrawn: (draft: WaitingDraft) => boolean): void };
  hasPendingWork: boolean;
  log(strategy: string, message: string, fields: Readonly<Record<string, unknown>>): void;
  filled(id: OrderId, fill: Fill): void;
}

/** Books margin events of the venue to ledger, logs and risk, in the order in which they happen. */
export class MarginEvents {
  private readonly engine: MarginHost;

  constructor(engine: MarginHost) {
    this.engine = engine;
  }

  /** Books a funding payment of one side of a contract: `units` of the settlement asset, negative if paid. */
  bookFunding(instrumentIndex: number, isLong: boolean, units: number, timeMs: number): void {
    const engine = this.engine;
    engine.recorder.settle();
    const strategy = this.books().funded(instrumentIndex, isLong, units);
    engine.payments.push('funding', strategy, instrumentIndex, isLong, units, timeMs, engine.fills.length);
  }

  /** Books the fill of a liquidation under an order of the venue's own, so that orders, fills and trades show it like any other. */
  bookLiquidation(instrumentIndex: number, wasLong: boolean, fill: Fill): void {
    const engine = this.engine;
    const strategy = this.books().ownerOf(instrumentIndex);
    const instrument = engine.instruments[instrumentIndex]!;
    const { lots, price, timeMs } = fill;
    // Orders that close the position end with it, so an exit that waited for them may now be sent.
    engine.hasPendingWork = true;
    engine.brackets.drop(strategy, instrumentIndex, wasLong);
    // The venue made the order itself: it is working already, and its fill follows.
    const order = engine.orders.draft(strategy, instrument, instrumentIndex, wasLong ? 'sell' : 'buy', timeMs);
    order.role = 'liquidation';
    order.slot = 'liquidation';
    order.reduceOnly = true;
    order.lots = lots as Lots;
    engine.orders.registerExisting(order, timeMs);
    const quantity = sizeText(fromScaled(lots, instrument.quantityDigits), instrument);
    const message = `${instrument.id}: ${quantity} ${wasLong ? 'long' : 'short'} liquidated`;
    engine.log(engine.runs[strategy]!.name, message, { price: fromScaled(price, instrument.priceDigits) });
    engine.filled(order.id, fill);
    this.cancelStaleOrders(strategy, instrumentIndex, wasLong, timeMs);
  }

  /** Cancels orders that would have reduced or reversed the position. They would now open an opposite one, which risk has not approved. */
  private cancelStaleOrders(strategyIndex: number, instrumentIndex: number, wasLong: boolean, timeMs: number): void {
    const { orders, drafts } = this.engine;
    if (!this.books().terms(instrumentIndex).isNet) return;
    const isStale = (order: BotOrder): boolean => {
      const isOwn = order.strategy === strategyIndex && order.instrumentIndex === instrumentIndex && order.parent === 0;
      return isOwn && !order.reduceOnly && (order.side === 'sell') === wasLong;
    };
    drafts.withdrawAll(({ order }) => isStale(order));
    for (const order of orders.active().filter(isStale)) orders.cancel(order, timeMs);
  }

  /**
   * Books the part of a fill's loss that the insurance account covered. It is booked before the fill that closes the position, so that it
   * belongs to the same trade.
   */
  bookCoveredLoss({ strategy, instrumentIndex, side, reduceOnly }: BotOrder, { covered, timeMs }: Fill): void {
    const { payments, fills } = this.engine;
    // A reduce-only order has the opposite side of its position.
    const isLong = (side === 'buy') !== reduceOnly;
    payments.push('covered', strategy, instrumentIndex, isLong, covered, timeMs, fills.length);
  }

  /** Returns the books of the contracts. Throws InvariantError for a spot account. */
  private books(): FuturesLedger {
    const books = futuresLedgerOf(this.engine.ledger);
    if (books === null) throw new InvariantError('a spot account has no positions');
    return books;
  }
}
