// The switches of the paper exchange: one row for each question that the specification of the exchange leaves open. A profile answers them.
// `step N` is the N-th check of a request, from bans of the address (1) to changes of settings (16). Names and values are keys of profile
// files, so they stay as they are. docs/maintainers/coverage.md lists the switches in this order.

import { VARIANT_VALUES } from '../../protocol/shapes/variants.ts';

/** A choice between named values. The first value is the specification's reading. */
interface ChoiceSwitch<V extends string | boolean> {
  readonly values: readonly V[];
  /** Where the switch has its effect: a step of the checks, or a kind of call. */
  readonly appliesAt: string;
  /** The open question, with its answers in the order of `values` where they need an explanation. */
  readonly meaning: string;
}

/** Any whole number above 0. */
interface NumberSwitch {
  readonly defaultNumber: number;
  readonly appliesAt: string;
  readonly meaning: string;
}

const choiceSwitch = <const V extends string | boolean>(values: readonly V[], appliesAt: string, meaning: string): ChoiceSwitch<V> => ({
  values,
  appliesAt,
  meaning,
});
type ShapeValues = typeof VARIANT_VALUES;
/** Returns a switch for the form of a reply. Its values are those of the variant `name` of the protocol. */
const shapeSwitch = <N extends keyof ShapeValues>(name: N, appliesAt: string, meaning: string): ChoiceSwitch<ShapeValues[N][number]> => ({
  values: VARIANT_VALUES[name],
  appliesAt,
  meaning,
});
const numberSwitch = (defaultNumber: number, appliesAt: string, meaning: string): NumberSwitch => ({ defaultNumber, appliesAt, meaning });

