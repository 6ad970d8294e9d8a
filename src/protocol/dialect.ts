// The dialect of a service: what a request may look like where services differ; how each option was found is told by `isobar doctor`.

import { INTERVALS, type Interval } from '../model/interval.ts';
import type { Market } from '../model/instrument.ts';

export interface Dialect {
  /** Put before every path, for services that live below one. */
  readonly pathPrefix: Readonly<Record<Market, string>>;
  /** Whether that prefix stands in the string to sign. */
  readonly signPathPrefix: boolean;
  /** Whether the query of a GET does. Real services: yes; the specification does not say. */
  readonly signQuery: 'include' | 'omit';
  readonly contentTypeOnGet: boolean;
  /** ms from 1 to 5000, sent in bodies of signed POSTs; null sends none, and the service takes 5000. */
  readonly recvWindow: number | null;
  /** Of spot symbols. */
  readonly symbolCase: 'upper' | 'lower';
  readonly batchCancelIdsField: 'orderIds' | 'orderId';
  readonly clientIdQueryName: 'newClientOrderId' | 'newClientorderId';
  /** Whether an order can be found by its client id alone: for those who ask, not for the bytes. */
  readonly queryByClientId: 'unknown' | 'works';
  readonly conditionPath: '/fapi/v1/conditionOrder/' | '/fapi/v1/conditionOrder';
  readonly cancelTriggerPath: '/v1/inner/trigger_order_cancel' | '/fapi/v1/cancel_trigger_order';
  /**
   * Futures orders that open at the market. Services read their volume as a value or as contracts, and the wrong reading trades many
   * times too much: by default none is sent (`limitIoc`: a capped limit order takes its place; `forbid`: nothing does).
   */
  readonly marketOpen: 'limitIoc' | 'value' | 'v101' | 'forbid';
  /** Value of the header `futures-version`; `marketOpen: v101` implies 101. */
  readonly futuresVersionHeader: string | null;
  /** Where positions are read: for those who ask. */
  readonly positionsFrom: 'positions' | 'account';
  /** Names of intervals where they are not the specification's; null where the service has none. */
  readonly intervals: Readonly<Record<Market, Readonly<Partial<Record<Interval, string | null>>>>>;
  /** Whether klines take `startTime` and `endTime`, which the specification does not have. */
  readonly klinesRange: 'none' | 'startEnd';
}

export const DEFAULT_DIALECT: Dialect = {
  pathPrefix: { spot: '', futures: '' },
  signPathPrefix: true,
  signQuery: 'include',
  contentTypeOnGet: true,
  recvWindow: null,
  symbolCase: 'upper',
  batchCancelIdsField: 'orderIds',
  clientIdQueryName: 'newClientOrderId',
  queryByClientId: 'unknown',
  conditionPath: '/fapi/v1/conditionOrder/',
  cancelTriggerPath: '/v1/inner/trigger_order_cancel',
  marketOpen: 'limitIoc',
  futuresVersionHeader: null,
  positionsFrom: 'positions',
  intervals: { spot: {}, futures: {} },
  klinesRange: 'none',
};

/** The specification's names; spot has no 4h, and answers its 1h with an empty list. */
const WIRE_NAMES: Readonly<Record<Market, Readonly<Partial<Record<Interval, string>>>>> = {
  spot: { '1m': '1min', '5m': '5min', '15m': '15min', '30m': '30min', '1h': '60min', '1d': '1day', '1w': '1week', '1M': '1month' },
  futures: { '1m': '1min', '5m': '5min', '15m': '15min', '30m': '30min', '1h': '1h', '1d': '1day', '1w': '1week', '1M': '1month' },
};

/** The name of an interval on the wire of `market`; null where it has none, and bars are made of shorter ones. */
export function wireInterval(market: Market, interval: Interval, dialect: Dialect = DEFAULT_DIALECT): string | null {
  const own = dialect.intervals[market][interval];
  return own === undefined ? (WIRE_NAMES[market][interval] ?? null) : own;
}

/** The interval that a name of the wire means on `market`; null for a name that it does not have. */
export function intervalOfWire(market: Market, name: string, dialect: Dialect = DEFAULT_DIALECT): Interval | null {
  return INTERVALS.find((interval) => wireInterval(market, interval, dialect) === name) ?? null;
}
