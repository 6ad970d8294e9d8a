// Replies with depth and klines for both markets, and wire text for the amounts of an instrument.

import { timeMs } from '../../base/brand.ts';
import { fromScaled } from '../../base/number/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { closeOf, type CommonInterval } from '../../model/interval.ts';
import { encodeAnswer, listing, type AnswerShape, type Listing } from '../../protocol/shapes/answer.ts';
import type { Depth, Kline } from '../../protocol/shapes/market.ts';
import { type CallArgs, instrumentArg, integerArg } from '../api/call.ts';
import type { PriceLevel } from '../matching/orderBook.ts';
import { done, type HandlerReply } from '../api/message.ts';
import type { Profile } from '../dialect/switches.ts';
import type { TickBar } from '../market/klines.ts';
import type { TradedMarket } from '../market/tradedMarket.ts';

export const wirePriceText = ({ priceDigits }: Instrument, ticks: number): string => fromScaled(ticks, priceDigits);
export const wireQuantityText = ({ quantityDigits }: Instrument, lots: number): string => fromScaled(lots, quantityDigits);

/** Finds the market of an instrument. */
export interface Markets {
  marketOf(instrument: Instrument): TradedMarket;
}

interface LastDepth {
  readonly version: number;
  readonly nowMs: number;
  readonly limit: number;
  readonly reply: HandlerReply;
}

/** The last depth reply of each instrument. It is reused while the book and the time (ms) are unchanged. */
export class Depths {
  readonly #last = new Map<Instrument, LastDepth>();
  readonly #markets: Markets;
  readonly #answer: AnswerShape<Depth>;
  readonly #profile: Profile;

  constructor(markets: Markets, answer: AnswerShape<Depth>, profile: Profile) {
    this.#markets = markets;
    this.#answer = answer;
    this.#profile = profile;
  }

  of(instrument: Instrument, limit: number, nowMs: number): HandlerReply {
    const { book } = this.#markets.marketOf(instrument).matcher;
    const { version } = book;
    const last = this.#last.get(instrument);
    if (last?.version === version && last.nowMs === nowMs && last.limit === limit) return last.reply;
    const side = (levels: readonly PriceLevel[]) =>
      levels.map(({ price, lots }) => ({ price: wirePriceText(instrument, price), quantity: wireQuantityText(instrument, lots) }));
    const [bids, asks] = [side(book.levels('buy', limit)), side(book.levels('sell', limit))];
    const reply = done(encodeAnswer(this.#answer, { timeMs: timeMs(nowMs), bids, asks }, this.#profile));
    this.#last.set(instrument, { version, nowMs, limit, reply });
    return reply;
  }
}

/** Replies with bars, newest first. `empty`: a known interval without bars. */
export function klinesReply(
  args: CallArgs,
  interval: CommonInterval | 'empty',
  nowMs: number,
  markets: Markets,
  answer: AnswerShape<Listing<Kline>>,
  profile: Profile,
): HandlerReply {
  if (interval === 'empty') return done(encodeAnswer(answer, listing([]), profile));
  const instrument = instrumentArg(args);
  const all = markets.marketOf(instrument).tape.klines.bars(interval, nowMs);
  const isShown = ({ openMs }: TickBar): boolean => profile.klinesOpenBar !== 'off' || closeOf(interval, openMs) <= nowMs;
  const [from, to] = [Number(args.texts.get('startTime') ?? 0), Number(args.texts.get('endTime') ?? Infinity)];
  const limit = integerArg(args, 'limit');
  const rows: TickBar[] = [];
  // Most replies have a few of many bars, and those are the newest.
  for (let at = all.length - 1; at >= 0 && rows.length < limit && all[at]!.openMs >= from; at--)
    if (all[at]!.openMs <= to && isShown(all[at]!)) rows.push(all[at]!);
  return done(encodeAnswer(answer, listing(rows.map((bar) => klineOf(instrument, bar))), profile));
}

const klineOf = (instrument: Instrument, bar: TickBar): Kline => ({
  openMs: timeMs(bar.openMs),
  open: wirePriceText(instrument, bar.open),
  high: wirePriceText(instrument, bar.high),
  low: wirePriceText(instrument, bar.low),
  close: wirePriceText(instrument, bar.close),
  volume: wireQuantityText(instrument, bar.lots),
});
