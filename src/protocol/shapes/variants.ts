// Lists the switches for forms of replies that the specification leaves open, each with the specification's reading first.

/** Values of each switch. The reader always accepts every value of every switch. */
export const VARIANT_VALUES = {
  /** HTTP status of a business error: its own, or 200. */
  errorHttp: ['http4xx', 'http200'],
  /** Errors in the payload of their market, or all as `{code, msg, data: null}`. */
  errorBody: ['spec', 'dataNull'],
  /** Spot trades, open orders and own trades: bare, or in `{list: []}`. */
  lists: ['bare', 'list'],
  /** Spot instruments: a list, or `{symbols: []}` in lower case with minimums. */
  symbolsShape: ['list', 'symbols'],
  /** Recent trades with id and symbol, or without. */
  tradeFields: ['six', 'four'],
  /** Order id of a spot create and cancel: a number, with its text beside it, or in a list. */
  spotOrderId: ['number', 'both', 'array'],
  /** Status of a new spot order. */
  createStatus: ['0', 'NEW'],
  /** Status in the reply to a spot cancel. */
  cancelStatus: ['PENDING_CANCEL', 'CANCELED'],
  /** Names of statuses; `words` on spot only. */
  statusSpelling: ['canonical', 'variant', 'words'],
  openOrdersClientId: ['on', 'off'],
  /** `timeInForce` of futures orders. */
  timeInForceRead: ['name', 'code'],
  /** Reply to a batch: ids as numbers, or with their text as well. */
  batchIds: ['ids', 'both'],
  /** Reply to a batch cancel in which every id is wrong: the ids, or `{}`. */
  batchCancelAllWrong: ['failed', 'empty'],
  /** Reply to the query of a futures order: the order, or a list with only this order. */
  orderQueryShape: ['object', 'array'],
  /** Futures open orders: an envelope whose data is null if there are none, or a bare list. */
  futuresOpenOrders: ['envelopeNull', 'bare'],
  /** Contracts with limits in money, or without. */
  contractFields: ['spec', 'wide'],
  /** Spot account with a uid. */
  balancesUid: ['off', 'on'],
  /** `msg` of a success. */
  okMsg: ['成功', 'Success'],
  /** `time` of futures depth. */
  depthTime: ['ms', 'null'],
  /** `idx` of klines. */
  klineIdx: ['ms', 's'],
} as const;

/** A value for each switch. */
export type Variants = { readonly [Name in keyof typeof VARIANT_VALUES]: (typeof VARIANT_VALUES)[Name][number] };

/** The specification's reading of each switch: the profile `seed` of the paper exchange. */
export const SEED_VARIANTS: Variants = {
  errorHttp: 'http4xx',
  errorBody: 'spec',
  lists: 'bare',
  symbolsShape: 'list',
  tradeFields: 'six',
  spotOrderId: 'number',
  createStatus: '0',
  cancelStatus: 'PENDING_CANCEL',
  statusSpelling: 'canonical',
  openOrdersClientId: 'on',
  timeInForceRead: 'name',
  batchIds: 'ids',
  batchCancelAllWrong: 'failed',
  orderQueryShape: 'object',
  futuresOpenOrders: 'envelopeNull',
  contractFields: 'spec',
  balancesUid: 'off',
  okMsg: '成功',
  depthTime: 'ms',
  klineIdx: 'ms',
};
