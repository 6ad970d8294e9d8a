// Handlers of the futures calls that create and cancel orders: create, trigger order, cancel, cancel of a trigger.

import { POSITION_TYPE } from '../../protocol/contractModes.ts';
import { lots, ticks, units } from '../../base/brand.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { OrderIntent, TimeInForce } from '../../model/order.ts';
import { VENUE_CODES } from '../../model/venueCodes.ts';
import { encodeAnswer } from '../../protocol/shapes/answer.ts';
import { triggerOrderCreatedAnswer, orderIdAnswer, triggerCanceledAnswer } from '../../protocol/shapes/futures.ts';
import { TRIGGER_KINDS } from '../../venue/futures/triggers.ts';
import { scaleText } from '../../venue/orderText.ts';
import { type CallArgs, type Handlers, instrumentArg, signedHandler, type SignedCall, textArg, integerArg } from '../api/call.ts';
import { succeeded, refused, type HandlerReply } from '../api/message.ts';
import { missingOrderCode, precisionCode } from '../orders/codes.ts';
import type { Profile } from '../dialect/switches.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import { contractTerms } from './futuresText.ts';

const { paramNotRequired, paramError, closeVolumeExceeded } = VENUE_CODES;

/** The unit in which the volume of an order is given. */
type VolumeUnit = 'contracts' | 'coin' | 'value';
/** The wire's numbers of these units. */
const UNIT_CODES: Readonly<Record<VolumeUnit, string>> = { coin: '1', contracts: '2', value: '3' };

/** Returns the handlers of the futures calls that create and cancel orders. */
export function futuresTrading(exchange: FuturesExchange, profile: Profile): Handlers {
  return {
    'futures.createOrder': signedHandler((call) => {
      const { args, caller } = call;
      const code = combinationCode(call, exchange, profile);
      if (code !== 0) return refused(code);
      const intent = intentOf(args, unitOf(call, profile));
      const order = exchange.place(caller.account, intent, args.texts.get('clientOrderId') ?? null);
      if (order === null) return refused(precisionCode(exchange.refusalCode, intent, profile));
      return succeeded(encodeAnswer(orderIdAnswer, { orderId: order.id }, profile));
    }),
    'futures.createConditionOrder': signedHandler((call) => createTriggerOrder(call, exchange, profile)),
    'futures.cancelOrder': signedHandler(({ args, caller }) => {
      const order = exchange.orders.find(caller.account, textArg(args, 'orderId'));
      if (order === null || order.instrument !== instrumentArg(args)) return refused(missingOrderCode('futures', profile));
      if (!exchange.cancel(order, profile.secondCancel === 'again')) return refused(exchange.refusalCode);
      return succeeded(encodeAnswer(orderIdAnswer, { orderId: order.id }, profile));
    }),
    'futures.cancelTriggerOrder': signedHandler(({ args, caller }) => {
      const trigger = exchange.triggers.find(caller.account, textArg(args, 'orderId'));
      if (trigger === null || trigger.trigger.child.instrument !== instrumentArg(args))
        return refused(missingOrderCode('futures', profile));
      if (!exchange.cancelTrigger(trigger, profile.secondCancel === 'again')) return refused(exchange.refusalCode);
      return succeeded(encodeAnswer(triggerCanceledAnswer, null, profile));
    }),
  };
}

/** Handles the create of a trigger order. A trigger whose price is already reached fires at once. */
function createTriggerOrder(call: SignedCall, exchange: FuturesExchange, profile: Profile): HandlerReply {
  const { args, caller, nowMs } = call;
  const code = combinationCode(call, exchange, profile);
  if (code !== 0) return refused(code);
  const instrument = instrumentArg(args);
  const kind = TRIGGER_KINDS[integerArg(args, 'triggerType') - 1]!;
  const child = intentOf(args, 'contracts');
  const price = scaleText(textArg(args, 'triggerPrice'), instrument.priceDigits);
  const clientOrderId = args.texts.get('clientOrderId') ?? null;
  const times = { placedMs: nowMs, sinceMs: exchange.waitsSinceMs(instrument, nowMs) };
  const placedTrigger = exchange.triggers.place(caller.account, { kind, triggerTicks: price, child, clientOrderId, ...times });
  if (placedTrigger === null) {
    const isPriceWrong = !Number.isInteger(price) || !Number.isInteger(child.limit);
    return refused(precisionCode(exchange.triggers.refusalCode, isPriceWrong ? { ...child, limit: ticks(NaN) } : child, profile));
  }
  exchange.fireReachedTriggers(instrument);
  return succeeded(encodeAnswer(triggerOrderCreatedAnswer, { triggerIds: [placedTrigger.id], ids: [], cancelIds: [] }, profile));
}

