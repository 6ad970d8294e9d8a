// The dialect of a service: how its API differs from the specification, as clients see it. `isobar doctor` reports how it found each
// option.

import { nestedIn } from '../model/bars/aggregateBars.ts';
import { INTERVALS, isCommon, type CommonInterval, type Interval } from '../model/interval.ts';
import type { Market } from '../model/instrument.ts';

/** How a service differs from the specification. docs/exchange-access.md explains how to find out. */
export interface Dialect {
  /** Prefix of every path, for services that are below a path. */
  readonly pathPrefix: Readonly<Record<Market, string>>;
  /** True if the signature covers the prefix. */
  readonly signPathPrefix: boolean;
  /** Whether the signature covers the query of a GET. The specification does not say; on real services it does. */
  readonly signQuery: 'include' | 'omit';
  readonly contentTypeOnGet: boolean;
  /** Admission window in ms, from 1 to 5000, in bodies of signed POSTs. Null: it is not sent, and the service assumes 5000. */
  readonly recvWindow: number | null;
  /** Case of spot symbols. */
  readonly symbolCase: 'upper' | 'lower';
  readonly batchCancelIdsField: 'orderIds' | 'orderId';
  readonly clientIdQueryName: 'newClientOrderId' | 'newClientorderId';
  /** Whether an order can be found by its client order id alone. It decides which queries are sent. */
  readonly queryByClientId: 'unknown' | 'works';
  readonly conditionPath: '/fapi/v1/conditionOrder/' | '/fapi/v1/conditionOrder';
  readonly cancelTriggerPath: '/v1/inner/trigger_order_cancel' | '/fapi/v1/cancel_trigger_order';
  /**
   * How futures market orders that open a position are sent. Services read their volume as a value or as contracts, and the wrong reading
   * trades a multiple of the intended size. By default none is sent: `limitIoc` sends a capped limit order instead, `forbid` sends nothing.
   */
  readonly marketOpen: 'limitIoc' | 'value' | 'v101' | 'forbid';
  /** Value of the header `futures-version`; `marketOpen: v101` implies 101. */
  readonly futuresVersionHeader: string | null;
  /** The call that reads positions. */
  readonly positionsFrom: 'positions' | 'account';
  /** Wire names of intervals that differ from the specification's; null if the service lacks the interval. */
  readonly intervals: Readonly<Record<Market, Readonly<Partial<Record<CommonInterval, string | null>>>>>;
  /** Whether klines accept `startTime` and `endTime`, which the specification does not have. */
  readonly klinesRange: 'none' | 'startEnd';
}

/** A service that follows the specification. */
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

/** The specification's names. Spot has no 4h, and answers its 1h with an empty list. */
const WIRE_NAMES: Readonly<Record<Market, Readonly<Partial<Record<CommonInterval, string>>>>> = {
  spot: { '1m': '1min', '5m': '5min', '15m': '15min', '30m': '30min', '1h': '60min', '1d': '1day', '1w': '1week', '1M': '1month' },
  futures: { '1m': '1min', '5m': '5min', '15m': '15min', '30m': '30min', '1h': '1h', '1d': '1day', '1w': '1week', '1M': '1month' },
};

/** Returns the wire name of an interval; null if the market does not have it. Then bars are built from shorter ones. */
export function wireInterval(market: Market, interval: Interval, dialect: Dialect = DEFAULT_DIALECT): string | null {
  if (!isCommon(interval)) return null;
  const ofDialect = dialect.intervals[market][interval];
  return ofDialect === undefined ? (WIRE_NAMES[market][interval] ?? null) : ofDialect;
}

/** Returns the kline intervals from which bars of `interval` can be built: the interval itself, then shorter ones, the longest first. */
export function wireSources(market: Market, interval: Interval, dialect: Dialect = DEFAULT_DIALECT): readonly CommonInterval[] {
  const sameInterval = isCommon(interval) ? [interval] : [];
  return [...sameInterval, ...nestedIn(interval, INTERVALS)].filter((each) => wireInterval(market, each, dialect) !== null);
}

/** Returns the interval of a wire name on `market`; null if it does not exist there. */
export function intervalOfWire(market: Market, name: string, dialect: Dialect = DEFAULT_DIALECT): CommonInterval | null {
  return INTERVALS.find((interval) => wireInterval(market, interval, dialect) === name) ?? null;
}
