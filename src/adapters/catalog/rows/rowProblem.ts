// Describes why a row is invalid: the column, the expected and the actual value, and the remedy.

import { isPlainDecimal } from '../../../base/number/decimalText.ts';
import { InvariantError } from '../../../base/errors.ts';
import { openOf } from '../../../model/interval.ts';
import { formatTime } from '../../../model/time.ts';
import { MAX_DIGITS } from '../records/instrumentRecord.ts';
import { EARLIEST_MS, LATEST_MS, type RowProblem, type RowCollector } from './rowCollector.ts';
import { msOfUnix } from './timeText.ts';

const FIX_ROW = 'fix or remove it, or import with --skip-bad';

/** Returns a problem of a whole row, with the general remedy. */
export function badRow(reason: string): RowProblem {
  return { column: null, reason, remedy: FIX_ROW };
}

/**
 * Returns the problem of a row with the six `fields` (time, open, high, low, close, volume) called `names` that the collector rejected.
 * `strictMs`: times must be in ms. Throws InvariantError if nothing is wrong.
 */
export function rowProblem(fields: readonly string[], names: readonly string[], collector: RowCollector, strictMs: boolean): RowProblem {
  for (const [index, field] of fields.entries()) {
    const problem = index === 0 ? timeProblem(field, collector, strictMs) : numberProblem(field, index === 5, collector);
    if (problem) return { column: names[index]!, reason: problem[0], remedy: problem[1] };
  }
  const ms = strictMs ? Number(fields[0]) : msOfUnix(Number(fields[0]));
  return orderProblem(ms, names, collector) ?? priceProblem(names, collector) ?? throwWithoutReason(fields, collector);
}

/** Null if the field is valid. */
type FieldProblem = readonly [reason: string, remedy: string] | null;

function fieldText(field: string): string {
  return JSON.stringify(field.length > 40 ? `${field.slice(0, 40)}...` : field);
}

/** Returns what is wrong with a time; null if it is valid. `strictMs`: the time must be in Unix milliseconds. */
function timeProblem(field: string, { rules }: RowCollector, strictMs: boolean): FieldProblem {
  const shownText = fieldText(field);
  const expected = strictMs ? 'Unix milliseconds' : 'a Unix time in s, ms, us or ns, or a date and time such as 2024-01-31 08:00';
  const remedy = strictMs ? 'write the open time of the bar in ms, UTC; --skip-bad sets bad rows aside' : FIX_ROW;
  if (!/^\d+$/.test(field)) return [`expected ${expected}, got ${shownText}`, remedy];
  const time = strictMs ? Number(field) : msOfUnix(Number(field));
  if (!(time >= EARLIEST_MS && time < LATEST_MS)) {
    const unitGuess = strictMs ? guessUnit(Number(field)) : '';
    return [`expected ${expected} of the years 2000 to 2099, got ${shownText}${unitGuess}`, remedy];
  }
  if (openOf(rules.interval, time) === time) return null;
  const actual = Number.isInteger(time) ? formatTime(time) : shownText;
  return [`${actual} is not the open of a ${rules.interval} bar`, 'name the right interval by --interval, or import with --skip-bad'];
}

/** Returns a hint on the unit of a Unix time that is not in ms; empty if it is not a time in any unit. */
function guessUnit(unixTime: number): string {
  if (!Number.isInteger(msOfUnix(unixTime))) return '';
  return unixTime < EARLIEST_MS ? ' (seconds?)' : ' (finer than ms?)';
}

/** Returns what is wrong with a price or a volume; null if it is valid. */
function numberProblem(field: string, isVolume: boolean, { rules }: RowCollector): FieldProblem {
  const shownText = fieldText(field);
  if (field === '') return ['expected a number, got nothing', FIX_ROW];
  if (!isPlainDecimal(field)) {
    return [
      `expected a plain decimal, got ${shownText}`,
      'write digits and a point only: no exponent, sign, space, NaN; --skip-bad sets bad rows aside',
    ];
  }
  if (isVolume) {
    if (field.startsWith('-')) return [`expected 0 or more, got ${shownText}`, FIX_ROW];
    return Number(field) === Infinity ? [`expected a finite number, got ${shownText}`, FIX_ROW] : null;
  }
  if (Number(field) <= 0) return [`expected a price above 0, got ${shownText}`, FIX_ROW];
  const limit = rules.priceDigits;
  const digits = (field.split('.')[1] ?? '').replace(/0+$/, '').length;
  if (limit === null || digits <= limit) return null;
  if (!rules.roundToTick) {
    return [
      `${shownText} is finer than the instrument's precision of ${limit} digits`,
      'round by --round-to-tick, or give a finer record by --instrument FILE',
    ];
  }
  return roundsToZero(field, limit) ? [`${shownText} rounds to 0 at ${limit} digits`, 'give a finer record by --instrument FILE'] : null;
}

function roundsToZero(field: string, digits: number): boolean {
  const [integerPart = '', decimals = ''] = field.split('.');
  const isZeroTruncated = /^0*$/.test(integerPart + decimals.slice(0, digits));
  return isZeroTruncated && (decimals[digits] ?? '0') < '5';
}

/** Returns a problem if the time of the row repeats or breaks the order of the file; null otherwise. */
function orderProblem(time: number, names: readonly string[], collector: RowCollector): RowProblem | null {
  const { lastMs, direction } = collector;
  if (collector.rows === 0) return null;
  const column = names[0]!;
  if (time === lastMs) {
    const reason = `the same time as ${collector.place(collector.lastLine)}, ${formatTime(time)}, with other figures`;
    return { column, reason, remedy: 'remove one of the two, or import with --skip-bad' };
  }
  if (direction === 0 || time > lastMs === direction > 0) return null;
  const reason = `expected a time ${direction > 0 ? 'after' : 'before'} ${formatTime(lastMs)}, got ${formatTime(time)}`;
  return { column, reason, remedy: 'sort the file by time, or import with --skip-bad' };
}

/** Returns a problem if low, high, open and close contradict each other, or need too many digits; null otherwise. */
function priceProblem(names: readonly string[], collector: RowCollector): RowProblem | null {
  const { digits } = collector;
  const [, open, high, low, close] = collector.row.values;
  const order = `low ${low}, open ${open}, close ${close}, high ${high}`;
  const problem = (column: number, reason: string): RowProblem => ({ column: names[column]!, reason, remedy: FIX_ROW });
  if (!(low! <= open! && low! <= close!)) return problem(3, `expected low <= open and close, got ${order}`);
  if (!(high! >= open! && high! >= close!)) return problem(2, `expected high >= open and close, got ${order}`);
  // Checked last: with more decimals, no limit could be expressed as a double.
  if (digits <= MAX_DIGITS && high! < collector.priceLimit) return null;
  if (digits === 0) return problem(2, `expected a price below ${collector.priceLimit}, got ${high}`);
  return {
    column: null,
    reason: `prices of ${digits} digits behind the point, up to ${high}, are finer than exact money can be`,
    remedy:
      'if isobar wrote the file, isobar data check shows whether it was altered; else data import with --instrument FILE --round-to-tick',
  };
}

function throwWithoutReason(fields: readonly string[], { rules }: RowCollector): never {
  throw new InvariantError(`${rules.file}: a row refused without a reason: ${fields.join(',')}`);
}
