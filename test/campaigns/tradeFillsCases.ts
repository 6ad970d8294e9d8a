// Draws random trades of one instrument, a random script of orders, and the fill settings under which both meet.

import { Decimal } from '../../src/base/number/decimal.ts';
import { seededRng } from '../../src/base/number/rng.ts';

const START_MS = Date.UTC(2024, 0, 1);
const MINUTE_MS = 60_000;
/** Price of one tick, in the quote asset. */
export const TICK = new Decimal('0.01');
/** Quantity of one lot, in the base asset. */
export const LOT = new Decimal('0.001');

/** One public trade of the market. */
export interface Trade {
  readonly id: number;
  readonly ms: number;
  readonly ticks: number;
  readonly lots: number;
  /** 1: the taker bought, -1: the taker sold, 0: the file does not name the side. */
  readonly taker: number;
}

/** What the script does at the close of a bar: it places or cancels one order. Prices are in ticks; 0 means none. */
export interface Act {
  readonly kind: 'buy' | 'sell' | 'cancel';
  readonly tag: string;
  /** Quote amount of a market buy by amount; null for every other order. */
  readonly amount: string | null;
  readonly lots: number;
  /** Limit price; 0 is a market order. */
  readonly limit: number;
  /** Price of the take-profit. */
  readonly target: number;
  /** Price of the stop-loss. */
  readonly stop: number;
  /** Distance of the trailing stop. */
  readonly trail: number;
}

/** The settings under `fills` and `fees` of a run definition. */
export interface Terms {
  readonly latencyMs: number;
  /** Largest share of a trade that the orders may take; '0' is no limit. */
  readonly share: string;
  readonly slippageTicks: number;
  readonly slippage: string;
  readonly collar: string;
  /** True when a trade at the limit fills a resting order. */
  readonly fillsAtTouch: boolean;
  readonly queue: { readonly ahead?: string; readonly aheadTrades?: string; readonly cancels?: string } | null;
  readonly feesIn: 'received' | 'quote';
}

/** One random comparison. The bot and the naive exchange both run it. */
export interface Case {
  readonly seed: number;
  readonly trades: readonly Trade[];
  /** The acts by the close time of their bar, in milliseconds. */
  readonly script: ReadonlyMap<number, readonly Act[]>;
  readonly terms: Terms;
}

/** Returns the case of a seed: the same seed draws the same case. */
export function caseOf(seed: number): Case {
  const draw = new RandomDraws(seed);
  const { trades, widestMove } = drawTrades(draw);
  const isBracketed = draw.happens(0.5);
  const terms = drawTerms(draw, isBracketed);
  const script = new ScriptDrawer(draw, { isBracketed, widestMove }).script(barsOf(trades));
  return { seed, trades, script, terms };
}

/** Random numbers of one seed. */
class RandomDraws {
  readonly #rng: { next(): number };

  constructor(seed: number) {
    this.#rng = seededRng(seed);
  }
  /** Returns a number from 0 to below 1. */
  share(): number {
    return this.#rng.next();
  }
  /** True with this probability. */
  happens(probability: number): boolean {
    return this.#rng.next() < probability;
  }
  /** Returns a whole number, both bounds included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.#rng.next() * (max - min + 1));
  }
  /** Returns one of the values. */
  pick<T>(values: readonly T[]): T {
    return values[this.between(0, values.length - 1)]!;
  }
}

/** Draws the trades of 4 to 25 minutes, and the widest price move between two of them, in ticks. */
function drawTrades(draw: RandomDraws): { readonly trades: readonly Trade[]; readonly widestMove: number } {
  const minutes = draw.between(4, 25);
  const tradesPerMinute = draw.pick([1, 3, 8, 20, 40]);
  const unchangedShare = draw.pick([0.3, 0.7]);
  const namesSides = draw.happens(0.8);
  const widestMove = draw.pick([1, 2, 5, 30]);
  const trades: Trade[] = [];
  let id = draw.between(1, 1e9);
  let ms = START_MS + draw.between(0, 30_000);
  let ticks = draw.between(200, 20_000);
  while (ms < START_MS + minutes * MINUTE_MS) {
    // Most trades are small: the fourth power keeps the share near 0.
    const lots = Math.ceil(draw.share() ** 4 * draw.pick([3, 50, 2000])) || 1;
    trades.push({ id, ms, ticks, lots, taker: namesSides ? draw.pick([1, -1]) : 0 });
    id += draw.happens(0.03) ? draw.between(2, 9) : 1;
    ms += draw.happens(0.4) ? 0 : Math.ceil((draw.share() * 2 * MINUTE_MS) / tradesPerMinute);
    ticks = Math.max(50, ticks + (draw.happens(unchangedShare) ? 0 : draw.between(-widestMove, widestMove)));
  }
  return { trades, widestMove };
}

/** Draws the fill settings. */
function drawTerms(draw: RandomDraws, isBracketed: boolean): Terms {
  const queue = draw.pick([
    null,
    { ahead: `${draw.between(0, 3)}.${draw.between(100, 999)}` },
    { ahead: '0', cancels: '0.5' },
    { aheadTrades: draw.pick(['0.5', '1', '3.3333', '11.17']), cancels: draw.pick(['0', '0.25', '0.999999']) },
  ]);
  return {
    latencyMs: draw.pick([0, 0, 1, 300, 20_000, 59_999]),
    share: draw.pick(['0', '0', '0.1', '0.5', '0.999999']),
    slippageTicks: draw.pick([0, 0, 1, 3]),
    slippage: draw.pick(['0', '0', '0.00037']),
    collar: draw.pick(['0.9', '0.0002', '0']),
    fillsAtTouch: queue === null && draw.happens(0.5),
    queue,
    // The legs of a bracket sell whole lots, so its entry must not pay a fee in coins.
    feesIn: isBracketed || draw.happens(0.5) ? 'quote' : 'received',
  };
}

