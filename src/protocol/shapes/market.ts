// Describes the replies of the public endpoints: time, instruments, order books, tickers, trades, klines and index prices.

import { compareAscending } from '../../base/text/compareAscending.ts';
import { isObject, jsonObject, type Json } from '../json/json.ts';
import { listAnswer, recordAnswer, readRows, listFrom, type AnswerShape, type Listing } from './answer.ts';
import { required, nullable, optional, optionalIf, wireRecord } from './record.ts';
import {
  wireBarTime,
  wireDecimal,
  wireDecimalString,
  wireId,
  wireInteger,
  wireLevel,
  Mismatch,
  wirePrice,
  wirePriceString,
  wireSide,
  wireText,
  wireTime,
  wireUpperText,
  type DepthLevel,
  type Value,
} from './value.ts';
import type { TimeMs } from '../../base/brand.ts';
import type { Variants } from './variants.ts';

/** Wraps a list as `{list: []}` if a switch asks for it. */
export const bareOrWrappedList = (rows: readonly Json[], { lists }: Variants): Json =>
  lists === 'list' ? jsonObject({ list: rows }) : rows;
const bare = (rows: readonly Json[]): Json => rows;

const serverTime = wireRecord({ serverTimeMs: required(wireTime, 'serverTime'), timezone: optional(wireText) });
/** The reply with the clock of the service. */
export const serverTimeAnswer = recordAnswer(serverTime, '{serverTime, timezone}');

const hasWrappedSymbols = (variants: Variants): boolean => variants.symbolsShape === 'symbols';

/** A spot instrument. Minimums are null if the service does not report them. */
export type SpotSymbol = ReturnType<typeof spotSymbol.read>;
const spotSymbol = wireRecord({
  symbol: required(wireUpperText),
  baseAsset: required(wireUpperText),
  quoteAsset: required(wireUpperText),
  pricePrecision: required(wireInteger),
  quantityPrecision: required(wireInteger, 'QuantityPrecision', 'quantityPrecision'),
  limitVolumeMin: optionalIf(hasWrappedSymbols, wireDecimalString),
  limitPriceMin: optionalIf(hasWrappedSymbols, wireDecimalString),
  limitAmountMin: optionalIf(hasWrappedSymbols, wireDecimalString),
  marketBuyMin: optionalIf(hasWrappedSymbols, wireDecimalString),
  marketSellMin: optionalIf(hasWrappedSymbols, wireDecimalString),
});
/** The reply with the spot instruments. */
export const symbolsAnswer = listAnswer(spotSymbol, {
  shape: 'list of {symbol, baseAsset, quoteAsset, pricePrecision, QuantityPrecision}',
  write: (rows, variants) => (hasWrappedSymbols(variants) ? jsonObject({ symbols: rows.map(wrapSymbol) }) : rows),
});

/** Returns a spot instrument in the form of services that wrap their list. */
function wrapSymbol(row: Json): Json {
  if (!isObject(row)) return row;
  return new Map(
    Array.from(row, ([name, value]): [string, Json] => {
      if (name === 'QuantityPrecision') return ['quantityPrecision', value];
      return [name, name === 'symbol' && typeof value === 'string' ? value.toLowerCase() : value];
    }),
  );
}

const hasWideContracts = (variants: Variants): boolean => variants.contractFields === 'wide';

/** A futures contract. `side` is 1 for linear, 0 for inverse; `status` 1 is tradable; `symbol` is its contractName; fees are fractions. */
export type WireContract = ReturnType<typeof contract.read>;
const contract = wireRecord({
  symbol: required(wireUpperText),
  pricePrecision: required(wireInteger),
  side: required(wireInteger),
  maxMarketVolume: nullable(wireDecimal),
  multiplier: required(wireDecimal),
  maxLever: required(wireInteger),
  minOrderVolume: required(wireDecimal),
  marginCoin: required(wireUpperText),
  type: required(wireText),
  openMakerFee: nullable(wireDecimal),
  openTakerFee: nullable(wireDecimal),
  closeMakerFee: nullable(wireDecimal),
  closeTakerFee: nullable(wireDecimal),
  multiplierCoin: required(wireUpperText),
  contractId: required(wireInteger),
  minLever: required(wireInteger),
  status: required(wireInteger),
  minOrderMoney: optionalIf(hasWideContracts, wireDecimal),
  maxMarketMoney: optionalIf(hasWideContracts, wireDecimal),
  maxLimitVolume: optionalIf(hasWideContracts, wireDecimal),
  maxLimitMoney: optionalIf(hasWideContracts, wireDecimal),
});
/** The reply with the contracts. */
export const contractsAnswer = listAnswer(contract, { shape: 'list of contracts', write: bare });

/** An order book, best level first on both sides. */
export interface Depth {
  /** Null if the service does not report it. */
  readonly timeMs: TimeMs | null;
  readonly bids: readonly DepthLevel[];
  readonly asks: readonly DepthLevel[];
}

/** Returns the reply with an order book. A switch decides whether the futures service leaves out its time. */
export function depthAnswer(market: 'spot' | 'futures'): AnswerShape<Depth> {
  const timeField = nullable(wireTime, 'time');
  return {
    shape: '{time, bids: [[price, quantity]], asks}',
    container: { kind: 'own' },
    row: null,
    read(json) {
      if (!isObject(json)) throw new Mismatch('an object', json);
      const enclosedData = json.get('data');
      const book = isObject(enclosedData) ? enclosedData : json;
      return {
        timeMs: timeField.read(book),
        bids: readLevels(book.get('bids'), 'bids', -1),
        asks: readLevels(book.get('asks'), 'asks', 1),
      };
    },
    write({ timeMs, bids, asks }, variants) {
      const members = new Map<string, Json>();
      timeField.write(market === 'futures' && variants.depthTime === 'null' ? null : timeMs, variants, members);
      for (const [name, rows] of [
        ['bids', bids],
        ['asks', asks],
      ] as const)
        members.set(
          name,
          rows.map((row) => wireLevel.write(row, variants)),
        );
      return members;
    },
  };
}

