// Handlers of the seven public spot calls: time, instruments and market data.

import { timeMs } from '../../base/brand.ts';
import type { CommonInterval } from '../../model/interval.ts';
import type { Instrument } from '../../model/instrument.ts';
import { intervalOfWire } from '../../protocol/dialect.ts';
import { emptyAnswer, encodeAnswer, listing } from '../../protocol/shapes/answer.ts';
import {
  depthAnswer,
  recentTradesAnswer,
  serverTimeAnswer,
  spotKlinesAnswer,
  spotTickerAnswer,
  symbolsAnswer,
  type SpotSymbol,
} from '../../protocol/shapes/market.ts';
import { instrumentArg, publicHandler, textArg, integerArg, type Handlers } from '../api/call.ts';
import { Depths, klinesReply, wirePriceText, wireQuantityText } from './reads.ts';
import { succeeded } from '../api/message.ts';
import type { Profile } from '../dialect/switches.ts';
import type { SpotExchange } from '../spot/spotExchange.ts';
import { publicTradeRow } from './spotText.ts';

/** Returns the interval of a spot wire name; `empty` if it is known but has no bars, and null if it is unknown. */
export function spotInterval(name: string, { intervals }: Profile): CommonInterval | 'empty' | null {
  if (name === '1h') return intervals === 'wide' ? '1h' : 'empty';
  if (name === '4h') return intervals === 'wide' ? '4h' : null;
  return intervalOfWire('spot', name);
}

/** Returns the handlers of the public spot calls. */
export function spotPublic(exchange: SpotExchange, profile: Profile, timezone: string): Handlers {
  const depths = new Depths(exchange, depthAnswer('spot'), profile);
  return {
    'spot.ping': publicHandler(() => succeeded(encodeAnswer(emptyAnswer, null, profile))),
    'spot.serverTime': publicHandler(({ clockMs }) =>
      succeeded(encodeAnswer(serverTimeAnswer, { serverTimeMs: timeMs(clockMs), timezone }, profile)),
    ),
    'spot.symbols': publicHandler(() =>
      succeeded(encodeAnswer(symbolsAnswer, listing(exchange.markets.map(({ instrument }) => symbolOf(instrument))), profile)),
    ),
    'spot.depth': publicHandler(({ args, nowMs }) => depths.replyFor(instrumentArg(args), integerArg(args, 'limit'), nowMs)),
    'spot.ticker': publicHandler(({ args, nowMs }) => {
      const instrument = instrumentArg(args);
      const day = exchange.marketOf(instrument).tape.klines.rollingDay(nowMs);
      const priceText = (ticks: number | undefined): string => (ticks === undefined ? '0' : wirePriceText(instrument, ticks));
      const tickerMs = profile.tickerTime === 'now' || day === null ? nowMs : day.fromMs;
      const ticker = {
        timeMs: timeMs(tickerMs),
        high: priceText(day?.high),
        low: priceText(day?.low),
        last: priceText(day?.last),
        volume: wireQuantityText(instrument, day?.lots ?? 0),
      };
      return succeeded(encodeAnswer(spotTickerAnswer, ticker, profile));
    }),
    'spot.recentTrades': publicHandler(({ args }) => {
      const instrument = instrumentArg(args);
      const trades = exchange.marketOf(instrument).tape.latest(integerArg(args, 'limit'));
      return succeeded(encodeAnswer(recentTradesAnswer, listing(trades.map((match) => publicTradeRow(instrument, match))), profile));
    }),
    // The request pipeline has rejected unknown intervals.
    'spot.klines': publicHandler(({ args, nowMs }) =>
      klinesReply(args, spotInterval(textArg(args, 'interval'), profile) ?? 'empty', {
        nowMs,
        markets: exchange,
        answer: spotKlinesAnswer,
        profile,
      }),
    ),
  };
}

/** Returns the precisions and minimums of an instrument as the wire states them. */
function symbolOf(instrument: Instrument): SpotSymbol {
  const minQuantity = wireQuantityText(instrument, instrument.minLots);
  return {
    symbol: instrument.wireName,
    baseAsset: instrument.base,
    quoteAsset: instrument.quote,
    pricePrecision: instrument.priceDigits,
    quantityPrecision: instrument.quantityDigits,
    limitVolumeMin: minQuantity,
    limitPriceMin: wirePriceText(instrument, 1),
    limitAmountMin: null,
    marketBuyMin: null,
    marketSellMin: minQuantity,
  };
}

/** True for an interval name that the spot klines accept. */
export const isSpotInterval = (name: string, profile: Profile): boolean => spotInterval(name, profile) !== null;
