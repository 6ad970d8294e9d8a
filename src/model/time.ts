// Converts UTC dates and times between text and milliseconds. `Date` is banned below the clock.

import { timeMs, type TimeMs } from '../base/brand.ts';
import { civilMonth, monthStart } from '../base/calendar.ts';

const PATTERN = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{3}))?)?(?:Z|\+00:00)?)?$/;

/**
 * Returns the Unix time of `2024-01-01`, `2024-01-01T08:30` or `2024-01-01T08:30:00Z` (UTC; seconds, milliseconds and Z optional), or null
 * when the text has another form or the day or hour does not exist.
 */
export function parseTime(text: string): TimeMs | null {
  const match = PATTERN.exec(text);
  if (!match) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ms = 0] = match.slice(1).map((part) => Number(part ?? 0));
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return null;
  const days = monthStart(year, month) + (day - 1) * 86_400_000;
  // A day beyond the end of its month, such as February 30, falls into the next month.
  if (civilMonth(days).month !== month) return null;
  return timeMs(days + ((hour * 60 + minute) * 60 + second) * 1000 + ms);
}

/** Returns a text such as `2024-01-01T08:30:00.000Z`, the form in all files that isobar writes. */
export function formatTime(ms: number): string {
  const { year, month, day } = civilMonth(ms);
  const rest = ms - Math.floor(ms / 86_400_000) * 86_400_000;
  const clock = [Math.floor(rest / 3_600_000), Math.floor(rest / 60_000) % 60, Math.floor(rest / 1000) % 60].map(twoDigits).join(':');
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}T${clock}.${String(rest % 1000).padStart(3, '0')}Z`;
}

/** Returns a text such as `2024-01-01 08:30 UTC`, the form in messages. */
export function formatMinute(ms: number): string {
  const text = formatTime(ms);
  return `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
