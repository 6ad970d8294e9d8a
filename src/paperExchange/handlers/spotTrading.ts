// Handlers of the five spot calls that change orders: create, test create, batch create, cancel, batch cancel.

import { VENUE_CODES } from '../../model/venueCodes.ts';
import type { OrderIntent } from '../../model/order.ts';
import type { Instrument } from '../../model/instrument.ts';
import { emptyAnswer, encodeAnswer } from '../../protocol/shapes/answer.ts';
import { batchCanceledAnswer, batchCreatedAnswer, spotCancelAnswer, spotCreatedAnswer } from '../../protocol/shapes/spot.ts';
import { parseOrder, type ParsedOrder } from '../../venue/orderText.ts';
import { type CallArgs, instrumentArg, signedHandler, type Handlers, type SignedCall } from '../api/call.ts';
import { succeeded, refused, type HandlerReply } from '../api/message.ts';
import { missingOrderCode, precisionCode } from '../orders/codes.ts';
import type { UserOrder } from '../orders/userOrder.ts';
import type { Profile } from '../dialect/switches.ts';
import type { SpotExchange } from '../spot/spotExchange.ts';
import { createdOrderRecord } from './spotText.ts';

const { balanceNotEnough, paramNotRequired } = VENUE_CODES;

/** Returns the handlers of the spot calls that create and cancel orders. */
export function spotTrading(exchange: SpotExchange, profile: Profile): Handlers {
  return {
    'spot.newOrder': signedHandler(({ args, caller }) => {
      const parsed = intentOf(args, instrumentArg(args), 'type', profile);
      if (!parsed.ok) return refused(parsed.code);
      const order = exchange.place(caller.account, parsed.intent, args.texts.get('newClientOrderId') ?? null);
      if (order === null) return refused(precisionCode(exchange.refusalCode, parsed.intent, profile));
      return succeeded(encodeAnswer(spotCreatedAnswer, createdOrderRecord(order, profile), profile));
    }),
    'spot.testNewOrder': signedHandler(({ args, caller }) => {
      const parsed = intentOf(args, instrumentArg(args), 'type', profile);
      if (!parsed.ok) return refused(parsed.code);
      const code = profile.testOrderScope === 'parameters' ? 0 : exchange.refusalCodeFor(caller.account, parsed.intent);
      return code === 0 ? succeeded(encodeAnswer(emptyAnswer, null, profile)) : refused(precisionCode(code, parsed.intent, profile));
    }),
    'spot.batchOrders': signedHandler((call) => placeBatch(call, exchange, profile)),
    'spot.cancelOrder': signedHandler(({ args, caller }) => {
      const order = findNamedOrder(args, caller.account, exchange, profile.cancelByClientId === 'works');
      if (order === null) return refused(missingOrderCode('spot', profile));
      if (!exchange.cancel(order, profile.secondCancel === 'again')) return refused(exchange.refusalCode);
      const reply = {
        symbol: order.instrument.wireName,
        orderId: order.id,
        clientOrderId: order.clientOrderId,
        status: { word: 'PENDING_CANCEL', raw: 'PENDING_CANCEL' },
      } as const;
      return succeeded(encodeAnswer(spotCancelAnswer, reply, profile));
    }),
    'spot.batchCancel': signedHandler(({ args, caller }) => {
      const success: string[] = [];
      const failed: string[] = [];
      for (const id of args.ids) {
        const order = exchange.orders.find(caller.account, id);
        const isOnInstrument = order !== null && order.instrument === instrumentArg(args);
        const isCanceled = isOnInstrument && exchange.cancel(order, profile.secondCancel === 'again');
        (isCanceled ? success : failed).push(id);
      }
      return succeeded(encodeAnswer(batchCanceledAnswer, { success, failed }, profile));
    }),
  };
}

/** Step 13: returns the order in whole numbers, or an error code. `typeName` is the parameter that holds the type. */
function intentOf(args: CallArgs, instrument: Instrument, typeName: 'type' | 'batchType', profile: Profile): ParsedOrder {
  const sentText = (name: string): string | null => args.texts.get(name) ?? null;
  const type = sentText(typeName);
  if (type === 'MARKET' && sentText('price') !== null && profile.unknownParams === 'reject')
    return { ok: false, code: paramNotRequired.code };
  const fields = { symbol: instrument.wireName, volume: sentText('volume'), side: sentText('side'), type, price: sentText('price') };
  return parseOrder(fields, () => instrument);
}

/** Returns the order that a call names: by its id if one was sent, else by its client order id if `allowsClientId`. */
export function findNamedOrder(args: CallArgs, accountIndex: number, { orders }: SpotExchange, allowsClientId: boolean): UserOrder | null {
  const id = args.texts.get('orderId') ?? '';
  const clientId = args.texts.get('newClientOrderId') ?? '';
  let order: UserOrder | null = null;
  if (id !== '') order = orders.find(accountIndex, id);
  else if (allowsClientId && clientId !== '') order = orders.byClientId(accountIndex, clientId);
  if (order === null || args.instrument === null) return order;
  return order.instrument === args.instrument ? order : null;
}

/** Places a batch. All elements are checked before the first is placed; balances are checked one by one while placing. */
function placeBatch({ args, caller }: SignedCall, exchange: SpotExchange, profile: Profile): HandlerReply {
  const intents: OrderIntent[] = [];
  for (const row of args.rows) {
    const parsed = intentOf(row, instrumentArg(args), 'batchType', profile);
    if (!parsed.ok) return refused(parsed.code);
    intents.push(parsed.intent);
  }
  for (const intent of intents) {
    const code = exchange.refusalCodeFor(caller.account, intent);
    if (code !== 0 && code !== balanceNotEnough.code) return refused(precisionCode(code, intent, profile));
  }
  const placedOrders: UserOrder[] = [];
  for (const intent of intents) {
    const order = exchange.place(caller.account, intent, null);
    if (order !== null) {
      placedOrders.push(order);
      continue;
    }
    if (exchange.refusalCode === balanceNotEnough.code && profile.batchPartial === 'leaveOut') continue;
    for (const placedOrder of placedOrders) exchange.withdraw(placedOrder);
    return refused(exchange.refusalCode);
  }
  return succeeded(encodeAnswer(batchCreatedAnswer, { ids: placedOrders.map(({ id }) => id) }, profile));
}
