// Draws the cases of the kill campaign: the seeds go through every combination of what an operator meets, and draw the details.

import { seededRng } from '../../src/base/number/rng.ts';

/** What one kill of the campaign meets. */
export interface KillCase {
  readonly seed: number;
  /**
   * `alive`: the bot closes its positions itself. `asked`: the command asks it to cancel, ends it and closes the positions. `hung` and
   * `dead`: the bot does nothing.
   */
  readonly bot: 'alive' | 'asked' | 'hung' | 'dead';
  /** Side of the last order that the bot sends. */
  readonly last: 'buy' | 'sell' | 'none';
  /** The last order reaches the exchange. */
  readonly reaches: boolean;
  /** The last order is far from the market, so that it rests. */
  readonly rests: boolean;
  /** What happens to the reply of the last order. */
  readonly answer: 'lost' | 'late' | 'arrived';
  readonly market: 'spot' | 'futures';
  readonly positionSide: 'buy' | 'sell';
  /** The account has other coins, and a person trades there by hand. */
  readonly hasOtherCoins: boolean;
  /** The exchange answers from the beginning of the kill on. */
  readonly isAnswering: boolean;
  /** An exchange that does not answer begins to answer after some minutes. */
  readonly comesBack: boolean;
  /** The replies of the exchange have client order ids. */
  readonly isReadable: boolean;
  /** The lists of the exchange are complete. */
  readonly isComplete: boolean;
  /** A person places an order by hand that looks like the last one. */
  readonly hasLookalike: boolean;
  /** A bot that hangs or dies stops when its last order leaves, so it never gets a reply. */
  readonly stopsAtOnce: boolean;
  /** For contracts: a trigger order at the exchange protects the position, so near to the price that it may fire, or far from it. */
  readonly stop: 'none' | 'near' | 'far';
  /** The fault of the first slice of the kill: its reply is lost, or its request. */
  readonly slice: 'answered' | 'answerLost' | 'requestLost';
  /** Time from the last order to the kill. */
  readonly delayMs: number;
}

const BOTS = ['alive', 'asked', 'hung', 'dead'] as const;
const LAST_ORDERS = ['buy', 'sell', 'none'] as const;
const ANSWERS = ['lost', 'late', 'arrived'] as const;
/** Number of combinations: the product of the lengths of the lists that `killCase` picks from. */
const COMBINATIONS = 4 * 3 * 2 * 3 * 2 * 2 * 4;
/** Step between the combinations of consecutive seeds. It is coprime with their number, so neighbours differ in everything. */
const STRIDE = 211;

/** Returns the case of a seed. The digits of its number in mixed radix choose one value of each variant. */
export function killCase(seed: number): KillCase {
  const rng = seededRng(seed);
  let remainingIndex = (seed * STRIDE) % COMBINATIONS;
  const pick = <T>(variants: readonly T[]): T => {
    const variant = variants[remainingIndex % variants.length]!;
    remainingIndex = Math.floor(remainingIndex / variants.length);
    return variant;
  };
  const bot = pick(BOTS);
  const last = pick(LAST_ORDERS);
  const reaches = pick([true, false]);
  const answer = pick(ANSWERS);
  const market = pick(['spot', 'futures'] as const);
  const hasOtherCoins = pick([true, false]);
  const isAnswering = pick([true, true, true, false]);
  const isDrawn = (probability: number): boolean => rng.next() < probability;
  return {
    seed,
    bot,
    last,
    reaches,
    rests: isDrawn(0.25),
    answer,
    market,
    positionSide: market === 'spot' || isDrawn(0.5) ? 'buy' : 'sell',
    hasOtherCoins,
    isAnswering,
    comesBack: !isAnswering && isDrawn(0.4),
    isReadable: !isDrawn(0.25),
    isComplete: !isDrawn(0.1),
    hasLookalike: hasOtherCoins && isDrawn(0.3),
    stopsAtOnce: isDrawn(0.75),
    delayMs: Math.floor(rng.next() ** 2 * 40_000),
    stop: drawStop(market, isDrawn),
    slice: drawSlice(isDrawn),
  };
}

/** Draws the stop of the bot at the exchange. A spot account has none. */
function drawStop(market: KillCase['market'], isDrawn: (probability: number) => boolean): KillCase['stop'] {
  if (market === 'spot' || isDrawn(0.5)) return 'none';
  return isDrawn(0.5) ? 'near' : 'far';
}

/** Draws what becomes of the request of a slice. */
function drawSlice(isDrawn: (probability: number) => boolean): KillCase['slice'] {
  if (isDrawn(0.7)) return 'answered';
  return isDrawn(0.5) ? 'answerLost' : 'requestLost';
}

/** Returns the case as one line of text. */
export const caseText = (kill: KillCase): string =>
  Object.entries(kill)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
