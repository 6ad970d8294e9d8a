// Converts futures amounts to plain decimals, and orders, trades and positions to the rows of replies.

import { positionTypeOf } from '../../protocol/contractModes.ts';
import { timeMs } from '../../base/brand.ts';
import { fromScaled } from '../../base/number/decimal.ts';
import { InvariantError } from '../../base/errors.ts';
import { pow10 } from '../../base/number/exact.ts';
import type { Contract as Terms } from '../../model/contract.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderStatus, OrderType, CodeReading } from '../../protocol/shapes/codes.ts';
import type {
  FuturesFill,
  FuturesOrder as OrderAnswer,
  OrderHistoryRow,
  ProfitHistoryRow,
  TriggerOrder,
} from '../../protocol/shapes/futures.ts';
import type { Trigger, TriggerKind, VenueTriggerStatus } from '../../venue/futures/triggers.ts';
import { wirePriceText, wireQuantityText } from './reads.ts';
import type { VisibleState } from '../orders/userOrder.ts';
import type { FuturesUserOrder, FuturesTrade } from '../futures/futuresOrder.ts';
import type { ReportedReduction } from '../futures/reductionRecord.ts';
import type { WireTrigger } from '../futures/triggerRecord.ts';

/** Extra decimals of a price that lies between ticks. */
const BETWEEN_DIGITS = 4;

/** Returns the contract terms of an instrument. Throws InvariantError for a spot pair. */
export function contractTerms({ id, contract }: Instrument): Terms {
  if (contract === undefined) throw new InvariantError(`${id} has no contract terms`);
  return contract;
}
/** Returns an amount of the settlement asset as a decimal. */
export const wireMoneyText = ({ quoteDigits }: Instrument, units: number): string => fromScaled(units, quoteDigits);
/** Returns a rate in ppm as a decimal. */
export const wireRateText = (ppm: number): string => fromScaled(ppm, 6);

/** Returns the decimal of a price in ticks with a fraction; 0 without a price. */
export function fractionalPriceText({ priceDigits }: Instrument, ticks: number): string {
  if (!Number.isFinite(ticks)) return '0';
  return fromScaled(Math.round(ticks * pow10(BETWEEN_DIGITS)), priceDigits + BETWEEN_DIGITS);
}

/** Returns the pair of a contract name: BTC-USDT for E-BTC-USDT. */
export const pairName = ({ wireName, contract }: Instrument): string => {
  const prefix = `${contract?.type ?? ''}-`;
  return wireName.startsWith(prefix) ? wireName.slice(prefix.length) : wireName;
};

/** Returns a code whose wire form is the word itself. */
const codeReading = <Word extends string>(text: Word): CodeReading<Word> => ({ word: text, raw: text });

/** An order that has not reached the book is INIT, as in the specification. */
const statusOf = ({ status, isAdmitted }: VisibleState): CodeReading<OrderStatus> =>
  codeReading(status === 'NEW' && !isAdmitted ? 'INIT' : status);

/** LIMIT or MARKET, as in the create request. */
const wireType = ({ intent }: FuturesUserOrder): 'LIMIT' | 'MARKET' => (intent.limit === 0 ? 'MARKET' : 'LIMIT');

/** Returns the `type` of histories, which also distinguishes kinds of limits and liquidations. */
function historyType(order: FuturesUserOrder): OrderType {
  return order.terms.isLiquidation ? 'LIQUIDATION' : (order.intent.timeInForce ?? wireType(order));
}

/** Returns the ordered volume: contracts, or the value of a MARKET OPEN by value. */
function volumeOf({ instrument, intent }: FuturesUserOrder): string {
  return intent.quoteUnits > 0 ? wireMoneyText(instrument, intent.quoteUnits) : wireQuantityText(instrument, intent.lots);
}

const averagePriceText = (instrument: Instrument, { filledLots, averageTicks }: VisibleState): string =>
  fractionalPriceText(instrument, filledLots > 0 ? averageTicks : NaN);

/** Returns an order as the list of open orders shows it. `isFull`: as the query of a single order shows it. */
export function futuresOrderRecord(order: FuturesUserOrder, state: VisibleState, isFull: boolean): OrderAnswer {
  const { instrument, intent } = order;
  const { timeInForce } = intent;
  return {
    side: intent.side,
    executedQty: wireQuantityText(instrument, state.filledLots),
    orderId: order.id,
    origQty: volumeOf(order),
    avgPrice: averagePriceText(instrument, state),
    tradeFee: isFull ? wireMoneyText(instrument, state.feeUnits) : null,
    realizedAmount: isFull ? wireMoneyText(instrument, state.profitUnits) : null,
    type: codeReading(wireType(order)),
    price: wirePriceText(instrument, intent.limit),
    timeMs: timeMs(order.placedMs),
    action: intent.reduceOnly ? 'CLOSE' : 'OPEN',
    contractName: instrument.wireName,
    timeInForce: codeReading(timeInForce ?? wireType(order)),
    status: statusOf(state),
  };
}

