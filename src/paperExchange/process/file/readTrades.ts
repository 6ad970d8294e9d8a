// Reads recorded trades from a file of comma-separated values, as whole ticks and lots.

import { readFileSync } from 'node:fs';
import { isPlainDecimal, toScaled } from '../../../base/number/decimal.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { Instrument } from '../../../model/instrument.ts';
import { parseTime } from '../../../model/time.ts';
import type { RecordedTrades } from '../../market/priceSource.ts';

const COLUMNS = ['time', 'price', 'quantity'] as const;
const REMEDY = 'its first line names its columns, time (ms or UTC), price and quantity among them, and its rows are in order of time';

/** Returns the trades of an instrument; other columns are ignored. Throws ConfigError with file and line. */
export function readTradeFile(file: string, instrument: Instrument): RecordedTrades {
  const [head = '', ...rows] = textOf(file).trimEnd().split(/\r?\n/);
  const names = head.split(',').map((name) => name.trim().toLowerCase());
  const [time, price, quantity] = COLUMNS.map((name) => names.indexOf(name));
  if (time === undefined || price === undefined || quantity === undefined || Math.min(time, price, quantity) < 0) {
    throw new ConfigError(`${file}:1: expected columns time, price and quantity, got ${head.slice(0, 80)}`, REMEDY);
  }
  if (rows.length === 0) throw new ConfigError(`${file}: expected trades, got none`, REMEDY);
  const timeMs = new Float64Array(rows.length);
  const ticks = new Float64Array(rows.length);
  const lots = new Float64Array(rows.length);
  rows.forEach((row, at) => {
    const cells = row.split(',');
    const wrong = (what: string): ConfigError => new ConfigError(`${file}:${at + 2}: ${what}, got ${row.slice(0, 80)}`, REMEDY);
    const ms = timeIn(cells[time]?.trim() ?? '') ?? fail(wrong('expected a time in ms or UTC'));
    timeMs[at] = ms;
    if (at > 0 && ms < timeMs[at - 1]!) throw wrong('expected a time that is not before the one above');
    ticks[at] =
      whole(cells[price], instrument.priceDigits) ?? fail(wrong(`expected a price above 0 of at most ${instrument.priceDigits} digits`));
    lots[at] =
      whole(cells[quantity], instrument.quantityDigits) ??
      fail(wrong(`expected a quantity above 0 of at most ${instrument.quantityDigits} digits`));
  });
  return { length: rows.length, timeMs, ticks, lots };
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`${file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`, 'name a file of trades');
  }
}

const timeIn = (text: string): number | null => (/^\d{10,16}$/.test(text) ? Number(text) : parseTime(text));

/** Returns a plain decimal above 0 in whole units; null if it has too many digits. */
function whole(text: string | undefined, digits: number): number | null {
  const plain = text?.trim() ?? '';
  const units = isPlainDecimal(plain) ? toScaled(plain, digits) : null;
  return units !== null && units > 0 ? units : null;
}

function fail(error: ConfigError): never {
  throw error;
}
