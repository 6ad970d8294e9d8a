// The switches of the paper exchange: one row for each question that the specification leaves open (exchange dialect, 10.4).

import { VARIANT_VALUES } from '../../protocol/shapes/variants.ts';

/** A choice between named values. The first value is the specification's reading. */
interface ChoiceSwitch<V extends string | boolean> {
  readonly values: readonly V[];
  /** Where the switch has its effect. */
  readonly acts: string;
  readonly means: string;
}

/** Any whole number above 0. */
interface NumberSwitch {
  readonly number: number;
  readonly acts: string;
  readonly means: string;
}

const choice = <const V extends string | boolean>(values: readonly V[], acts: string, means: string): ChoiceSwitch<V> => ({
  values,
  acts,
  means,
});
type ShapeValues = typeof VARIANT_VALUES;
const shape = <N extends keyof ShapeValues>(name: N, acts: string, means: string): ChoiceSwitch<ShapeValues[N][number]> => ({
  values: VARIANT_VALUES[name],
  acts,
  means,
});
const number = (byDefault: number, acts: string, means: string): NumberSwitch => ({ number: byDefault, acts, means });

/** In the order of section 10.4 of exchange dialect. */
export const SWITCHES = {
  signQuery: choice(['either', 'include', 'omit'], 'step 8', 'whether the query of a GET is part of the signed path'),
  contentType: choice(['all', 'post'], 'step 3', 'which requests need Content-Type: application/json'),
  replayedRequest: choice(['accept', 'refuse'], 'step 8', 'the same signed request a second time; refused with -1022'),
  ipListCode: choice(['-2015', '-2200'], 'step 6', 'code of a request from an address that the list of the key lacks'),
  banAfter: number(20, 'step 10', 'answers with 429 within 60 s after which the address is banned'),
  banMs: number(300_000, 'step 1', 'ms that the first ban lasts; each further one lasts twice as long'),
  retryAfter: choice(['off', 'on'], 'steps 1, 10', 'the header Retry-After on 429 and 418'),
  batchWeight: choice(['1', 'elements'], 'step 10', 'what a batch counts against its limit'),
  strictTypes: choice([false, true], 'step 12', 'a string where a number is due: refused with -1102'),
  unknownParams: choice(['ignore', 'reject'], 'steps 11, 13', 'parameters that are unknown (-1103) or of no use to the call (-1106)'),
  requiredWithDefault: choice(
    ['default', 'reject'],
    'step 12',
    'parameters that are required and have a default: -1102 without them, -1121 without a symbol',
  ),
  limitTooLarge: choice(['clamp', 'reject'], 'every limit', 'a limit above its maximum: taken as the maximum, or -1102'),
  symbolCase: choice(['any', 'upper'], 'step 12', 'spot symbols in any case everywhere, or on create alone'),
  precisionCodes: choice(['spec', 'byField'], 'step 14', 'too many decimals: -1147, of an amount -1111; or price -1111, volume -1147'),
  batchOrdersMethod: choice(['both', 'post', 'get'], 'step 2', 'method of batch orders'),
  batchPartial: choice(['leaveOut', 'refuse'], 'batch orders', 'an element without balance: has no id, or refuses the batch with -2017'),
  batchCancelField: choice(['both', 'orderIds', 'orderId'], 'batch cancel', 'name of the list'),
  conditionRequired: choice(['core', 'all'], 'trigger order', 'whether positionType is required too'),
  conditionPath: choice(['both', 'slash', 'noSlash'], 'step 2', 'the path of trigger orders, with or without its slash'),
  cancelTriggerPath: choice(
    ['/v1/inner/trigger_order_cancel', '/fapi/v1/cancel_trigger_order'],
    'step 2',
    'the path that cancels a trigger order',
  ),
  positionTypeRequired: choice(['no', 'yes'], 'create, futures', 'whether positionType is required'),
  missingOrderCode: choice(
    ['perMarket', '-2013', '-1112'],
    'step 15',
    'an order to cancel that does not exist: spot -2013, futures -1112; or one code',
  ),
  secondCancel: choice(['again', 'refuse'], 'step 15', 'a cancel of an order that waits for one: PENDING_CANCEL again, or -1145'),
  cancelByClientId: choice(['works', 'refuse'], 'spot cancel', 'a cancel by client id alone; refused as a missing order'),
  queryByClientId: choice(['dataNull', 'works'], 'spot query', 'a query by client id alone'),
  testOrderScope: choice(['balance', 'parameters'], 'test order', 'every check of a create, or those up to step 13'),
  settingsInUse: choice(['refuse', 'accept'], 'step 16', 'a change of settings with positions or orders open; refused with -1020'),
  positionsEndpoint: choice(['on', 'off'], 'step 2', 'whether there is futures positions'),
  errorHttp: shape('errorHttp', 'encoder', 'HTTP status of a business error: its own, or 200'),
  errorBody: shape('errorBody', 'encoder', 'errors in the payload of their market, or all as {code, msg, data: null}'),
  unknownPath: choice(['http404', 'code'], 'encoder', 'an unknown path: the answer of a web server, or HTTP 200 with -1002'),
  lists: shape('lists', 'encoder', 'spot open orders, own trades and trades: bare, or in {list: []}'),
  symbolsShape: shape('symbolsShape', 'symbols', 'a list; or {symbols: []} in lower case with minimums'),
  tradeFields: shape('tradeFields', 'trades', 'with id and symbol, or without'),
  spotOrderId: shape('spotOrderId', 'create, cancel', 'the order id: a number, with its text beside it, or in a list'),
  createStatus: shape('createStatus', 'spot create', 'status of an order just made'),
  cancelStatus: shape('cancelStatus', 'spot cancel', 'status in the answer to a cancel'),
  statusSpelling: shape('statusSpelling', 'encoder', 'spelling of statuses'),
  openOrdersClientId: shape('openOrdersClientId', 'spot open orders', 'clientOrderId in the list'),
  marketBuyOrigQty: choice(['quote', 'base'], 'spot order', 'origQty of a MARKET BUY: the amount asked for, or the quantity bought'),
  marketOpenUnit: choice(['value', 'contracts', 'v101'], 'futures create', 'unit of a MARKET OPEN'),
  timeInForceRead: shape('timeInForceRead', 'futures orders', 'timeInForce as a name or as a code'),
  batchIds: shape('batchIds', 'batch orders', 'ids as numbers, or as text beside them'),
  batchCancelAllWrong: shape('batchCancelAllWrong', 'batch cancel', 'answer when every id is wrong: the ids, or {}'),
  orderQueryShape: shape('orderQueryShape', 'futures query', 'the order itself, or a list of it'),
  futuresOpenOrders: shape('futuresOpenOrders', 'futures open orders', 'an envelope, null when empty; or a bare list'),
  historyMax: choice(['1000', '500', '100'], 'order history', 'the largest limit'),
  fromId: choice(['inclusive', 'exclusive'], 'histories, trades', 'whether the row of fromId itself is in the answer'),
  contractFields: shape('contractFields', 'contracts', 'contracts with limits in money, or without'),
  balancesUid: shape('balancesUid', 'spot account', 'the uid beside the balances'),
  lockedFormula: choice(['amount', 'amountPlusFee'], 'spot account', 'what a buy locks; with the fee, fees are paid in the quote asset'),
  okMsg: shape('okMsg', 'futures envelopes', 'msg of a success'),
  tickerTime: choice(['open', 'now'], 'spot ticker', 'time of a ticker: the start of its 24 hours, or now'),
  depthTime: shape('depthTime', 'futures depth', 'time of a book'),
  klineIdx: shape('klineIdx', 'klines', 'idx in ms or in s'),
  klinesOpenBar: choice(['on', 'off'], 'klines', 'whether the running bar is the newest row'),
  klinesRange: choice(['none', 'startEnd'], 'klines', 'whether startTime and endTime are parameters'),
  intervals: choice(
    ['spec', 'futures4h', 'wide'],
    'klines',
    'spot 1h is empty; or futures 1h is empty and 4h served; or both markets serve 1h and 4h',
  ),
  heartbeatForm: choice(['frame', 'message'], '/ws', 'a ping as a control frame, or as {"ping": ms}'),
} as const;

/** The name of a switch. */
export type SwitchName = keyof typeof SWITCHES;
type ValueOf<S> = S extends { readonly values: readonly (infer V)[] } ? V : S extends { readonly number: number } ? number : never;

/** A value for every switch. */
export type Profile = { readonly [Name in SwitchName]: ValueOf<(typeof SWITCHES)[Name]> };