/** Returns an order as the order history shows it. */
export function orderHistoryRow(order: FuturesUserOrder, state: VisibleState): OrderHistoryRow {
  const { instrument, intent, terms } = order;
  const { contractId, openMakerFeePpm, openTakerFeePpm, closeMakerFeePpm, closeTakerFeePpm } = contractTerms(instrument);
  return {
    side: intent.side,
    clientId: order.clientOrderId,
    ctimeMs: timeMs(order.placedMs),
    positionType: positionTypeOf(terms.isCross),
    orderId: order.id,
    avgPrice: averagePriceText(instrument, state),
    realizedAmount: wireMoneyText(instrument, state.profitUnits),
    fee: wireMoneyText(instrument, state.feeUnits),
    openOrClose: intent.reduceOnly ? 'CLOSE' : 'OPEN',
    leverageLevel: terms.leverage,
    source: codeReading(terms.isLiquidation ? 'OTHER' : 'API'),
    type: codeReading(historyType(order)),
    volume: volumeOf(order),
    dealVolume: wireQuantityText(instrument, state.filledLots),
    price: wirePriceText(instrument, intent.limit),
    contractId,
    ctime: timeMs(order.placedMs),
    contractName: instrument.wireName,
    dealMoney: wireMoneyText(instrument, state.filledUnits),
    status: statusOf(state),
    openTakerFeeRate: wireRateText(openTakerFeePpm),
    openMakerFeeRate: wireRateText(openMakerFeePpm),
    closeTakerFeeRate: wireRateText(closeTakerFeePpm),
    closeMakerFeeRate: wireRateText(closeMakerFeePpm),
  };
}

/** Returns a reduction as the profit history shows it. */
export function profitHistoryRow(reduction: ReportedReduction): ProfitHistoryRow {
  const { instrument } = reduction;
  const moneyText = (units: number): string => wireMoneyText(instrument, units);
  const totalText = moneyText(reduction.profitUnits - reduction.feeUnits + reduction.fundingUnits);
  return {
    id: String(reduction.id),
    contractId: contractTerms(instrument).contractId,
    contractName: instrument.wireName,
    side: reduction.isLong ? 'buy' : 'sell',
    positionType: positionTypeOf(reduction.isCross),
    leverageLevel: reduction.leverage,
    volume: wireQuantityText(instrument, reduction.lots),
    openPrice: fractionalPriceText(instrument, reduction.openTicks),
    openEndPrice: fractionalPriceText(instrument, reduction.closeTicks),
    closeProfit: moneyText(reduction.profitUnits),
    tradeFee: moneyText(0 - reduction.feeUnits),
    capitalFee: moneyText(reduction.fundingUnits),
    shareAmount: '0',
    settleProfit: '0',
    realizedAmount: totalText,
    historyRealizedAmount: totalText,
    ctimeMs: timeMs(reduction.openedMs),
    mtimeMs: timeMs(reduction.timeMs),
  };
}

/** Returns an own trade as the wire shows it. */
export function futuresFillRecord(trade: FuturesTrade): FuturesFill {
  const { instrument } = trade;
  return {
    symbol: pairName(instrument),
    contractName: instrument.wireName,
    tradeId: String(trade.tradeId),
    side: trade.isBuyer ? 'buy' : 'sell',
    isBuyer: trade.isBuyer,
    isMaker: trade.isMaker,
    bidId: trade.bidId,
    askId: trade.askId,
    bidUserId: trade.bidUid,
    askUserId: trade.askUid,
    price: wirePriceText(instrument, trade.price),
    quantity: wireQuantityText(instrument, trade.lots),
    amount: wireMoneyText(instrument, trade.valueUnits),
    fee: wireMoneyText(instrument, trade.fee),
    timeMs: timeMs(trade.timeMs),
  };
}

const TRIGGER_TYPES = { stopLoss: 'STOP_LOSS', takeProfit: 'TAKE_PROFIT', rise: 'RISES_TO', fall: 'FALLS_TO' } as const satisfies Readonly<
  Record<TriggerKind, string>
>;
const TRIGGER_STATUSES = {
  pending: 'PENDING',
  expired: 'EXPIRED',
  triggered: 'TRIGGERED',
  failed: 'FAILED',
  canceled: 'CANCELED',
} as const satisfies Readonly<Record<VenueTriggerStatus, string>>;

/** Returns a trigger order as the wire shows it. */
export function triggerOrderRow({ id, trigger, placedMs }: WireTrigger): TriggerOrder {
  const { child, kind, price, status }: Trigger = trigger;
  const { instrument } = child;
  const { contractId, marginCoin } = contractTerms(instrument);
  return {
    triggerOrderId: id,
    side: child.side,
    triggerPrice: wirePriceText(instrument, price),
    marginCoin,
    volume: wireQuantityText(instrument, child.lots),
    price: wirePriceText(instrument, child.limit),
    contractId,
    contractName: instrument.wireName,
    id,
    triggerType: codeReading(TRIGGER_TYPES[kind]),
    open: child.reduceOnly ? 'CLOSE' : 'OPEN',
    status: codeReading(TRIGGER_STATUSES[status]),
    ctime: timeMs(placedMs),
  };
}
