// Reads the option `targets` of an order: several targets, each with its price and its share of the position.

import type { Ticks } from '../../base/brand.ts';
import { StrategyError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import type { Ladder, Rung } from '../../model/order.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import { nearestOf } from '../../orders/stops/ladder.ts';
import { scaleAmount } from '../../strategy/amounts.ts';
import type { TargetShare } from '../../strategy/types.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Decimals of a share in whole millionths. */
const SHARE_DIGITS = 6;
const MILLION = 1_000_000;
/** The number of targets is limited, because each one is an order at the exchange. */
const MAX_TARGETS = 10;
const TARGETS_EXAMPLE = 'targets: [{ at: 105, share: 0.5 }, { at: 110 }]';
const TARGET_KEYS: Readonly<Record<string, true>> = { at: true, share: true } satisfies Record<keyof TargetShare, true>;

/** Returns the targets of an order. Throws StrategyError for an invalid list; a price that is not a number becomes NaN. */
export function readTargets(
  { instrument, sign }: Pick<BotOrder, 'instrument' | 'sign'>,
  targets: readonly TargetShare[],
  strategyName: string,
): Ladder {
  checkList(targets, strategyName);
  let remainingPpm = MILLION;
  return targets.map((target, index): Rung => {
    checkTarget(target, index, strategyName);
    const isLast = index === targets.length - 1;
    const sharePpm =
      target.share === undefined ? remainderOf(remainingPpm, index, isLast, strategyName) : shareOf(target, index, strategyName);
    remainingPpm -= sharePpm;
    if (remainingPpm < 0)
      throw targetsError(
        strategyName,
        `the shares of its targets sum to ${(MILLION - remainingPpm) / MILLION}`,
        'give shares that sum to at most 1; a remainder is protected by the stop alone',
      );
    // Rounded like the price of the closing order: up for a long.
    const priceTicks = scaleAmount(target.at, instrument.priceDigits, sign > 0 ? 'up' : 'down');
    return { at: (priceTicks > 0 ? priceTicks : NAN) as Ticks, sharePpm };
  });
}

/** Returns the share of a target, ppm. Throws StrategyError if it is not a fraction. */
function shareOf({ share }: TargetShare, index: number, strategyName: string): number {
  const sharePpm = scaleAmount(share!, SHARE_DIGITS, 'down');
  if (sharePpm > 0 && sharePpm <= MILLION) return sharePpm;
  throw targetsError(
    strategyName,
    `targets[${index}].share is ${String(share)}`,
    'give a fraction above 0 and at most 1, to six decimals: 0.5 is half',
  );
}

/** Returns the share of a target that names none, ppm: the remainder. Throws StrategyError if another target follows or nothing is left. */
function remainderOf(remainingPpm: number, index: number, isLast: boolean, strategyName: string): number {
  if (!isLast)
    throw targetsError(strategyName, `targets[${index}] has no share`, 'only the last target may have no share: it closes the remainder');
  if (remainingPpm === 0)
    throw targetsError(
      strategyName,
      `targets[${index}] has nothing left to close`,
      'the shares before it already sum to 1: remove it, or make them smaller',
    );
  return remainingPpm;
}

/** Writes the targets of an order. A value that is not a price makes `takeProfit` NaN, so that risk denies the order. */
export function writeLadder(order: BotOrder, ladder: Ladder): void {
  order.ladder = ladder;
  order.takeProfit = nearestOf(ladder, order.sign > 0) as Ticks;
}

/** Throws StrategyError unless the option is a list of targets. */
function checkList(targets: unknown, name: string): void {
  const typeName = targets === null ? 'null' : `a ${typeof targets}`;
  if (!Array.isArray(targets)) throw targetsError(name, `targets is ${typeName} instead of a list`, `write ${TARGETS_EXAMPLE}`);
  if (targets.length === 0) throw targetsError(name, 'targets is empty', 'remove it if no target should close the position');
  if (targets.length > MAX_TARGETS)
    throw targetsError(name, `${targets.length} targets`, `give at most ${MAX_TARGETS}: each is an order at the exchange`);
}
/** Throws StrategyError for a target that is not valid. `index` is its position in the list. */
function checkTarget(target: unknown, index: number, name: string): void {
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  if (!isObject || !('at' in target) || target.at === undefined)
    throw targetsError(name, `targets[${index}] has no price`, `write ${TARGETS_EXAMPLE}`);
  for (const key of Object.keys(target)) {
    if (TARGET_KEYS[key] === true) continue;
    const nearestKey = nearestName(key, Object.keys(TARGET_KEYS));
    throw targetsError(
      name,
      `targets[${index}].${key} does not exist`,
      nearestKey === null ? `the keys of a target are at and share: ${TARGETS_EXAMPLE}` : `did you mean ${nearestKey}?`,
    );
  }
}
/** Returns the error for an invalid list of targets. */
const targetsError = (name: string, problem: string, remedy: string): StrategyError =>
  new StrategyError(`${name}: an order with invalid targets: ${problem}`, remedy);

/** Returns the error for a call that has both a single target and targets. */
export const bothTargetsError = (name: string, call: string, single: string): StrategyError =>
  new StrategyError(`${name}: ${call} with ${single} and targets`, `remove one of them: ${single} closes the whole position at one price`);
