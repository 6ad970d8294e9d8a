// Reads recorded trades from a file of comma-separated values, as whole ticks and lots.

import { readInputFile } from '../../../adapters/disk/regularFile.ts';
import { toScaled } from '../../../base/number/decimal.ts';
import { isPlainDecimal } from '../../../base/number/decimalText.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { parseTime } from '../../../model/time.ts';
import type { RecordedTrades } from '../../market/priceSource.ts';

const COLUMNS = ['time', 'price', 'quantity'] as const;
const REMEDY = 'name the columns in the first line: time (ms or UTC), price and quantity; sort the rows by time';

/** Returns the trades of an instrument; other columns are ignored. Throws ConfigError with file and line. */
export function readTradeFile(file: string, instrument: Instrument): RecordedTrades {
  const [headerLine = '', ...rows] = textOf(file).trimEnd().split(/\r?\n/);
  const names = headerLine.split(',').map((name) => name.trim().toLowerCase());
  const [time, price, quantity] = COLUMNS.map((name) => names.indexOf(name));
  if (time === undefined || price === undefined || quantity === undefined || Math.min(time, price, quantity) < 0) {
    throw new ConfigError(`${file}:1: expected columns time, price and quantity, got ${headerLine.slice(0, 80)}`, REMEDY);
  }
  if (rows.length === 0) throw new ConfigError(`${file}: expected trades, got none`, REMEDY);
  const timeMs = new Float64Array(rows.length);
  const ticks = new Float64Array(rows.length);
  const lots = new Float64Array(rows.length);
  rows.forEach((row, index) => {
    const cells = row.split(',');
    const errorOf = (problem: string): ConfigError => new ConfigError(`${file}:${index + 2}: ${problem}, got ${row.slice(0, 80)}`, REMEDY);
    const ms = timeIn(cells[time]?.trim() ?? '') ?? fail(errorOf('expected a time in ms or UTC'));
    timeMs[index] = ms;
    if (index > 0 && ms < timeMs[index - 1]!) throw errorOf('expected a time that is not before the previous row');
    ticks[index] =
      scaledOf(cells[price], instrument.priceDigits) ??
      fail(errorOf(`expected a price above 0 with at most ${instrument.priceDigits} decimals`));
    lots[index] =
      scaledOf(cells[quantity], instrument.quantityDigits) ??
      fail(errorOf(`expected a quantity above 0 with at most ${instrument.quantityDigits} decimals`));
  });
  return { length: rows.length, timeMs, ticks, lots };
}

/** Reads a file. Throws ConfigError if it cannot be read. */
function textOf(file: string): string {
  return readInputFile(file).toString('utf8');
}

/** Returns a time in ms UTC; null for text that is not a time. */
const timeIn = (text: string): number | null => (/^\d{10,16}$/.test(text) ? Number(text) : parseTime(text));

/** Returns a plain decimal above 0 in whole units; null for other text or too many decimals. */
function scaledOf(text: string | undefined, digits: number): number | null {
  const decimalText = text?.trim() ?? '';
  const units = isPlainDecimal(decimalText) ? toScaled(decimalText, digits) : null;
  return units !== null && units > 0 ? units : null;
}

/** Throws an error inside an expression. */
function fail(error: ConfigError): never {
  throw error;
}
