// Converts UTC dates and times between text and milliseconds, without `Date`, which only the clock may use.

import { timeMs, type TimeMs } from '../base/brand.ts';
import { civilMonth, monthStart } from '../base/calendar.ts';

const TIME_PATTERN = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{3}))?)?(?:Z|\+00:00)?)?$/;

/**
 * Returns the time of `2024-01-01`, `2024-01-01T08:30` or `2024-01-01T08:30:00Z`, ms UTC. Seconds, milliseconds and Z are optional. Null for
 * text of another form, and for a day or an hour that does not exist.
 */
export function parseTime(text: string): TimeMs | null {
  const match = TIME_PATTERN.exec(text);
  if (!match) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, ms = 0] = match.slice(1).map((part) => Number(part ?? 0));
  if (month < 1 || month > 12 || day < 1 || hour > 23 || minute > 59 || second > 59) return null;
  const midnightMs = monthStart(year, month) + (day - 1) * 86_400_000;
  // A day that does not exist, such as February 30, is in the next month.
  if (civilMonth(midnightMs).month !== month) return null;
  return timeMs(midnightMs + ((hour * 60 + minute) * 60 + second) * 1000 + ms);
}

/** Returns a text such as `2024-01-01T08:30:00.000Z`, the form in all files that isobar writes. */
export function formatTime(utcMs: number): string {
  const { year, month, day } = civilMonth(utcMs);
  const dayMs = utcMs - Math.floor(utcMs / 86_400_000) * 86_400_000;
  const date = `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`;
  const clock = [Math.floor(dayMs / 3_600_000), Math.floor(dayMs / 60_000) % 60, Math.floor(dayMs / 1000) % 60].map(twoDigits).join(':');
  return `${date}T${clock}.${String(dayMs % 1000).padStart(3, '0')}Z`;
}

/** Returns a text such as `2024-01-01 08:30 UTC`, the form in messages. */
export function formatMinute(utcMs: number): string {
  const text = formatTime(utcMs);
  return `${text.slice(0, 10)} ${text.slice(11, 16)} UTC`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
