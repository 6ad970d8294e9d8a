// Adopts foreign orders: an order that the operator placed at the exchange is then managed like one of a strategy's own. The engine calls it
// for the operator decision `adopt`.

import type { Lots, Ticks } from '../../base/brand.ts';
import type { Side, VenueOrderId } from '../../model/order.ts';
import { BotOrder } from '../../orders/botOrder.ts';
import type { OrderManager } from '../../orders/orderManager.ts';
import type { Reservations } from '../../orders/reserve/reservation.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Ledger } from '../../portfolio/ledger.ts';
import type { RiskModule } from '../../risk/riskModule.ts';
import type { FeedRun } from '../feeds/feed.ts';

/** What adoption needs of the engine. */
export interface AdoptionHost {
  readonly instruments: readonly Instrument[];
  readonly execution: readonly FeedRun[];
  readonly ledger: Pick<Ledger, 'closable'>;
  readonly risk: RiskModule;
  readonly reservations: Reservations;
  readonly orders: OrderManager;
  readonly nowMs: number;
  newOrder(strategyIndex: number, feed: FeedRun, side: Side): BotOrder;
  lastTicks(instrumentIndex: number): number;
  notifyOrder(order: BotOrder): void;
}

/** The terms of a limit order at the exchange that has no fills. */
export interface ForeignOrderTerms {
  /** Index of the instrument. */
  readonly instrument: number;
  readonly side: Side;
  readonly lots: number;
  /** The limit price, in ticks. */
  readonly limit: number;
  readonly reduceOnly: boolean;
}

/**
 * Rules that an adopted order must pass. All other limits apply only before an order is sent; this order is already working, and counts
 * when later orders are checked.
 */
const ADOPTION_RULES = ['INSTRUMENT', 'CONTRACT_TAKEN', 'MARGIN'];

/**
 * Rules for an order that has closed what it could. A stop of the strategy for the same position has lost its lots to this order already.
 */
const CLOSED_ORDER_RULES = ['INSTRUMENT', 'CONTRACT_TAKEN'];

/** The terms of an order that an operator wants to give to a strategy. */
interface OrderToAdopt extends ForeignOrderTerms {
  /** The lots that it had filled when it ended; null while it is open. */
  readonly endedLots: number | null;
}

/** Returns why a strategy may not adopt the order: the text of the first rule that its adoption would break, or null. Changes nothing. */
export function adoptionProblem(engine: AdoptionHost, strategyIndex: number, terms: OrderToAdopt): string | null {
  const { instruments, ledger, risk, nowMs } = engine;
  // A record outside of the order manager: it only carries the terms through the rules.
  const order = new BotOrder();
  order.begin(0, strategyIndex, instruments[terms.instrument]!, terms.instrument, terms.side, nowMs);
  writeTerms(order, terms);
  const { instrument, side, reduceOnly, endedLots } = terms;
  // A liquidation may close contracts of the account, too, such as those of a second copy. Only the strategy's part is booked to it.
  const hasClosed = reduceOnly && endedLots !== null && ledger.closable(strategyIndex, instrument, side === 'buy', true) > 0;
  return risk.failingRule(hasClosed ? CLOSED_ORDER_RULES : ADOPTION_RULES, order, engine.lastTicks(instrument));
}

/** Adopts the order for a strategy and returns the bot's record of it. `writeRecord` journals the adoption before it takes effect. */
export function adopt(
  engine: AdoptionHost,
  strategyIndex: number,
  terms: ForeignOrderTerms,
  venueId: VenueOrderId,
  writeRecord: (order: BotOrder) => void = () => {},
): BotOrder {
  const { reservations, orders, execution, nowMs } = engine;
  const order = engine.newOrder(strategyIndex, execution[terms.instrument]!, terms.side);
  writeTerms(order, terms);
  order.slot = `adopted ${venueId}`;
  order.venueId = venueId;
  writeRecord(order);
  reservations.assess(order, engine.lastTicks(terms.instrument));
  reservations.add(order);
  orders.registerExisting(order, nowMs);
  engine.notifyOrder(order);
  return order;
}

/** Writes the terms of a limit order to a draft. */
function writeTerms(order: BotOrder, { lots, limit, reduceOnly }: ForeignOrderTerms): void {
  order.role = 'limit';
  order.lots = lots as Lots;
  order.limit = limit as Ticks;
  order.reduceOnly = reduceOnly;
}
