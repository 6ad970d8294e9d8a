// An order that a person has placed at the exchange becomes one of a strategy: reserved, followed and booked like those that the bot has sent.

import type { Lots, Ticks } from '../../base/brand.ts';
import type { Side, VenueOrderId } from '../../model/order.ts';
import { BotOrder } from '../../orders/botOrder.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { RiskModule } from '../../risk/riskModule.ts';
import type { FeedRun } from '../feeds/feed.ts';

/** What it needs of the engine. */
export interface AdoptionHost {
  readonly instruments: readonly Instrument[];
  readonly execution: readonly FeedRun[];
  readonly risk: RiskModule;
  readonly reservations: Reservations;
  readonly orders: OrderManager;
  readonly nowMs: number;
  newOrder(strategy: number, feed: FeedRun, side: Side): BotOrder;
  lastTicks(instrumentIndex: number): number;
  notifyOrder(order: BotOrder): void;
}

/** A limit order as it stands at the exchange, whole. */
export interface ForeignOrderTerms {
  readonly instrument: number;
  readonly side: Side;
  readonly lots: number;
  readonly limit: number;
  readonly reduceOnly: boolean;
}

/**
 * What no order may do to the books of its strategy. Other limits are for those that are still to be sent: this one stands there, and the
 * next ones are measured with it.
 */
const BOOKS = ['INSTRUMENT', 'CONTRACT_TAKEN', 'MARGIN'];

/** Why the books of a strategy cannot bear the order; null: they can. Changes nothing. */
export function adoptionProblem(engine: AdoptionHost, strategy: number, wanted: ForeignOrderTerms): string | null {
  const { instruments, risk, nowMs } = engine;
  const order = new BotOrder();
  order.begin(0, strategy, instruments[wanted.instrument]!, wanted.instrument, wanted.side, nowMs);
  write(order, wanted);
  return risk.failingRule(BOOKS, order, engine.lastTicks(wanted.instrument));
}

/** `journalled`: writes down what it is, before it counts. */
export function adopt(
  engine: AdoptionHost,
  strategy: number,
  wanted: ForeignOrderTerms,
  venueId: VenueOrderId,
  journalled: (order: BotOrder) => void = () => {},
): BotOrder {
  const { reservations, orders, execution, nowMs } = engine;
  const order = engine.newOrder(strategy, execution[wanted.instrument]!, wanted.side);
  write(order, wanted);
  order.slot = `adopted ${venueId}`;
  order.venueId = venueId;
  journalled(order);
  reservations.assess(order, engine.lastTicks(wanted.instrument));
  reservations.add(order);
  orders.registerExisting(order, nowMs);
  engine.notifyOrder(order);
  return order;
}

function write(order: BotOrder, { lots, limit, reduceOnly }: ForeignOrderTerms): void {
  order.role = 'limit';
  order.lots = lots as Lots;
  order.limit = limit as Ticks;
  order.reduceOnly = reduceOnly;
}
