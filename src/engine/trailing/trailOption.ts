// Reads the option `trailing` of an order: its distance (a price, a percentage or a multiple of a series) and where it begins.

import type { Ticks } from '../../base/brand.ts';
import { StrategyError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import { Decimal } from '../../base/number/decimal.ts';
import type { BotOrder } from '../../orders/botOrder.ts';
import { isNegative, scaleAmount, timesFactor } from '../../strategy/amounts.ts';
import type { Amount, Trail } from '../../strategy/types.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** Decimals of a percentage in whole millionths. */
const PERCENT_DIGITS = 4;
/** The keys of the object form of the option. */
const TRAIL_KEYS: Readonly<Record<string, true>> = {
  distance: true,
  percent: true,
  atr: true,
  times: true,
  from: true,
} satisfies Record<keyof Trail, true>;

/**
 * Writes the trailing stop of an order. A value that is not a number, such as that of an indicator that is not ready, makes `trailing` NaN.
 * Risk then denies the order. Throws StrategyError for a distance below 0 and a percentage that is not between 0 and 100.
 */
export function writeTrail(order: BotOrder, option: Amount | Trail, strategyName: string): void {
  if (!isTrail(option)) {
    order.trailing = distanceTicks(order, option, strategyName);
    return;
  }
  checkKeys(option, strategyName);
  const { distance, percent, atr, times, from } = option;
  if (percent === undefined) order.trailing = distanceTicks(order, distance ?? multiple(atr!.value, times ?? 1), strategyName);
  else writePercent(order, percent, strategyName);
  if (from === undefined) return;
  // Rounded like the price of the closing order: up for a long, so that trailing begins later.
  const fromTicks = scaleAmount(from, order.instrument.priceDigits, order.sign > 0 ? 'up' : 'down');
  if (fromTicks > 0) order.trailingFrom = fromTicks as Ticks;
  else order.trailing = NAN as Ticks;
}

/** Writes a distance in percent of the best price. `trailing` is then the smallest distance: one tick. */
function writePercent(order: BotOrder, percent: Amount, strategyName: string): void {
  if (Number(percent) <= 0 || Number(percent) >= 100)
    throw new StrategyError(
      `${strategyName}: a trailing stop of ${String(percent)} percent`,
      'give more than 0 and less than 100: { percent: 10 } is a tenth of the best price',
    );
  const ppm = scaleAmount(percent, PERCENT_DIGITS, 'down');
  order.trailingPpm = ppm >= 0 ? Math.max(1, ppm) : 0;
  order.trailing = (ppm >= 0 ? 1 : NAN) as Ticks;
}

/** True for the object form of the option. A Decimal is an object too, but it is an amount. */
const isTrail = (option: Amount | Trail): option is Trail => typeof option === 'object' && !Decimal.isDecimal(option);

/** Returns a distance in ticks, rounded down, at least one; NaN if it is not a number. Throws StrategyError for a distance below 0. */
function distanceTicks({ instrument }: BotOrder, distance: Amount, strategyName: string): Ticks {
  if (isNegative(distance))
    throw new StrategyError(
      `${strategyName}: a trailing stop at a negative distance, ${String(distance)}`,
      'give a distance in price above 0: buy and sell give the side of the stop',
    );
  const ticks = scaleAmount(distance, instrument.priceDigits, 'down');
  return (ticks >= 0 ? Math.max(1, ticks) : NAN) as Ticks;
}
/** Returns a multiple of a value, as a product of doubles, like the author's own `3 * atr.value`. */
const multiple = (value: number, times: Amount): Amount => (typeof times === 'number' ? value * times : timesFactor(times, value));

/** Throws StrategyError for an unknown or missing key. */
function checkKeys(option: Trail, name: string): void {
  if (option === null) throw new StrategyError(`${name}: an order whose trailing is null`, 'remove it if the order has no trailing stop');
  for (const key of Object.keys(option)) {
    if (TRAIL_KEYS[key] === true) continue;
    const nearestKey = nearestName(key, Object.keys(TRAIL_KEYS));
    throw new StrategyError(
      `${name}: an order with trailing.${key}, which does not exist`,
      nearestKey === null ? 'give one of distance, percent and atr, and from to begin at a price' : `did you mean ${nearestKey}?`,
    );
  }
  const distances = (['distance', 'percent', 'atr'] as const).filter((key) => option[key] !== undefined);
  if (distances.length !== 1) {
    throw new StrategyError(
      `${name}: an order that trails by ${distances.length === 0 ? 'nothing' : distances.join(' and ')}`,
      'give one of distance, percent and atr',
    );
  }
  const rangeValue: unknown = option.atr === undefined ? 0 : option.atr.value;
  const hasTimesAlone = option.times !== undefined && option.atr === undefined;
  if (typeof rangeValue !== 'number' || hasTimesAlone) {
    throw new StrategyError(
      `${name}: an order whose trailing.${option.atr === undefined ? 'times has no atr' : 'atr is not a series'}`,
      'give the indicator itself: { atr: this.range, times: 3 }',
    );
  }
}
