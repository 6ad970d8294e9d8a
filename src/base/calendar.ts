// Converts between times and dates of the civil calendar in UTC. `Date` is banned below the clock, so this computes with whole days:
// H. Hinnant, chrono-compatible low-level date algorithms (2014), `civil_from_days` and `days_from_civil`.

/** Days of an era of 400 years. Years begin with March here, so that a leap day is the last day of its year. */
const DAYS_OF_ERA = 146_097;
/** Days from 0000-03-01 to 1970-01-01. */
const DAYS_TO_1970 = 719_468;
/** Milliseconds of a day. */
export const DAY_MS = 86_400_000;

/** Returns year, month (1-12) and day of the month (UTC) of a time in ms. */
export function civilMonth(ms: number): { year: number; month: number; day: number } {
  const days = Math.floor(ms / DAY_MS) + DAYS_TO_1970;
  const era = Math.floor(days / DAYS_OF_ERA);
  const dayOfEra = days - era * DAYS_OF_ERA;
  const leapDays = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leapDays) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

/** Returns 00:00 UTC of the first day of a month (1-12), in ms. */
export function monthStart(year: number, month: number): number {
  const yearFromMarch = month <= 2 ? year - 1 : year;
  const era = Math.floor(yearFromMarch / 400);
  const yearOfEra = yearFromMarch - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5);
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return (era * DAYS_OF_ERA + dayOfEra - DAYS_TO_1970) * DAY_MS;
}