/** Step 13. Also checks the position type against the account, or against the position to be closed. Returns 0 or an error code. */
function combinationCode({ args, caller: { account } }: SignedCall, { venue }: FuturesExchange, { unknownParams }: Profile): number {
  if (args.texts.has('price') && textArg(args, 'type') === 'MARKET' && unknownParams === 'reject') return paramNotRequired.code;
  const positionType = args.texts.get('positionType');
  if (positionType === undefined) return 0;
  const instrument = instrumentArg(args);
  const isCross = positionType === String(POSITION_TYPE.cross);
  if (textArg(args, 'open') === 'OPEN') return venue.setting(account, instrument).isCross === isCross ? 0 : paramError.code;
  const position = venue.wallets.position(account, venue.book(instrument).index, textArg(args, 'side') === 'SELL');
  return position.lots === 0 || position.isCross === isCross ? 0 : closeVolumeExceeded.code;
}

/** Returns the unit of the volume. The switch decides for a MARKET OPEN; all other orders are in contracts (exchange dialect, 7.1). */
function unitOf({ args, headers }: SignedCall, { marketOpenUnit }: Profile): VolumeUnit {
  const isMarketOpen = textArg(args, 'type') === 'MARKET' && textArg(args, 'open') === 'OPEN';
  if (marketOpenUnit !== 'v101') return isMarketOpen ? marketOpenUnit : 'contracts';
  // Without the header the earlier reading applies.
  if (headers['futures-version'] !== '101') return isMarketOpen ? 'value' : 'contracts';
  const unitCode = args.texts.get('orderUnit') ?? UNIT_CODES.contracts;
  if (isMarketOpen && unitCode === UNIT_CODES.value) return 'value';
  return unitCode === UNIT_CODES.coin ? 'coin' : 'contracts';
}

/** Returns the order in whole numbers. An amount finer than its scale becomes a fraction, which the venue refuses. */
function intentOf(args: CallArgs, unit: VolumeUnit): OrderIntent {
  const instrument = instrumentArg(args);
  const isLimit = textArg(args, 'type') === 'LIMIT';
  const volume = textArg(args, 'volume');
  return {
    instrument,
    side: textArg(args, 'side') === 'BUY' ? 'buy' : 'sell',
    role: isLimit ? 'limit' : 'market',
    lots: lots(lotsOf(instrument, unit, volume)),
    quoteUnits: units(unit === 'value' ? scaleText(volume, instrument.quoteDigits) : 0),
    limit: ticks(isLimit ? scaleText(textArg(args, 'price'), instrument.priceDigits) : 0),
    reduceOnly: textArg(args, 'open') === 'CLOSE',
    timeInForce: timeInForceOf(args),
    slot: '',
  };
}

/** Returns the ordered lots; 0 for an order by value. */
function lotsOf(instrument: Instrument, unit: VolumeUnit, volume: string): number {
  if (unit === 'value') return 0;
  return unit === 'coin' ? lotsOfCoins(instrument, volume) : scaleText(volume, instrument.quantityDigits);
}

/** Returns the largest number of lots whose face value is at most `volume` coins. */
function lotsOfCoins(instrument: Instrument, volume: string): number {
  const { multiplier, multiplierDigits } = contractTerms(instrument);
  return Math.floor(scaleText(volume, multiplierDigits + instrument.quantityDigits) / multiplier);
}

/** Returns the time in force of a request; null if it states none. */
function timeInForceOf({ texts }: CallArgs): TimeInForce | null {
  const text = texts.get('timeInForce');
  return text === 'IOC' || text === 'FOK' || text === 'POST_ONLY' ? text : null;
}
