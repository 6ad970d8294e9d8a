// Brings the positions of a strategy to weights of its equity: first the orders that free money, then, once they have ended, the others.

import { StrategyError } from '../../base/errors.ts';
import { Decimal } from '../../base/number/decimal.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import type { OrderId } from '../../model/order.ts';
import type { Amount, RebalanceOptions, Size, Weights } from '../../strategy/types.ts';
import type { FeedRun } from '../feeds/feed.ts';

/** The largest sum of weights. It exceeds 1, because computed weights may do so by rounding. */
const MAX_WEIGHT_SUM = '1.000000001';
/** Number of symbols that a message lists. */
const MAX_LISTED_SYMBOLS = 8;
const REBALANCE_OPTIONS: readonly string[] = ['band', 'minTrade'] satisfies readonly (keyof RebalanceOptions)[];

/** What a rebalance needs of the strategy's run. */
export interface RebalanceHost {
  readonly name: string;
  /** One feed of each instrument that the strategy can trade, in the order of the instruments. */
  readonly tradable: readonly FeedRun[];
  /** Returns a size as lots at the newest close, negative for short; NaN before the first close. */
  lotsOf(size: Size, feed: FeedRun): number;
  /** Returns the lots that the strategy would hold if all its orders filled. */
  heldLots(feed: FeedRun): number;
  /** Withdraws orders of earlier rebalances that have not been sent yet. */
  withdrawWaiting(): void;
  /** Returns unfinished orders of earlier rebalances and targets. */
  unfinishedOrders(): readonly { readonly id: OrderId; readonly instrumentIndex: number }[];
  /** Reduces a position to `lots` at once. Returns the order; null when none is needed. */
  reduce(feed: FeedRun, lots: number): OrderId | null;
  /**
   * Opens or adds to a position once the orders `ahead` have ended; at once if there are none. Returns the order; null when the free cash is
   * less than the smallest order.
   */
  open(feed: FeedRun, lots: number, ahead: readonly OrderId[]): OrderId | null;
  isUnfinished(id: OrderId): boolean;
}

/** The change of one position that the weights need; lots are negative for short. */
interface TargetMove {
  readonly feed: FeedRun;
  readonly heldLots: number;
  readonly targetLots: number;
}

/** Sends the orders of a rebalance, and returns them: reductions first, then the others in the order in which the symbols were named. */
export function rebalance(host: RebalanceHost, weights: Weights, options: RebalanceOptions = {}): readonly OrderId[] {
  const moves = movesOf(host, checkWeights(host, weights), checkOptions(host, options));
  host.withdrawWaiting();
  const unfinishedOrders = host.unfinishedOrders();
  const isBusy = (feed: FeedRun): boolean => unfinishedOrders.some(({ instrumentIndex }) => instrumentIndex === feed.instrumentIndex);
  const possibleMoves = moves.filter(({ feed }) => !isBusy(feed));
  const reductions = possibleMoves.flatMap(({ feed, heldLots, targetLots }) => {
    const remainingLots = reducedTo(heldLots, targetLots);
    return remainingLots === heldLots ? [] : (host.reduce(feed, remainingLots) ?? []);
  });
  const idsAhead = [...unfinishedOrders.map(({ id }) => id), ...reductions.filter((id) => host.isUnfinished(id))];
  const openings = possibleMoves.flatMap(({ feed, heldLots, targetLots }) => {
    const missingLots = Math.abs(targetLots - reducedTo(heldLots, targetLots));
    return missingLots < feed.instrument.minLots ? [] : (host.open(feed, targetLots, idsAhead) ?? []);
  });
  return [...reductions, ...openings];
}

/** Returns the part of `heldLots` that remains on the way to `targetLots`: 0 when the position changes its side. */
function reducedTo(heldLots: number, targetLots: number): number {
  if (heldLots > 0 !== targetLots > 0 || targetLots === 0) return 0;
  return Math.abs(targetLots) < Math.abs(heldLots) ? targetLots : heldLots;
}

/** Returns the changes of position that the weights need. Feeds without a weight are sold. */
function movesOf(host: RebalanceHost, weights: ReadonlyMap<FeedRun, Amount>, { band, minTrade }: RebalanceOptions): readonly TargetMove[] {
  const feedsWithoutWeight = host.tradable.filter((feed) => !weights.has(feed));
  return [...weights.keys(), ...feedsWithoutWeight].flatMap((feed) => {
    const heldLots = host.heldLots(feed);
    const weight = weights.get(feed) ?? 0;
    const targetLots = host.lotsOf({ equity: weight }, feed);
    const changeLots = Math.abs(targetLots - heldLots);
    // A symbol without a bar yet has no price, so its lots are NaN and its position is not changed.
    if (!(changeLots >= feed.instrument.minLots)) return [];
    // The band applies to a position that stays open.
    const hasBand = targetLots !== 0 && heldLots !== 0 && band !== undefined;
    if (hasBand && changeLots <= host.lotsOf({ equity: band }, feed)) return [];
    if (minTrade !== undefined && changeLots < host.lotsOf({ quote: minTrade }, feed)) return [];
    return [{ feed, heldLots, targetLots }];
  });
}

