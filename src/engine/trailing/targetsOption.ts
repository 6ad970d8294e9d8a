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

const SHARE_DIGITS = 6;
const MILLION = 1_000_000;
/** Each target is an order at the exchange. */
const MAX_TARGETS = 10;
const EXAMPLE = 'targets: [{ at: 105, share: 0.5 }, { at: 110 }]';
const KEYS: Readonly<Record<string, true>> = { at: true, share: true } satisfies Record<keyof TargetShare, true>;

/** Returns the targets of an order. Throws for a list that cannot be one; a price that is not a number stays NaN. */
export function readTargets(
  { instrument, sign }: Pick<BotOrder, 'instrument' | 'sign'>,
  given: readonly TargetShare[],
  name: string,
): Ladder {
  checkList(given, name);
  let left = MILLION;
  return given.map((target, at): Rung => {
    checkTarget(target, at, name);
    const isLast = at === given.length - 1;
    if (target.share === undefined && !isLast)
      throw wrong(name, `targets[${at}] has no share`, 'only the last may leave it out: it takes the rest');
    const sharePpm = target.share === undefined ? left : scaleAmount(target.share, SHARE_DIGITS, 'down');
    if (target.share === undefined && left === 0)
      throw wrong(name, `targets[${at}] has nothing left to close`, 'the shares before it come to 1');
    if (!(sharePpm > 0 && sharePpm <= MILLION))
      throw wrong(
        name,
        `targets[${at}].share is ${String(target.share)}`,
        'give a fraction above 0 and at most 1, to six decimals: 0.5 is half',
      );
    left -= sharePpm;
    if (left < 0)
      throw wrong(
        name,
        `the shares of its targets come to ${(MILLION - left) / MILLION}`,
        'give shares that come to 1 at most; what is missing to 1 keeps the stop alone',
      );
    // Rounded like the price of the order that closes: up for a long.
    const ticks = scaleAmount(target.at, instrument.priceDigits, sign > 0 ? 'up' : 'down');
    return { at: (ticks > 0 ? ticks : NAN) as Ticks, sharePpm };
  });
}

/** Writes the targets of an order. What is not a price makes the order invalid: `takeProfit` is NaN then, and risk denies it. */
export function writeLadder(order: BotOrder, ladder: Ladder): void {
  order.ladder = ladder;
  order.takeProfit = nearestOf(ladder, order.sign > 0) as Ticks;
}

function checkList(given: unknown, name: string): void {
  if (!Array.isArray(given))
    throw wrong(name, `targets is ${given === null ? 'null' : `a ${typeof given}`} and no list`, `write ${EXAMPLE}`);
  if (given.length === 0) throw wrong(name, 'targets is empty', 'leave it out where nothing is to be closed with a gain');
  if (given.length > MAX_TARGETS)
    throw wrong(name, `${given.length} targets`, `give at most ${MAX_TARGETS}: each is an order at the exchange`);
}
function checkTarget(target: unknown, at: number, name: string): void {
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  if (!isObject || !('at' in target) || target.at === undefined) throw wrong(name, `targets[${at}] has no price`, `write ${EXAMPLE}`);
  for (const key of Object.keys(target)) {
    if (KEYS[key] === true) continue;
    const near = nearestName(key, Object.keys(KEYS));
    throw wrong(
      name,
      `targets[${at}].${key} does not exist`,
      near === null ? `a target has at and share: ${EXAMPLE}` : `did you mean ${near}?`,
    );
  }
}
const wrong = (name: string, what: string, remedy: string): StrategyError =>
  new StrategyError(`${name}: an order whose list of targets is wrong: ${what}`, remedy);

/** `call`: what has both. */
export const bothTargets = (name: string, call: string, single: string): StrategyError =>
  new StrategyError(`${name}: ${call} with ${single} and targets`, `leave one out: ${single} closes all at one price`);
