// Defines schemas for the values in users' files, each with an error message and with the help that an editor shows.

import { z } from 'zod';
import { toScaled } from '../../base/number/decimal.ts';
import { isPlainDecimal } from '../../base/number/decimalText.ts';
import { FEED_FORM, INTERVAL_FORM, INTERVAL_PATTERN, parseFeedInterval, parseInterval } from '../../model/interval.ts';
import { TRADE_BAR_PATTERN } from '../../model/tradeBars.ts';

// An `error` is the text after "expected". parse.ts puts file, line and key before it, and the text that was found after it.

/** Returns the schema of a map with these keys and no others. */
export function mapValue<T extends z.ZodRawShape>(shape: T, expectation: string) {
  return z.strictObject(shape, { error: expectation });
}

/** Returns the schema of a text that matches a pattern. */
export function textValue(expectation: string, help: string, pattern = /\S/) {
  return z.string({ error: expectation }).regex(pattern, { error: expectation }).describe(help);
}

/** Returns the schema of one of several texts. */
export function choiceValue<const T extends readonly [string, ...string[]]>(values: T, help: string) {
  return z.enum(values, { error: `one of ${values.join(', ')}` }).describe(help);
}

/** Returns the schema of an interval of bars, or of one of `words`. */
export function intervalValue(help: string, words: readonly string[] = []) {
  const error = [...words, INTERVAL_FORM].join(', ');
  const wordAlternatives = words.length === 0 ? '' : `${words.join('|')}|`;
  return z
    .string({ error })
    .regex(new RegExp(`^(${wordAlternatives}${INTERVAL_PATTERN.source.slice(1, -1)})$`), { error })
    .refine((value) => words.includes(value) || parseInterval(value) !== null, { error })
    .describe(help);
}

/** Returns the schema of an interval of bars, or of bars from trades. */
export function feedIntervalValue(help: string) {
  const lengthPattern = `${INTERVAL_PATTERN.source.slice(1, -1)}|${TRADE_BAR_PATTERN.source.slice(1, -1)}`;
  return z
    .string({ error: FEED_FORM })
    .regex(new RegExp(`^(${lengthPattern})$`), { error: FEED_FORM })
    .refine((value) => parseFeedInterval(value) !== null, { error: FEED_FORM })
    .describe(help);
}

/** True or false. */
export function flagValue(help: string) {
  return z.boolean({ error: 'true or false' }).describe(help);
}

/** Returns the schema of a whole number in a range. */
export function integerValue(unit: string, help: string, min = 0, max = Number.MAX_SAFE_INTEGER) {
  const lowerBound = min > 0 ? `, at least ${min}` : '';
  const range = max < Number.MAX_SAFE_INTEGER ? `, ${min} to ${max}` : lowerBound;
  const error = `a whole number (${unit}${range})`;
  return z.int({ error }).min(min, { error }).max(max, { error }).describe(`${help} (${unit})`);
}

/** Returns the schema of a rate below 1 with at most six decimals, so that it is a whole number of millionths. */
export function rateValue(help: string) {
  const expectation = 'a quoted decimal (fraction below 1 with at most 6 decimals: 0.001 is 0.1 %)';
  return textValue(expectation, `${help} (fraction: 0.001 is 0.1 %)`, /^0(\.\d{1,6})?$/);
}

/** Returns a rate such as '0.001' in whole millionths. The schema rejects rates with more decimals. */
export function ppmOf(value: string): number {
  return Number(isPlainDecimal(value) ? toScaled(value, 6) : NaN);
}