/** Returns the weights by feed. Throws StrategyError for a symbol that the strategy cannot trade and for invalid weights. */
function checkWeights(host: RebalanceHost, weights: Weights): ReadonlyMap<FeedRun, Amount> {
  const unchecked: unknown = weights;
  if (typeof unchecked !== 'object' || unchecked === null || Array.isArray(unchecked)) {
    throw new StrategyError(`${host.name}: rebalance got no weights`, "name symbols and fractions of the equity: { BTCUSDT: '0.4' }");
  }
  const byFeed = new Map<FeedRun, Amount>();
  let spotSum = new Decimal(0);
  for (const [name, weight] of Object.entries(weights)) {
    const feed = feedOf(host, name);
    const value = decimalOf(host, `the weight of ${name}`, weight);
    if (feed.instrument.contract === undefined) {
      if (value.isNegative() && !value.isZero())
        throw badWeightError(host, `${name} has the weight ${value.toFixed()}`, 'give 0 or more: spot cannot be sold short');
      spotSum = spotSum.plus(value);
    }
    byFeed.set(feed, weight);
  }
  if (spotSum.gt(MAX_WEIGHT_SUM))
    throw badWeightError(
      host,
      `the weights of spot symbols sum to ${spotSum.toFixed()}`,
      'give weights that sum to at most 1: spot has no credit',
    );
  return byFeed;
}

/** Returns the options. Throws StrategyError for an unknown or invalid one. */
function checkOptions(host: RebalanceHost, options: RebalanceOptions): RebalanceOptions {
  for (const [name, value] of Object.entries(options)) {
    if (!REBALANCE_OPTIONS.includes(name)) {
      const nearestOption = nearestName(name, REBALANCE_OPTIONS);
      const remedy = nearestOption === null ? `the options are ${REBALANCE_OPTIONS.join(', ')}` : `did you mean ${nearestOption}?`;
      throw new StrategyError(`${host.name}: rebalance with the option ${name}, which does not exist`, remedy);
    }
    const amount = decimalOf(host, `the ${name} of a rebalance`, value as Amount);
    if (amount.isNegative() && !amount.isZero()) throw badWeightError(host, `the ${name} is ${amount.toFixed()}`, 'give 0 or more');
  }
  return options;
}

/** Returns the feed of an instrument. Throws StrategyError if the run has none, or several. */
function feedOf(host: RebalanceHost, name: string): FeedRun {
  const matching = host.tradable.filter(({ instrument }) => instrument.wireName === name || instrument.id === name);
  if (matching.length === 1) return matching[0]!;
  if (matching.length > 1) {
    const ids = matching.map(({ instrument }) => instrument.id).join(' and ');
    throw new StrategyError(`${host.name}: rebalance of ${name}, which may be ${ids}`, 'use one of these ids');
  }
  const symbols = host.tradable.map(({ instrument }) => instrument.wireName);
  const nearestSymbol = nearestName(name, symbols);
  const listedSymbols = symbols.slice(0, MAX_LISTED_SYMBOLS).join(', ');
  const symbolsText = symbols.length > MAX_LISTED_SYMBOLS ? `${listedSymbols} and others` : listedSymbols;
  throw new StrategyError(
    `${host.name}: rebalance of ${name}, which has no feed in this run`,
    nearestSymbol === null ? `the run has ${symbolsText}` : `did you mean ${nearestSymbol}?`,
  );
}

/** Returns an amount as a decimal. Throws StrategyError, naming it `place`, if it is not a number. */
function decimalOf(host: RebalanceHost, place: string, value: Amount): Decimal {
  let amount: Decimal | null = null;
  try {
    amount = new Decimal(value);
  } catch {
    // Reported below.
  }
  if (amount?.isFinite() === true) return amount;
  throw new StrategyError(
    `${host.name}: ${place} is ${String(value)}`,
    'give a number, such as 0.4; skip the rebalance while an indicator is not ready',
  );
}

/** Returns the error for an invalid weight or option. */
function badWeightError({ name }: RebalanceHost, problem: string, remedy: string): StrategyError {
  return new StrategyError(`${name}: rebalance: ${problem}`, remedy);
}
