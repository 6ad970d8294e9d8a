// The stored form of orders and own trades: writes them as records, and reads them back.

import { lots, ticks, units } from '../../base/brand.ts';
import { InvariantError } from '../../base/errors.ts';
import type { Instrument, Market } from '../../model/instrument.ts';
import type { OrderIntent } from '../../model/order.ts';
import { type OrderImage, VENUE_STATUSES } from '../../venue/venueOrder.ts';
import {
  storedCount,
  storedFlag,
  storedGroup,
  storedChoice,
  storedOptional,
  storedReal,
  storedText,
  storedInteger,
} from '../records/fields.ts';
import { storedRecord, type StoredRecordOf } from '../records/record.ts';
import type { OrderStart, OwnTrade, VisibleState, UserOrder } from './userOrder.ts';

/** Records name accounts by uid and instruments by wire name, because the order of the config may change. */
export interface IdMaps {
  readonly market: Market;
  readonly uidOf: (accountIndex: number) => string;
  readonly accountOf: (uid: string) => number;
  readonly instrumentOf: (wireName: string) => Instrument;
}

/** Stored markets, sides and roles. The codes are their positions, so only append to these lists. */
export const MARKET = storedChoice('spot', 'futures');
/** The side of an order or a trade, as a stored code. */
export const SIDE = storedChoice('buy', 'sell');
/** The role of an order, as a stored code. */
export const ROLE = storedChoice('market', 'limit', 'takeProfit', 'stopLoss', 'trailing', 'liquidation', 'condition');

/** Fields of every order. */
const ORDER_FIELDS = {
  market: MARKET,
  number: storedCount,
  uid: storedText,
  clientOrderId: storedOptional(storedText),
  symbol: storedText,
  side: SIDE,
  role: ROLE,
  lots: storedCount,
  quoteUnits: storedCount,
  limit: storedCount,
  reduceOnly: storedFlag,
  timeInForce: storedOptional(storedChoice('IOC', 'FOK', 'POST_ONLY')),
  placedMs: storedCount,
  status: storedChoice(...VENUE_STATUSES),
  isAdmitted: storedFlag,
  filledLots: storedCount,
  filledUnits: storedCount,
  feeUnits: storedInteger,
  profitUnits: storedInteger,
  /** Futures only: the terms when the order was placed, and the average price of its fills in ticks. */
  futures: storedOptional(storedGroup({ leverage: storedCount, isCross: storedFlag, isLiquidation: storedFlag, averageTicks: storedReal })),
};
/** An order that has ended. */
export const orderRecord = storedRecord('order', ORDER_FIELDS);
/** An order that can still fill, with the venue's part of it. `rested`: its position in the sequence of resting orders; 0: it has not rested. */
export const openOrderRecord = storedRecord('openOrder', {
  ...ORDER_FIELDS,
  lockedUnits: storedCount,
  offsetLots: storedCount,
  rests: storedFlag,
  makerPpm: storedInteger,
  takerPpm: storedInteger,
  admittedMs: storedCount,
  rested: storedCount,
});
/** An own trade. */
export const tradeRecord = storedRecord('trade', {
  market: MARKET,
  uid: storedText,
  symbol: storedText,
  tradeId: storedCount,
  bidId: storedText,
  askId: storedText,
  price: storedCount,
  lots: storedCount,
  timeMs: storedCount,
  isBuyer: storedFlag,
  isMaker: storedFlag,
  fee: storedInteger,
  feeInBase: storedFlag,
  /** Futures only: value in units of the settlement asset, and the uids of the two parties. */
  futures: storedOptional(storedGroup({ valueUnits: storedCount, bidUid: storedText, askUid: storedText })),
});

/** The stored fields of an order that has ended. */
export type OrderRecord = StoredRecordOf<typeof orderRecord>;
/** The stored fields of an open order. */
export type OpenOrderRecord = StoredRecordOf<typeof openOrderRecord>;
/** The stored fields of an own trade. */
export type TradeRecord = StoredRecordOf<typeof tradeRecord>;
/** The fields of an order that only futures have; null for spot. */
export type OrderTerms = OrderRecord['futures'];
/** The fields of a trade that only futures have; null for spot. */
export type StoredTradeTerms = TradeRecord['futures'];

