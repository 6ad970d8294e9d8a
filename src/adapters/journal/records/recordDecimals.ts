// Converts the decimals of a journal to whole numbers.

import type { Ticks } from '../../../base/brand.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Ladder } from '../../../model/order.ts';

/** Returns `text` in units of 10^-digits. Throws ConfigError if it is finer, or if the result is not a safe integer. */
export function scaledFromRecord(text: string, digits: number): number {
  const dot = text.indexOf('.');
  const fraction = dot < 0 ? '' : text.slice(dot + 1);
  const value = Number((dot < 0 ? text : text.slice(0, dot)) + fraction.padEnd(digits, '0'));
  const isTooFine = fraction.length > digits;
  if (!isTooFine && Number.isSafeInteger(value)) return value;
  const expected = isTooFine ? `of at most ${digits} decimals` : `below 2^53 units of 10^-${digits}`;
  throw new ConfigError(
    `journal: expected a number ${expected}, got ${text}`,
    'set the digits of the instrument under `instruments:` of the config as they were when it was traded; they may have changed since',
  );
}

/** Decimals of a percentage that is a whole number of millionths. */
export const PERCENT_DIGITS = 4;

/** Returns a percentage in millionths; 0 where a record has none. */
export const ppmFromRecord = (percent: string | undefined): number =>
  percent === undefined ? 0 : scaledFromRecord(percent, PERCENT_DIGITS);

/** Decimals of a fraction that is a whole number of millionths. */
export const SHARE_DIGITS = 6;

/** Returns several targets from their text, such as `105.5:0.6 110:0.4`; null where a record has none. */
export const ladderFromRecord = (targets: string | undefined, priceDigits: number): Ladder | null =>
  targets === undefined
    ? null
    : targets.split(' ').map((target) => {
        const [price, share] = target.split(':') as [string, string];
        return { at: scaledFromRecord(price, priceDigits) as Ticks, sharePpm: scaledFromRecord(share, SHARE_DIGITS) };
      });
