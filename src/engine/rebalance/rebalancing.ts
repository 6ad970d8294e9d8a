// The orders of one strategy's rebalances: sends them, withdraws those that wait, and limits a spot buy to the free cash.

import type { Lots, Ticks, Units } from '../../base/brand.ts';
import { mulDiv } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderId, Side } from '../../model/order.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import { isOfRebalance, REBALANCE, type WaitingDraft } from '../../orders/drafts.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import { ConvertedLedger } from '../../portfolio/convertedLedger.ts';
import { PairedLedger } from '../../portfolio/pairedLedger.ts';
import type { RebalanceOptions, Size, Weights } from '../../strategy/types.ts';
import type { FeedRun } from '../feeds/feed.ts';
import { rebalance, type RebalanceHost } from './rebalance.ts';

const MILLION = 1_000_000;

/** What rebalances need of the engine. */
export interface RebalancingHost {
  readonly ledger: Ledger;
  readonly orders: OrderManager;
  readonly reservations: Reservations;
  readonly execution: readonly FeedRun[];
  readonly drafts: {
    withdrawAll(isWithdrawn: (draft: WaitingDraft) => boolean): void;
    reverse(order: BotOrder, ahead: OrderId[], targetLots: number): OrderId;
  };
  newOrder(strategyIndex: number, feed: FeedRun, side: Side): BotOrder;
}

/** How a rebalance sends the strategy's orders. */
interface RebalanceSender {
  readonly index: number;
  readonly name: string;
  /** Decision slot of the orders that `goTo` sends. */
  readonly targetSlot: string;
  /** Changes a position to `lots`, and removes stops that would close it twice. Null: no order was needed. */
  goTo(feed: FeedRun, lots: number): OrderId | null;
  /** Writes the missing lots as a market order. An order that only reduces the held lots is reduce-only. */
  writeSize(order: BotOrder, missingLots: number, heldLots: number): void;
  send(order: BotOrder): OrderId;
}

/** Lots of targets and of positions. */
interface Sizes {
  targetLots(size: Size, instrument: Instrument, instrumentIndex: number): number;
  /** Returns the lots held, with those of working orders; negative for short. */
  heldAndOrdered(instrumentIndex: number): number;
}

/** What a spot purchase may cost, in units. */
interface Payable {
  readonly units: number;
  /** True when it pays for the smallest order. */
  readonly isEnough: boolean;
}

/** The rebalances of one strategy: the orders that were sent, and those that wait for sales. */
export class Rebalancing implements RebalanceHost {
  private readonly engine: RebalancingHost;
  private readonly feeds: { readonly tradable: readonly FeedRun[] };
  private readonly sizes: Sizes;
  private readonly ownOrders: RebalanceSender;

  constructor(engine: RebalancingHost, feeds: { readonly tradable: readonly FeedRun[] }, sizes: Sizes, ownOrders: RebalanceSender) {
    this.engine = engine;
    this.feeds = feeds;
    this.sizes = sizes;
    this.ownOrders = ownOrders;
  }

  /** Sends the orders that bring positions to weights, and returns them. */
  rebalanceTo(weights: Weights, options: RebalanceOptions | undefined): readonly OrderId[] {
    return rebalance(this, weights, options);
  }

  get name(): string {
    return this.ownOrders.name;
  }
  get tradable(): readonly FeedRun[] {
    return this.feeds.tradable;
  }
  lotsOf(size: Size, { instrument, instrumentIndex }: FeedRun): number {
    return this.sizes.targetLots(size, instrument, instrumentIndex);
  }
  heldLots({ instrumentIndex }: FeedRun): number {
    return this.sizes.heldAndOrdered(instrumentIndex);
  }
  withdrawWaiting(): void {
    this.withdraw(null);
  }
  unfinishedOrders(): readonly BotOrder[] {
    const { index, targetSlot } = this.ownOrders;
    return this.engine.orders.active().filter(({ strategy, slot }) => strategy === index && (slot === REBALANCE || slot === targetSlot));
  }
  reduce(feed: FeedRun, lots: number): OrderId | null {
    return this.ownOrders.goTo(feed, lots);
  }
  open(feed: FeedRun, targetLots: number, ahead: readonly OrderId[]): OrderId | null {
    const { engine, ownOrders: own } = this;
    const heldLots = this.heldLots(feed);
    const missingLots = targetLots - heldLots;
    const isSpot = feed.instrument.contract === undefined;
    const isSentNow = ahead.length === 0;
    if (isSpot && isSentNow && !this.payable(own.index, feed.instrumentIndex, missingLots, 0).isEnough) return null;
    const order = engine.newOrder(own.index, feed, missingLots > 0 ? 'buy' : 'sell');
    order.slot = REBALANCE;
    own.writeSize(order, missingLots, heldLots);
    if (isSentNow) {
      this.fitToCash(order, 0);
      return own.send(order);
    }
    // The draft keeps the price of the decision in place of its collar, which it does not need before it is sent.
    if (isSpot) order.limit = engine.execution[feed.instrumentIndex]!.lastTicks as Ticks;
    return engine.drafts.reverse(order, [...ahead], targetLots);
  }
  isUnfinished(id: OrderId): boolean {
    const { orders } = this.engine;
    return orders.active().some((order) => order.id === id) || orders.drafts.find(id) !== undefined;
  }

  /** Withdraws orders that still wait, of one instrument or of all. */
  withdraw(instrumentIndex: number | null): void {
    const { index } = this.ownOrders;
    this.engine.drafts.withdrawAll((draft) => {
      const { order } = draft;
      return isOfRebalance(draft) && order.strategy === index && (instrumentIndex ?? order.instrumentIndex) === order.instrumentIndex;
    });
  }

  /**
   * Turns a spot buy into an order by amount. The amount is the cost of its lots at the price `decidedTicks` of the decision (0: the last
   * price). It is at most the strategy's free cash after the fee. False when that is less than the smallest order.
   */
  fitToCash(order: BotOrder, decidedTicks: number): boolean {
    const { strategy, instrumentIndex, instrument, lots } = order;
    if (instrument.contract !== undefined) return true;
    const { units, isEnough } = this.payable(strategy, instrumentIndex, lots, decidedTicks);
    order.quoteUnits = units as Units;
    order.lots = 0 as Lots;
    order.limit = 0 as Ticks;
    return isEnough;
  }

  /** Returns the amount of `fitToCash`, and whether it is enough for the smallest order. */
  private payable(strategyIndex: number, instrumentIndex: number, lots: number, decidedTicks: number): Payable {
    const { ledger, reservations, execution } = this.engine;
    const { instrument, lastTicks } = execution[instrumentIndex]!;
    const priceTicks = decidedTicks > 0 ? decidedTicks : lastTicks;
    const scale = reservations.scale(instrumentIndex);
    const isConverted = ledger instanceof ConvertedLedger;
    const spotLedger = ledger instanceof PairedLedger ? ledger.spot : ledger;
    const account = isConverted ? ledger.of(instrumentIndex) : spotLedger;
    const reservedUnits = isConverted
      ? reservations.accountCash(strategyIndex, instrumentIndex)
      : reservations.marketCash(strategyIndex, 'spot');
    const freeUnits = Math.max(0, account.cash(strategyIndex) - reservedUnits);
    const afterFeeUnits = mulDiv(freeUnits, MILLION, MILLION + reservations.cashFeePpm(instrumentIndex), 'down');
    const units = Math.min(scale.notionalUp(priceTicks, lots), afterFeeUnits);
    return { units, isEnough: units >= scale.notionalUp(priceTicks, instrument.minLots) };
  }
}