/** All switches by name. */
export const SWITCHES = {
  signQuery: choiceSwitch(['either', 'include', 'omit'], 'step 8', 'whether the query of a GET is part of the signed path'),
  contentType: choiceSwitch(['all', 'post'], 'step 3', 'which requests need Content-Type: application/json'),
  replayedRequest: choiceSwitch(['accept', 'refuse'], 'step 8', 'the same signed request a second time; refused with -1022'),
  ipListCode: choiceSwitch(['-2015', '-2200'], 'step 6', 'code of a request from an address that the list of the key lacks'),
  banAfter: numberSwitch(20, 'step 10', 'answers with 429 within 60 s after which the address is banned'),
  banMs: numberSwitch(300_000, 'step 1', 'ms that the first ban lasts; each further one lasts twice as long'),
  retryAfter: choiceSwitch(['off', 'on'], 'steps 1, 10', 'the header Retry-After on 429 and 418'),
  batchWeight: choiceSwitch(['1', 'elements'], 'step 10', 'what a batch counts against its limit'),
  strictTypes: choiceSwitch([false, true], 'step 12', 'a string where a number is due: refused with -1102'),
  unknownParams: choiceSwitch(['ignore', 'reject'], 'steps 11, 13', 'parameters that are unknown (-1103) or of no use to the call (-1106)'),
  requiredWithDefault: choiceSwitch(
    ['default', 'reject'],
    'step 12',
    'parameters that are required and have a default: -1102 without them, -1121 without a symbol',
  ),
  limitTooLarge: choiceSwitch(['clamp', 'reject'], 'every limit', 'a limit above its maximum: taken as the maximum, or -1102'),
  symbolCase: choiceSwitch(['any', 'upper'], 'step 12', 'spot symbols in any case everywhere, or on create alone'),
  precisionCodes: choiceSwitch(
    ['spec', 'byField'],
    'step 14',
    'too many decimals: -1147, of an amount -1111; or price -1111, volume -1147',
  ),
  batchOrdersMethod: choiceSwitch(['both', 'post', 'get'], 'step 2', 'method of batch orders'),
  batchPartial: choiceSwitch(
    ['leaveOut', 'refuse'],
    'batch orders',
    'an element without balance: has no id, or refuses the batch with -2017',
  ),
  batchCancelField: choiceSwitch(['both', 'orderIds', 'orderId'], 'batch cancel', 'name of the list'),
  conditionRequired: choiceSwitch(['core', 'all'], 'trigger order', 'whether positionType is required too'),
  conditionPath: choiceSwitch(['both', 'slash', 'noSlash'], 'step 2', 'the path of trigger orders, with or without its slash'),
  cancelTriggerPath: choiceSwitch(
    ['/v1/inner/trigger_order_cancel', '/fapi/v1/cancel_trigger_order'],
    'step 2',
    'the path that cancels a trigger order',
  ),
  positionTypeRequired: choiceSwitch(['no', 'yes'], 'create, futures', 'whether positionType is required'),
  missingOrderCode: choiceSwitch(
    ['perMarket', '-2013', '-1112'],
    'step 15',
    'an order to cancel that does not exist: spot -2013, futures -1112; or one code',
  ),
  secondCancel: choiceSwitch(['again', 'refuse'], 'step 15', 'a cancel of an order that waits for one: PENDING_CANCEL again, or -1145'),
  cancelByClientId: choiceSwitch(['works', 'refuse'], 'spot cancel', 'a cancel by client id alone; refused as a missing order'),
  queryByClientId: choiceSwitch(['dataNull', 'works'], 'spot query', 'a query by client id alone'),
  testOrderScope: choiceSwitch(['balance', 'parameters'], 'test order', 'every check of a create, or those up to step 13'),
  settingsInUse: choiceSwitch(['refuse', 'accept'], 'step 16', 'a change of settings with positions or orders open; refused with -1020'),
  positionsEndpoint: choiceSwitch(['on', 'off'], 'step 2', 'whether there is futures positions'),
  errorHttp: shapeSwitch('errorHttp', 'encoder', 'HTTP status of a business error: its own, or 200'),
  errorBody: shapeSwitch('errorBody', 'encoder', 'errors in the payload of their market, or all as {code, msg, data: null}'),
  unknownPath: choiceSwitch(['http404', 'code'], 'encoder', 'an unknown path: the answer of a web server, or HTTP 200 with -1002'),
  lists: shapeSwitch('lists', 'encoder', 'spot open orders, own trades and trades: bare, or in {list: []}'),
  symbolsShape: shapeSwitch('symbolsShape', 'symbols', 'a list; or {symbols: []} in lower case with minimums'),
  tradeFields: shapeSwitch('tradeFields', 'trades', 'with id and symbol, or without'),
  spotOrderId: shapeSwitch('spotOrderId', 'create, cancel', 'the order id: a number, with its text beside it, or in a list'),
  createStatus: shapeSwitch('createStatus', 'spot create', 'status of an order just made'),
  cancelStatus: shapeSwitch('cancelStatus', 'spot cancel', 'status in the answer to a cancel'),
  statusSpelling: shapeSwitch('statusSpelling', 'encoder', 'spelling of statuses'),
  openOrdersClientId: shapeSwitch('openOrdersClientId', 'spot open orders', 'clientOrderId in the list'),
  marketBuyOrigQty: choiceSwitch(['quote', 'base'], 'spot order', 'origQty of a MARKET BUY: the amount asked for, or the quantity bought'),
  marketOpenUnit: choiceSwitch(['value', 'contracts', 'v101'], 'futures create', 'unit of a MARKET OPEN'),
  timeInForceRead: shapeSwitch('timeInForceRead', 'futures orders', 'timeInForce as a name or as a code'),
  batchIds: shapeSwitch('batchIds', 'batch orders', 'ids as numbers, or as text beside them'),
  batchCancelAllWrong: shapeSwitch('batchCancelAllWrong', 'batch cancel', 'answer when every id is wrong: the ids, or {}'),
  orderQueryShape: shapeSwitch('orderQueryShape', 'futures query', 'the order itself, or a list of it'),
  futuresOpenOrders: shapeSwitch('futuresOpenOrders', 'futures open orders', 'an envelope, null when empty; or a bare list'),
  historyMax: choiceSwitch(['1000', '500', '100'], 'order history', 'the largest limit'),
  fromId: choiceSwitch(['inclusive', 'exclusive'], 'histories, trades', 'whether the row of fromId itself is in the answer'),
  contractFields: shapeSwitch('contractFields', 'contracts', 'contracts with limits in money, or without'),
  balancesUid: shapeSwitch('balancesUid', 'spot account', 'the uid beside the balances'),
  lockedFormula: choiceSwitch(
    ['amount', 'amountPlusFee'],
    'spot account',
    'what a buy locks; with the fee, fees are paid in the quote asset',
  ),
  okMsg: shapeSwitch('okMsg', 'futures envelopes', 'msg of a success'),
  tickerTime: choiceSwitch(['open', 'now'], 'spot ticker', 'time of a ticker: the start of its 24 hours, or now'),
  depthTime: shapeSwitch('depthTime', 'futures depth', 'time of a book'),
  klineIdx: shapeSwitch('klineIdx', 'klines', 'idx in ms or in s'),
  klinesOpenBar: choiceSwitch(['on', 'off'], 'klines', 'whether the running bar is the newest row'),
  klinesRange: choiceSwitch(['none', 'startEnd'], 'klines', 'whether startTime and endTime are parameters'),
  intervals: choiceSwitch(
    ['spec', 'futures4h', 'wide'],
    'klines',
    'spot 1h is empty; or futures 1h is empty and 4h served; or both markets serve 1h and 4h',
  ),
  heartbeatForm: choiceSwitch(['frame', 'message'], '/ws', 'a ping as a control frame, or as {"ping": ms}'),
} as const;

/** The name of a switch. */
export type SwitchName = keyof typeof SWITCHES;
type ValueOf<S> = S extends { readonly values: readonly (infer V)[] } ? V : S extends { readonly defaultNumber: number } ? number : never;

/** A value for every switch. */
export type Profile = { readonly [Name in SwitchName]: ValueOf<(typeof SWITCHES)[Name]> };
