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
  readonly lastOrderSide: 'buy' | 'sell' | 'none';
  /** True if the last order reaches the exchange. */
  readonly isLastOrderReceived: boolean;
  /** True if the last order is a limit far from the market, so that it rests. */
  readonly isLastOrderResting: boolean;
  /** What happens to the reply of the last order. */
  readonly lastReply: 'lost' | 'late' | 'arrived';
  readonly market: 'spot' | 'futures';
  readonly positionSide: 'buy' | 'sell';
  /** True if the account has other coins, and a person trades there by hand. */
  readonly hasOtherCoins: boolean;
  /** True if the exchange answers from the beginning of the kill on. */
  readonly isAnswering: boolean;
  /** True if an exchange that does not answer begins to answer after 200 s. */
  readonly comesBack: boolean;
  /** True if the replies of the exchange have client order ids. */
  readonly isReadable: boolean;
  /** True if the lists of the exchange are complete. */
  readonly isComplete: boolean;
  /** True if a person places an order by hand that looks like the last one. */
  readonly hasLookalike: boolean;
  /** True if a bot that hangs or dies stops when its last order leaves, so that it never gets a reply. */
  readonly stopsAtOnce: boolean;
  /** For contracts: a trigger order at the exchange protects the position, so near to the price that it may fire, or far from it. */
  readonly stop: 'none' | 'near' | 'far';
  /** The fault of the first slice of the kill: its reply is lost, or its request. */
  readonly firstSlice: 'answered' | 'replyLost' | 'requestLost';
  /** Time from the last order to the kill, ms. */
  readonly delayMs: number;
}

const BOTS = ['alive', 'asked', 'hung', 'dead'] as const;
const LAST_ORDER_SIDES = ['buy', 'sell', 'none'] as const;
const LAST_REPLIES = ['lost', 'late', 'arrived'] as const;
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
  const lastOrderSide = pick(LAST_ORDER_SIDES);
  const isLastOrderReceived = pick([true, false]);
  const lastReply = pick(LAST_REPLIES);
  const market = pick(['spot', 'futures'] as const);
  const hasOtherCoins = pick([true, false]);
  const isAnswering = pick([true, true, true, false]);
  const happens = (probability: number): boolean => rng.next() < probability;
  return {
    seed,
    bot,
    lastOrderSide,
    isLastOrderReceived,
    isLastOrderResting: happens(0.25),
    lastReply,
    market,
    positionSide: market === 'spot' || happens(0.5) ? 'buy' : 'sell',
    hasOtherCoins,
    isAnswering,
    comesBack: !isAnswering && happens(0.4),
    isReadable: !happens(0.25),
    isComplete: !happens(0.1),
    hasLookalike: hasOtherCoins && happens(0.3),
    stopsAtOnce: happens(0.75),
    delayMs: Math.floor(rng.next() ** 2 * 40_000),
    stop: drawStop(market, happens),
    firstSlice: drawFirstSlice(happens),
  };
}

/** Draws the stop of the bot at the exchange. A spot account has none. */
function drawStop(market: KillCase['market'], happens: (probability: number) => boolean): KillCase['stop'] {
  if (market === 'spot' || happens(0.5)) return 'none';
  return happens(0.5) ? 'near' : 'far';
}

/** Draws the fault of the first slice. 70 % of the cases have no fault. */
function drawFirstSlice(happens: (probability: number) => boolean): KillCase['firstSlice'] {
  if (happens(0.7)) return 'answered';
  return happens(0.5) ? 'replyLost' : 'requestLost';
}

/** Returns the case as one line of text. */
export const caseText = (kill: KillCase): string =>
  Object.entries(kill)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
