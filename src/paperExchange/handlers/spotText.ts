// Converts spot amounts to plain decimals, and orders and trades to the rows of replies.

import { timeMs } from '../../base/brand.ts';
import { fromScaled } from '../../base/number/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { SpotCreated, SpotFill, SpotOrder as OrderAnswer } from '../../protocol/shapes/spot.ts';
import type { PublicTrade } from '../../protocol/shapes/market.ts';
import type { Match } from '../matching/matcher.ts';
import { wirePriceText, wireQuantityText } from './reads.ts';
import type { Profile } from '../dialect/switches.ts';
import { NEW_ORDER_STATE, type OwnTrade, type UserOrder, type VisibleState } from '../orders/userOrder.ts';

/** Returns units of the quote asset as a plain decimal. */
const quoteText = ({ quoteDigits }: Instrument, units: number): string => fromScaled(units, quoteDigits);

/** Decimals of an average price. */
const AVERAGE_DIGITS = 8;

/** Returns filledUnits / filledLots as a price, rounded half up to eight decimals; 0 without a fill. */
function averageText({ quoteDigits, quantityDigits }: Instrument, { filledUnits, filledLots }: VisibleState): string {
  if (filledLots === 0) return '0';
  const shift = AVERAGE_DIGITS - quoteDigits + quantityDigits;
  const numerator = BigInt(filledUnits) * 10n ** BigInt(Math.max(shift, 0));
  const denominator = BigInt(filledLots) * 10n ** BigInt(Math.max(-shift, 0));
  return fromScaled(Number((numerator * 2n + denominator) / (denominator * 2n)), AVERAGE_DIGITS);
}

/** Returns the fields that every spot reply about an order has. */
function commonFields(order: UserOrder, state: VisibleState, { marketBuyOrigQty }: Profile) {
  const { instrument, intent } = order;
  const isMarket = intent.limit === 0;
  const isByAmount = intent.quoteUnits > 0;
  const quantity = isByAmount && marketBuyOrigQty === 'base' ? state.filledLots : intent.lots;
  return {
    symbol: instrument.wireName,
    orderId: order.id,
    clientOrderId: order.clientOrderId,
    timeMs: timeMs(order.placedMs),
    price: wirePriceText(instrument, intent.limit),
    origQty: isByAmount && marketBuyOrigQty === 'quote' ? quoteText(instrument, intent.quoteUnits) : wireQuantityText(instrument, quantity),
    executedQty: wireQuantityText(instrument, state.filledLots),
    status: { word: state.status, raw: state.status },
    type: isMarket ? ({ word: 'MARKET', raw: 'MARKET' } as const) : ({ word: 'LIMIT', raw: 'LIMIT' } as const),
    side: intent.side,
  };
}

/** Returns the reply to a create request. It always shows the order before matching. */
export const createdOrderRecord = (order: UserOrder, profile: Profile): SpotCreated => commonFields(order, NEW_ORDER_STATE, profile);

/** Returns an order as queries and lists show it. */
export const spotOrderRecord = (order: UserOrder, state: VisibleState, profile: Profile): OrderAnswer => ({
  ...commonFields(order, state, profile),
  avgPrice: averageText(order.instrument, state),
});

/** Returns an own trade as the wire shows it. */
export function spotFillRecord(trade: OwnTrade): SpotFill {
  const { instrument, fee, feeInBase } = trade;
  return {
    symbol: instrument.wireName,
    tradeId: String(trade.tradeId),
    bidId: trade.bidId,
    askId: trade.askId,
    price: wirePriceText(instrument, trade.price),
    quantity: wireQuantityText(instrument, trade.lots),
    timeMs: timeMs(trade.timeMs),
    isBuyer: trade.isBuyer,
    isMaker: trade.isMaker,
    feeCoin: feeInBase ? instrument.base : instrument.quote,
    fee: feeInBase ? fromScaled(fee, instrument.baseDigits) : quoteText(instrument, fee),
  };
}

/** Returns a match as a public trade. */
export const publicTradeRow = (instrument: Instrument, match: Match): PublicTrade => ({
  id: String(match.tradeId),
  symbol: instrument.wireName,
  side: match.takerSide,
  price: wirePriceText(instrument, match.price),
  quantity: wireQuantityText(instrument, match.lots),
  timeMs: timeMs(match.timeMs),
});