/** Draws the acts of a script, bar by bar. */
class ScriptDrawer {
  readonly #draw: RandomDraws;
  readonly #isBracketed: boolean;
  readonly #widestMove: number;
  /** The tags of all orders that are drawn already. */
  readonly #tags: string[] = [];
  /** The last limit price of each side. A new order sometimes takes the same one. */
  readonly #lastLimits: Record<string, number> = {};

  constructor(draw: RandomDraws, { isBracketed, widestMove }: { readonly isBracketed: boolean; readonly widestMove: number }) {
    this.#draw = draw;
    this.#isBracketed = isBracketed;
    this.#widestMove = widestMove;
  }

  /** Draws the acts of all bars, by the close time of the bar in ms. */
  script(bars: readonly MinuteBar[]): Map<number, readonly Act[]> {
    return new Map(bars.map(({ closeMs, last }) => [closeMs, this.#actsAfter(last)]));
  }

  /** Draws the acts at the close of one bar; `last` is its last price, in ticks. */
  #actsAfter(last: number): Act[] {
    const acts: Act[] = [];
    const count = this.#draw.happens(0.7) ? this.#draw.between(1, 2) : 0;
    for (let index = 0; index < count; index++) {
      const isCancel = this.#tags.length > 0 && this.#draw.happens(0.25);
      acts.push(isCancel ? this.#cancelAct() : this.#orderAct(last));
    }
    return acts;
  }

  /** Draws a cancel of any order, open or not. */
  #cancelAct(): Act {
    return { kind: 'cancel', tag: this.#draw.pick(this.#tags), amount: null, lots: 0, limit: 0, target: 0, stop: 0, trail: 0 };
  }

  /** Returns a random order of the strategy. `last`: the last price. */
  #orderAct(last: number): Act {
    const draw = this.#draw;
    const kind = !this.#isBracketed && draw.happens(0.45) ? 'sell' : 'buy';
    const orderNumber = this.#tags.length + 1;
    const tag = `t${orderNumber}`;
    this.#tags.push(tag);
    const isLimit = draw.happens(0.6);
    const limit = isLimit ? this.#limitFor(kind, last) : 0;
    const isByAmount = kind === 'buy' && !isLimit && draw.happens(0.6);
    // The order number makes every size unique: two equal orders would have the same fingerprint, which the bot avoids by one lot less.
    const sizeBeforeScale = 1000 * draw.between(1, draw.pick([3, 40])) + orderNumber;
    const amount = isByAmount ? amountText(draw.pick([0, draw.between(1, 40), draw.between(1, 4000)]), orderNumber, last) : null;
    const lots = isByAmount ? 0 : Math.ceil(sizeBeforeScale / draw.pick([1, 10, 100])) + orderNumber;
    return { kind, tag, amount, lots, limit, ...this.#bracketFor(kind, limit || last, last) };
  }

  /** Draws a limit price near the last price, or repeats the last limit of this side. */
  #limitFor(kind: 'buy' | 'sell', last: number): number {
    const draw = this.#draw;
    const repeatedLimit = draw.happens(0.3) ? (this.#lastLimits[kind] ?? 0) : 0;
    const newLimit = () => Math.max(1, last + draw.between(-3, 3) * (draw.happens(0.3) ? this.#widestMove : 1));
    const limit = repeatedLimit > 0 ? repeatedLimit : newLimit();
    this.#lastLimits[kind] = limit;
    return limit;
  }

  /** Draws the legs of the bracket of an entry, beyond its limit and the last price. */
  #bracketFor(kind: 'buy' | 'sell', limit: number, last: number): Pick<Act, 'target' | 'stop' | 'trail'> {
    const draw = this.#draw;
    const hasLeg = (probability: number) => this.#isBracketed && kind === 'buy' && draw.happens(probability);
    return {
      target: hasLeg(0.7) ? Math.max(limit, last) + draw.between(1, 3 + this.#widestMove) : 0,
      stop: hasLeg(0.7) ? Math.max(1, Math.min(limit, last) - draw.between(1, 3 + this.#widestMove)) : 0,
      trail: hasLeg(0.4) ? draw.between(1, 2 + this.#widestMove) : 0,
    };
  }
}

/**
 * Returns a quote amount that no number of whole lots costs exactly. For a `whole` of 0 it pays for one lot at the last price, and for
 * none once the price has risen.
 */
function amountText(whole: number, orderNumber: number, last: number): string {
  if (whole > 0) return `${whole}.${100 + orderNumber}4567`;
  const oneLot = TICK.times(LOT).times(last);
  return oneLot.plus(new Decimal(100 + orderNumber).times('0.0000001')).toFixed(7);
}

/** A bar of one minute, in ticks and lots. */
export interface MinuteBar {
  readonly openMs: number;
  readonly closeMs: number;
  readonly open: number;
  high: number;
  low: number;
  last: number;
  lots: number;
}

/** Returns the bars of one minute that the trades make. A minute without trades has no bar. */
export function barsOf(trades: readonly Trade[]): MinuteBar[] {
  const bars: MinuteBar[] = [];
  for (const { ms, ticks, lots } of trades) {
    const openMs = Math.floor(ms / MINUTE_MS) * MINUTE_MS;
    const bar = bars.at(-1);
    if (bar?.openMs !== openMs) bars.push({ openMs, closeMs: openMs + MINUTE_MS, open: ticks, high: ticks, low: ticks, last: ticks, lots });
    else Object.assign(bar, { high: Math.max(bar.high, ticks), low: Math.min(bar.low, ticks), last: ticks, lots: bar.lots + lots });
  }
  return bars;
}
