// Parses times of other programs' files: Unix times, whose size shows their unit, and the usual date formats.

import { parseTime } from '../../../model/time.ts';
import { EARLIEST_MS, LATEST_MS } from './rowCollector.ts';

/** Returns a Unix time in s, ms, us or ns as ms; NaN for any other. For the years 2000 to 2099 the units cannot be confused. */
export function msOfUnix(value: number): number {
  if (value >= EARLIEST_MS && value < LATEST_MS) return value;
  if (value >= EARLIEST_MS / 1000 && value < LATEST_MS / 1000) return value * 1000;
  if (value >= EARLIEST_MS * 1000 && value < LATEST_MS * 1000) return value / 1000;
  return value >= EARLIEST_MS * 1e6 && value < LATEST_MS * 1e6 ? msOfNs(value) : NaN;
}

/**
 * Returns the ms of a Unix time in ns. A double holds such a time only to some 256 ns, so the double of a whole number of us may be beside it: it
 * becomes that number again. A time between two us stays between them, because a rounded time could be earlier.
 */
function msOfNs(ns: number): number {
  const nearUs = [Math.floor(ns / 1000), Math.ceil(ns / 1000)];
  const wholeUs = nearUs.find((us) => us * 1000 === ns);
  return wholeUs === undefined ? ns / 1e6 : wholeUs / 1000;
}

const CLOCK_12 = /^(\d{4}-\d\d-\d\d) (\d\d)-(AM|PM)$/;
/** No time zone is further from UTC than 14 hours. */
const OFFSET = /([+-])(0\d|1[0-4]):?([0-5]\d)$/;

/**
 * Returns the ms of `2024-01-31`, `2024-01-31 08:00`, `2024-01-31T08:00:00.000Z`, `2024-01-31 08:00:00+02:00`, or CryptoDataDownload's
 * `2024-01-31 08-PM`; UTC without an offset. Null for anything else: 01/02/2024 is ambiguous.
 */
export function msOfDate(text: string): number | null {
  const twelveHour = CLOCK_12.exec(text);
  if (twelveHour) {
    const [, date, hour, half] = twelveHour;
    const hours = (Number(hour) % 12) + (half === 'PM' ? 12 : 0);
    return Number(hour) > 12 ? null : parseTime(`${date} ${String(hours).padStart(2, '0')}:00`);
  }
  // The end of a plain date looks like an offset.
  const offset = text.length > 10 ? OFFSET.exec(text) : null;
  const withoutZone = (offset ? text.slice(0, offset.index) : text).replace(/ ?(UTC|Z)$/, '').replace(/(\.\d{3})0+$/, '$1');
  const ms = parseTime(withoutZone);
  if (ms === null || !offset) return ms;
  const offsetMs = (Number(offset[2]) * 60 + Number(offset[3])) * 60_000;
  return offset[1] === '+' ? ms - offsetMs : ms + offsetMs;
}
