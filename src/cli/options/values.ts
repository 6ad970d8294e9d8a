// Parsers of option values. Each one throws a ConfigError that names the option. yargs itself would read a word as NaN and '' as 0.

import { ConfigError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import { INTERVAL_FORM, INTERVALS, parseInterval, type Interval } from '../../model/interval.ts';
import { isTradeBars } from '../../model/tradeBars.ts';
import { parseTime } from '../../model/time.ts';

/** Returns the number that `text` spells. It may be infinite. */
export function parseNumber(option: string, text: string): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (!Number.isNaN(value)) return value;
  throw new ConfigError(`${option}: expected a number, got '${text}'`, `for example ${option} 1`);
}

/** A maximum from here on is so large that the message does not name it. */
const MIN_HIDDEN_MAX = 1e9;

/** Returns a whole number from 1 to `max`. Null without the option. */
export function wholeNumber(option: string, value: string | undefined, max: number): number | null {
  if (value === undefined) return null;
  const number = Number(value);
  if (/^\d+$/.test(value) && number >= 1 && number <= max) return number;
  throw new ConfigError(
    `${option}: expected a whole number from 1${max < MIN_HIDDEN_MAX ? ` to ${max}` : ''}, got '${value}'`,
    `for example ${option} 4`,
  );
}

/** Returns the interval that `text` names, such as `1h`. */
export function intervalOption(option: string, text: string): Interval {
  const interval = parseInterval(text);
  if (interval !== null) return interval;
  if (isTradeBars(text)) {
    throw new ConfigError(
      `${option}: expected ${INTERVAL_FORM}, got ${text}`,
      'a run makes bars from trades if its definition has them as the interval of a feed; the catalog has only the trades',
    );
  }
  const nearest = nearestName(text, INTERVALS);
  throw new ConfigError(
    `${option}: expected ${INTERVAL_FORM}, got ${JSON.stringify(text)}`,
    nearest === null ? '' : `did you mean ${nearest}?`,
  );
}

/** Returns the time of a date such as `2024-01-01` or of a date with a time, in ms UTC. */
export function dateOf(option: string, text: string): number {
  const time = parseTime(text);
  if (time !== null) return time;
  throw new ConfigError(
    `${option}: expected a date such as 2024-01-01, got ${JSON.stringify(text)}`,
    'UTC; a time may follow: 2024-01-01T08:00',
  );
}

/** Returns the words between commas without spaces, empty words and repeats. */
export const splitByComma = (text: string): readonly string[] => [
  ...new Set(
    text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
];
