// Depth and klines as both markets answer them; how the amounts of an instrument stand on the wire.

import { timeMs } from '../../base/brand.ts';
import { fromScaled } from '../../base/number/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import { closeOf, type Interval } from '../../model/interval.ts';
import { encodeAnswer, listing, type Answer, type Listing } from '../../protocol/shapes/answer.ts';
import type { Depth, Kline } from '../../protocol/shapes/market.ts';
import { type Args, instrumentOf, wholeOf } from '../api/call.ts';
import type { Level } from '../matching/orderBook.ts';
import { done, type Reply } from '../api/message.ts';
import type { Profile } from '../dialect/switches.ts';
import type { TickBar } from '../market/klines.ts';
import type { TradedMarket } from '../market/tradedMarket.ts';

export const priceText = ({ priceDigits }: Instrument, ticks: number): string => fromScaled(ticks, priceDigits);
export const quantityText = ({ quantityDigits }: Instrument, lots: number): string => fromScaled(lots, quantityDigits);

/** Where an instrument is traded. */
export interface Markets {
  marketOf(instrument: Instrument): TradedMarket;
}

interface LastDepth {
  readonly version: number;
  readonly nowMs: number;
  readonly limit: number;
  readonly reply: Reply;
}

/** The last depth of each instrument: as long as its book and the ms stand, everybody who asks gets the same. */
export class Depths {
  readonly #last = new Map<Instrument, LastDepth>();
  readonly #markets: Markets;
  readonly #answer: Answer<Depth>;
  readonly #profile: Profile;

  constructor(markets: Markets, answer: Answer<Depth>, profile: Profile) {
    this.#markets = markets;
    this.#answer = answer;
    this.#profile = profile;
  }

  of(instrument: Instrument, limit: number, nowMs: number): Reply {
    const { book } = this.#markets.marketOf(instrument).matcher;
    const { version } = book;
    const last = this.#last.get(instrument);
    if (last?.version === version && last.nowMs === nowMs && last.limit === limit) return last.reply;
    const side = (levels: readonly Level[]) =>
      levels.map(({ price, lots }) => ({ price: priceText(instrument, price), quantity: quantityText(instrument, lots) }));
    const [bids, asks] = [side(book.levels('buy', limit)), side(book.levels('sell', limit))];
    const reply = done(encodeAnswer(this.#answer, { timeMs: timeMs(nowMs), bids, asks }, this.#profile));
    this.#last.set(instrument, { version, nowMs, limit, reply });
    return reply;
  }
}

/** Bars newest first; `empty`: an interval that is known and has none. */
export function klinesReply(
  args: Args,
  interval: Interval | 'empty',
  nowMs: number,
  markets: Markets,
  answer: Answer<Listing<Kline>>,
  profile: Profile,
): Reply {
  if (interval === 'empty') return done(encodeAnswer(answer, listing([]), profile));
  const instrument = instrumentOf(args);
  const all = markets.marketOf(instrument).tape.klines.bars(interval, nowMs);
  const closed = profile.klinesOpenBar === 'off' ? all.filter(({ openMs }) => closeOf(interval, openMs) <= nowMs) : all;
  const [from, to] = [Number(args.texts.get('startTime') ?? 0), Number(args.texts.get('endTime') ?? Infinity)];
  const rows = closed.filter(({ openMs }) => openMs >= from && openMs <= to).slice(-wholeOf(args, 'limit'));
  return done(encodeAnswer(answer, listing(rows.toReversed().map((bar) => klineOf(instrument, bar))), profile));
}

const klineOf = (instrument: Instrument, bar: TickBar): Kline => ({
  openMs: timeMs(bar.openMs),
  open: priceText(instrument, bar.open),
  high: priceText(instrument, bar.high),
  low: priceText(instrument, bar.low),
  close: priceText(instrument, bar.close),
  volume: quantityText(instrument, bar.lots),
});
