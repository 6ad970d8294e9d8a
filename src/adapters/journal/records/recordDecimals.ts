// Converts decimals of a journal to whole numbers of an instrument.

import type { Ticks } from '../../../base/brand.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Ladder } from '../../../model/order.ts';

/** Returns `text` in units of 10^-digits. Throws ConfigError if it is finer, because the instrument's digits have changed. */
export function scaledFromRecord(text: string, digits: number): number {
  const dot = text.indexOf('.');
  const part = dot < 0 ? '' : text.slice(dot + 1);
  const value = Number((dot < 0 ? text : text.slice(0, dot)) + part.padEnd(digits, '0'));
  if (part.length <= digits && Number.isSafeInteger(value)) return value;
  throw new ConfigError(
    `journal: expected a number of at most ${digits} decimals, got ${text}`,
    'the digits of an instrument have changed since it was traded: set them as they were (instruments: in the config)',
  );
}

/** Digits of a percentage in whole millionths. */
export const PERCENT_DIGITS = 4;
/** Returns a percentage in millionths; 0 where a record has none. */
export const ppmFromRecord = (percent: string | undefined): number =>
  percent === undefined ? 0 : scaledFromRecord(percent, PERCENT_DIGITS);

/** Digits of a share in whole millionths. */
export const SHARE_DIGITS = 6;
/** Returns several targets from their text, such as `105.5:0.6 110:0.4`; null where a record has none. */
export const ladderFromRecord = (targets: string | undefined, priceDigits: number): Ladder | null =>
  targets === undefined
    ? null
    : targets.split(' ').map((target) => {
        const [at, share] = target.split(':') as [string, string];
        return { at: scaledFromRecord(at, priceDigits) as Ticks, sharePpm: scaledFromRecord(share, SHARE_DIGITS) };
      });
