// Handlers of the seven public futures calls: time, contracts and market data.

import { timeMs } from '../../base/brand.ts';
import { fromScaled } from '../../base/number/decimal.ts';
import { MAX_EXACT } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { CommonInterval } from '../../model/interval.ts';
import { intervalOfWire } from '../../protocol/dialect.ts';
import { emptyAnswer, encodeAnswer, listing } from '../../protocol/shapes/answer.ts';
import {
  contractsAnswer,
  depthAnswer,
  futuresKlinesAnswer,
  futuresTickerAnswer,
  indexPriceAnswer,
  serverTimeAnswer,
  type WireContract,
  type FuturesTicker,
} from '../../protocol/shapes/market.ts';
import { FUNDING_DIGITS } from '../../venue/futures/futuresVenue.ts';
import { instrumentArg, publicHandler, textArg, integerArg, type Handlers } from '../api/call.ts';
import { Depths, klinesReply, wirePriceText, wireQuantityText } from './reads.ts';
import type { TradedMarket } from '../market/tradedMarket.ts';
import { succeeded } from '../api/message.ts';
import type { Profile } from '../dialect/switches.ts';
import type { FuturesExchange } from '../futures/futuresExchange.ts';
import { contractTerms, wireMoneyText, wireRateText } from './futuresText.ts';

/** Decimals of the 24-hour price change. */
const CHANGE_DIGITS = 8;

/** Returns the interval of a futures wire name; `empty` if it is known but has no bars, and null if it is unknown. */
export function futuresInterval(name: string, { intervals }: Profile): CommonInterval | 'empty' | null {
  if (name === '1h' && intervals === 'futures4h') return 'empty';
  if (name === '4h') return intervals === 'spec' ? null : '4h';
  return intervalOfWire('futures', name);
}

/** True for an interval name that the futures klines accept. */
export const isFuturesInterval = (name: string, profile: Profile): boolean => futuresInterval(name, profile) !== null;

/** Returns the handlers of the public futures calls. */
export function futuresPublic(exchange: FuturesExchange, profile: Profile, timezone: string): Handlers {
  const depths = new Depths(exchange, depthAnswer('futures'), profile);
  return {
    'futures.ping': publicHandler(() => succeeded(encodeAnswer(emptyAnswer, null, profile))),
    'futures.serverTime': publicHandler(({ clockMs }) =>
      succeeded(encodeAnswer(serverTimeAnswer, { serverTimeMs: timeMs(clockMs), timezone }, profile)),
    ),
    'futures.contracts': publicHandler(() =>
      succeeded(encodeAnswer(contractsAnswer, listing(exchange.markets.map(({ instrument }) => contractRow(instrument))), profile)),
    ),
    'futures.depth': publicHandler(({ args, nowMs }) => depths.replyFor(instrumentArg(args), integerArg(args, 'limit'), nowMs)),
    'futures.ticker': publicHandler(({ args, nowMs }) =>
      succeeded(encodeAnswer(futuresTickerAnswer, tickerOf(exchange.marketOf(instrumentArg(args)), nowMs), profile)),
    ),
    'futures.indexPrice': publicHandler(({ args, nowMs }) => {
      const instrument = instrumentArg(args);
      const { markTicks } = exchange.venue.book(instrument);
      const { referencePrice, barRows } = exchange.marketOf(instrument);
      const rateText = (skippedFundings: number): string =>
        fromScaled(
          barRows?.fundingRate(nowMs, skippedFundings) ?? exchange.rates.rateAt(instrument, nowMs, skippedFundings),
          FUNDING_DIGITS,
        );
      const prices = {
        currentFundRate: rateText(0),
        tagPrice: wirePriceText(instrument, markTicks),
        // Without a reference market, the exchange's own mark is the only index price.
        indexPrice: wirePriceText(instrument, referencePrice > 0 ? referencePrice : markTicks),
        nextFundRate: rateText(1),
      };
      return succeeded(encodeAnswer(indexPriceAnswer, prices, profile));
    }),
    'futures.klines': publicHandler(({ args, nowMs }) =>
      klinesReply(args, futuresInterval(textArg(args, 'interval'), profile) ?? 'empty', {
        nowMs,
        markets: exchange,
        answer: futuresKlinesAnswer,
        profile,
      }),
    ),
  };
}

/** Returns the ticker of the 24 hours before `nowMs`. */
function tickerOf({ instrument, matcher: { book }, tape }: TradedMarket, nowMs: number): FuturesTicker {
  const day = tape.klines.rollingDay(nowMs);
  const priceText = (ticks: number | undefined): string => (ticks === undefined ? '0' : wirePriceText(instrument, ticks));
  const bid = book.best('buy');
  const ask = book.best('sell');
  const scaledChange = day === null ? 0 : Math.round(((day.last - day.open) / day.open) * 10 ** CHANGE_DIGITS);
  return {
    high: priceText(day?.high),
    volume: wireQuantityText(instrument, day?.lots ?? 0),
    last: priceText(day?.last),
    low: priceText(day?.low),
    buy: priceText(bid?.price),
    sell: priceText(ask?.price),
    rose: fromScaled(scaledChange, CHANGE_DIGITS),
    timeMs: timeMs(nowMs),
  };
}

/** Returns the terms of a contract as the wire states them. A limit that this exchange does not have is its largest exact number. */
function contractRow(instrument: Instrument): WireContract {
  const terms = contractTerms(instrument);
  const maxVolume = wireQuantityText(instrument, MAX_EXACT);
  const maxMoney = wireMoneyText(instrument, MAX_EXACT);
  return {
    symbol: instrument.wireName,
    pricePrecision: instrument.priceDigits,
    side: terms.kind === 'linear' ? 1 : 0,
    maxMarketVolume: terms.maxMarketLots > 0 ? wireQuantityText(instrument, terms.maxMarketLots) : maxVolume,
    multiplier: fromScaled(terms.multiplier, terms.multiplierDigits),
    maxLever: terms.maxLeverage,
    minOrderVolume: wireQuantityText(instrument, instrument.minLots),
    marginCoin: terms.marginCoin,
    type: terms.type,
    openMakerFee: wireRateText(terms.openMakerFeePpm),
    openTakerFee: wireRateText(terms.openTakerFeePpm),
    closeMakerFee: wireRateText(terms.closeMakerFeePpm),
    closeTakerFee: wireRateText(terms.closeTakerFeePpm),
    multiplierCoin: terms.multiplierCoin,
    contractId: terms.contractId,
    minLever: terms.minLeverage,
    status: terms.isTrading ? 1 : 0,
    minOrderMoney: '0',
    maxMarketMoney: maxMoney,
    maxLimitVolume: maxVolume,
    maxLimitMoney: maxMoney,
  };
}