/** Returns the stored form of an order. That of an open order also has the venue's fields. */
export function storedOrderText(order: UserOrder, number: number, futures: OrderTerms, { market, uidOf }: IdMaps): string {
  const { intent, venueOrder, ended } = order;
  const state = ended ?? venueOrder;
  if (state === null) throw new InvariantError(`order ${order.id} is neither open nor ended`);
  const common: OrderRecord = {
    market,
    number,
    uid: uidOf(order.account),
    clientOrderId: order.clientOrderId,
    symbol: intent.instrument.wireName,
    side: intent.side,
    role: intent.role,
    lots: intent.lots,
    quoteUnits: intent.quoteUnits,
    limit: intent.limit,
    reduceOnly: intent.reduceOnly,
    timeInForce: intent.timeInForce,
    placedMs: order.placedMs,
    status: state.status,
    isAdmitted: order.isAdmitted,
    filledLots: state.filledLots,
    filledUnits: state.filledUnits,
    feeUnits: (ended ?? order).feeUnits,
    profitUnits: (ended ?? order).profitUnits,
    futures,
  };
  if (ended !== null || venueOrder === null) return orderRecord.text(common);
  const { lockedUnits, offsetLots, rests, makerPpm, takerPpm, admittedMs } = venueOrder;
  return openOrderRecord.text({ ...common, lockedUnits, offsetLots, rests, makerPpm, takerPpm, admittedMs, rested: order.restSequence });
}

/** Returns the order as it was placed. `id`: its id on the wire. */
export function startOf(stored: OrderRecord, id: string, { accountOf, instrumentOf }: IdMaps): Omit<OrderStart, 'venueOrder'> {
  const intent: OrderIntent = {
    instrument: instrumentOf(stored.symbol),
    side: stored.side,
    role: stored.role,
    lots: lots(stored.lots),
    quoteUnits: units(stored.quoteUnits),
    limit: ticks(stored.limit),
    reduceOnly: stored.reduceOnly,
    timeInForce: stored.timeInForce,
    slot: '',
  };
  return { id, account: accountOf(stored.uid), clientOrderId: stored.clientOrderId, intent, placedMs: stored.placedMs };
}

/** Returns the state in a record. A spot order derives its average price from its value, so its record has none. */
export const visibleStateIn = (stored: OrderRecord): VisibleState => {
  const { status, isAdmitted, filledLots, filledUnits, feeUnits, profitUnits, futures } = stored;
  return { status, isAdmitted, filledLots, filledUnits, feeUnits, profitUnits, averageTicks: futures?.averageTicks ?? 0 };
};

/** Returns the venue's record of an open order. */
export function imageOf(stored: OpenOrderRecord, accountIndex: number): OrderImage {
  return {
    ref: stored.number,
    account: accountIndex,
    side: stored.side,
    limit: stored.limit,
    lots: stored.lots,
    quoteUnits: stored.quoteUnits,
    closes: stored.reduceOnly,
    offsetLots: stored.offsetLots,
    timeInForce: stored.timeInForce,
    rests: stored.rests,
    status: stored.status,
    filledLots: stored.filledLots,
    filledUnits: stored.filledUnits,
    lockedUnits: stored.lockedUnits,
    makerPpm: stored.makerPpm,
    takerPpm: stored.takerPpm,
    admittedMs: stored.admittedMs,
  };
}

/** Returns the stored form of an own trade. */
export function tradeText(accountIndex: number, trade: OwnTrade, futures: StoredTradeTerms, { market, uidOf }: IdMaps): string {
  const { instrument, tradeId, bidId, askId, price, lots: filledLots, timeMs, isBuyer, isMaker, fee, feeInBase } = trade;
  const common = { market, uid: uidOf(accountIndex), symbol: instrument.wireName, tradeId, bidId, askId, price, lots: filledLots };
  return tradeRecord.text({ ...common, timeMs, isBuyer, isMaker, fee, feeInBase, futures });
}

/** Returns the trade in a record, with the fields that both markets have. */
export const tradeIn = (stored: TradeRecord, { instrumentOf }: IdMaps): OwnTrade => ({
  instrument: instrumentOf(stored.symbol),
  tradeId: stored.tradeId,
  bidId: stored.bidId,
  askId: stored.askId,
  price: stored.price,
  lots: stored.lots,
  timeMs: stored.timeMs,
  isBuyer: stored.isBuyer,
  isMaker: stored.isMaker,
  fee: stored.fee,
  feeInBase: stored.feeInBase,
});
