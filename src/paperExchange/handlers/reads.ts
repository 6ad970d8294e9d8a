// Depth and kline replies of both markets, and the wire text of prices and quantities.

import { timeMs } from '../../base/brand.ts';
import { fromScaled } from '../../base/number/decimal.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Side } from '../../model/order.ts';
import { closeOf, type CommonInterval } from '../../model/interval.ts';
import { encodeAnswer, listing, type AnswerShape, type Listing } from '../../protocol/shapes/answer.ts';
import type { Depth, Kline } from '../../protocol/shapes/market.ts';
import { type CallArgs, instrumentArg, integerArg } from '../api/call.ts';
import type { PriceLevel } from '../matching/orderBook.ts';
import { succeeded, type HandlerReply } from '../api/message.ts';
import type { Profile } from '../dialect/switches.ts';
import type { TickBar } from '../market/klines.ts';
import type { TradedMarket } from '../market/tradedMarket.ts';

/** Returns a price in ticks as a plain decimal. */
export const wirePriceText = ({ priceDigits }: Instrument, ticks: number): string => fromScaled(ticks, priceDigits);
/** Returns a quantity in lots as a plain decimal. */
export const wireQuantityText = ({ quantityDigits }: Instrument, lots: number): string => fromScaled(lots, quantityDigits);

/** Finds the market of an instrument. */
export interface Markets {
  marketOf(instrument: Instrument): TradedMarket;
}

/** A depth reply, with the state of the book, the time and the limit for which it was made. */
interface DepthReply {
  readonly version: number;
  readonly nowMs: number;
  readonly limit: number;
  readonly reply: HandlerReply;
}

type Level = Pick<PriceLevel, 'price' | 'lots'>;

/** The last depth reply of each instrument. It is reused while the book and the time (ms) are unchanged. */
export class Depths {
  readonly #last = new Map<Instrument, DepthReply>();
  readonly #markets: Markets;
  readonly #answer: AnswerShape<Depth>;
  readonly #profile: Profile;

  constructor(markets: Markets, answer: AnswerShape<Depth>, profile: Profile) {
    this.#markets = markets;
    this.#answer = answer;
    this.#profile = profile;
  }

  /** Returns the depth reply of an instrument with at most `limit` levels on each side. */
  replyFor(instrument: Instrument, limit: number, nowMs: number): HandlerReply {
    const { matcher, barRows } = this.#markets.marketOf(instrument);
    const { book } = matcher;
    const { version } = book;
    const cached = this.#last.get(instrument);
    if (cached?.version === version && cached.nowMs === nowMs && cached.limit === limit) return cached.reply;
    const levelRows = (levels: readonly Level[]) =>
      levels.map(({ price, lots }) => ({ price: wirePriceText(instrument, price), quantity: wireQuantityText(instrument, lots) }));
    // Bars have no book, but a kill needs a level of depth to close a position.
    const levelsOf = (side: Side): readonly Level[] => (barRows === null ? book.levels(side, limit) : [barRows.quotedLevel() ?? []].flat());
    const bids = levelRows(levelsOf('buy'));
    const asks = levelRows(levelsOf('sell'));
    const reply = succeeded(encodeAnswer(this.#answer, { timeMs: timeMs(nowMs), bids, asks }, this.#profile));
    this.#last.set(instrument, { version, nowMs, limit, reply });
    return reply;
  }
}

/** What a reply with bars is made from. */
export interface KlinesSource {
  readonly nowMs: number;
  readonly markets: Markets;
  readonly answer: AnswerShape<Listing<Kline>>;
  readonly profile: Profile;
}

/** Replies with bars, newest first. `empty`: a known interval without bars. */
export function klinesReply(
  args: CallArgs,
  interval: CommonInterval | 'empty',
  { nowMs, markets, answer, profile }: KlinesSource,
): HandlerReply {
  if (interval === 'empty') return succeeded(encodeAnswer(answer, listing([]), profile));
  const instrument = instrumentArg(args);
  const klines = markets.marketOf(instrument).tape.klines.bars(interval, nowMs);
  const isShown = ({ openMs }: TickBar): boolean => profile.klinesOpenBar !== 'off' || closeOf(interval, openMs) <= nowMs;
  const fromMs = Number(args.texts.get('startTime') ?? 0);
  const toMs = Number(args.texts.get('endTime') ?? Infinity);
  const limit = integerArg(args, 'limit');
  const rows: TickBar[] = [];
  // Starts at the newest bar, because most replies have only a few of many bars.
  for (let index = klines.length - 1; index >= 0 && rows.length < limit && klines[index]!.openMs >= fromMs; index--) {
    const bar = klines[index]!;
    if (bar.openMs <= toMs && isShown(bar)) rows.push(bar);
  }
  return succeeded(encodeAnswer(answer, listing(rows.map((bar) => klineOf(instrument, bar))), profile));
}

/** Returns a bar in the form of the wire. */
const klineOf = (instrument: Instrument, bar: TickBar): Kline => ({
  openMs: timeMs(bar.openMs),
  open: wirePriceText(instrument, bar.open),
  high: wirePriceText(instrument, bar.high),
  low: wirePriceText(instrument, bar.low),
  close: wirePriceText(instrument, bar.close),
  volume: wireQuantityText(instrument, bar.lots),
});