/**
 * Reads levels with ascending (1) or descending (-1) prices. An unsorted book is rejected, because its first level would not be the best
 * price.
 */
function readLevels(json: Json | undefined, name: string, direction: 1 | -1): readonly DepthLevel[] {
  const jsonRows = json === undefined ? undefined : listFrom(json);
  if (!jsonRows) throw new Mismatch('a list of levels', json).within(name);
  const { rows, refused } = readRows(wireLevel, jsonRows);
  if (refused[0]) throw new Mismatch('levels of price and quantity', jsonRows[0]).within(name);
  rows.forEach((row, index) => {
    const earlierRow = rows[index - 1];
    if (earlierRow && compareDecimals(row.price, earlierRow.price) * direction < 0)
      throw new Mismatch('best level first', json).within(name);
  });
  return rows;
}

/** Compares two decimals above 0 in their plain text. */
function compareDecimals(a: string, b: string): number {
  const [wholeA = '', partA = ''] = a.split('.');
  const [wholeB = '', partB = ''] = b.split('.');
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length;
  return compareAscending(wholeA, wholeB) || compareAscending(partA, partB);
}

/** A ticker of 24 hours. `timeMs` is their start, or now, so it does not show how old the data are. */
const spotTicker = wireRecord({
  timeMs: nullable(wireTime, 'time'),
  high: required(wireDecimal),
  low: required(wireDecimal),
  last: required(wireDecimal),
  volume: required(wireDecimal, 'vol'),
});
/** The reply with the 24-hour figures of a spot instrument. */
export const spotTickerAnswer = recordAnswer(spotTicker, '{time, high, low, last, vol}');

/** `rose`: the 24-hour change as a fraction. */
export type FuturesTicker = ReturnType<typeof futuresTicker.read>;
const futuresTicker = wireRecord({
  high: required(wireDecimalString),
  volume: required(wireDecimalString, 'vol'),
  last: required(wireDecimalString),
  low: required(wireDecimalString),
  buy: nullable(wireDecimal),
  sell: nullable(wireDecimal),
  rose: nullable(wireDecimalString),
  timeMs: nullable(wireTime, 'time'),
});
/** The reply with the 24-hour figures of a contract. */
export const futuresTickerAnswer = recordAnswer(futuresTicker, '{high, vol, last, low, buy, sell, rose, time}');

const hasSixFields = ({ tradeFields }: Variants): boolean => tradeFields === 'six';

/** A public trade; `side` is the taker's. */
export type PublicTrade = ReturnType<typeof publicTrade.read>;
const publicTrade = wireRecord({
  id: optionalIf(hasSixFields, wireId),
  symbol: optionalIf(hasSixFields, wireUpperText),
  side: required(wireSide),
  price: required(wirePrice),
  quantity: required(wireDecimal, 'qty'),
  timeMs: required(wireTime, 'time'),
});
/** The reply with recent trades of all parties. */
export const recentTradesAnswer = listAnswer(publicTrade, {
  shape: 'list of {id, symbol, side, price, qty, time}',
  write: bareOrWrappedList,
});

/** A kline, which may still be running. */
export type Kline = Readonly<Record<'open' | 'high' | 'low' | 'close' | 'volume', string>> & { readonly openMs: TimeMs };

/** Returns the shape of one kline. */
const kline = (priceValue: Value<string>, volume: Value<string>) =>
  wireRecord({
    openMs: required(wireBarTime, 'idx'),
    open: required(priceValue),
    close: required(priceValue),
    high: required(priceValue),
    low: required(priceValue),
    volume: required(volume, 'vol'),
  });

/** Returns the reply with klines. They are sorted newest first, because services send them in different sequences. */
function klinesAnswer(row: Value<Kline>): AnswerShape<Listing<Kline>> {
  const answer = listAnswer(row, { shape: 'list of {idx, open, close, high, low, vol}', write: bare });
  return {
    ...answer,
    read(json) {
      const { rows, refused } = answer.read(json);
      return { rows: rows.toSorted((a, b) => b.openMs - a.openMs), refused };
    },
  };
}
/** The reply with klines. Prices are numbers on spot and texts on futures. */
export const spotKlinesAnswer = klinesAnswer(kline(wirePrice, wireDecimal));
/** The reply of the futures klines endpoint. Each kline has decimals as text, except its times. */
export const futuresKlinesAnswer = klinesAnswer(kline(wirePriceString, wireDecimalString));

/** `tagPrice` is the mark price. Both rates are forecasts, not payments. */
const indexPrice = wireRecord({
  currentFundRate: required(wireDecimal, 'currentFundRate', 'lastFundingRate'),
  tagPrice: required(wirePrice, 'tagPrice', 'markPrice'),
  indexPrice: required(wirePrice),
  nextFundRate: nullable(wireDecimal),
});
/** The reply with mark price, index price and funding rates. */
export const indexPriceAnswer = recordAnswer(indexPrice, '{currentFundRate, tagPrice, indexPrice, nextFundRate}');
