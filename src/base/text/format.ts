// Formats the numbers and times of reports. Undefined numbers become a dash, and no number has an exponent.

import { civilMonth } from '../calendar.ts';

/** Thin space, between groups of three digits. */
export const THIN = '\u2009';
/** The minus sign of figures. It is as wide as a digit. */
export const MINUS = '\u2212';
/** Stands for a figure that is not defined. The page shows the reason on hover. */
export const NO_VALUE = '\u2013';

const DAY_MS = 86_400_000;

/** Inserts thin spaces into the whole part of plain decimal text, and replaces a hyphen by a true minus. */
export function grouped(text: string): string {
  const unsigned = text.startsWith('-') ? text.slice(1) : text;
  const pointAt = unsigned.indexOf('.');
  const whole = pointAt < 0 ? unsigned : unsigned.slice(0, pointAt);
  const fraction = pointAt < 0 ? '' : unsigned.slice(pointAt);
  const isNegative = text.startsWith('-') && /[1-9]/.test(unsigned);
  return (isNegative ? MINUS : '') + whole.replace(/\B(?=(\d{3})+(?!\d))/g, THIN) + fraction;
}

/** Returns a number with fixed digits; `–` if it is not finite. */
export function fixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return NO_VALUE;
  if (Math.abs(value) >= 1e21) return grouped(BigInt(Math.round(value)).toString());
  return grouped(value.toFixed(digits));
}

/** As `fixed`, with a plus for values above zero. */
export function signed(value: number, digits: number): string {
  const text = fixed(value, digits);
  return value > 0 && /[1-9]/.test(text) ? `+${text}` : text;
}

/** Returns a whole number. */
export function wholeText(value: number): string {
  return fixed(value, 0);
}

const LARGE = ['', ' k', ' M', ' G', ' T', ' P', ' E'] as const;

/** Returns three digits of an amount for a chart: `1.23 k`, `0.0456`, `12.3`, `0`. */
export function briefNumber(value: number): string {
  if (!Number.isFinite(value)) return NO_VALUE;
  if (value === 0) return '0';
  const rounded = Number(value.toPrecision(3));
  const thousands = Math.min(LARGE.length - 1, Math.max(0, Math.floor(Math.log10(Math.abs(rounded)) / 3)));
  const scaled = rounded / 1000 ** thousands;
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(scaled))));
  return fixed(scaled, Math.min(12, digits)).replace(/\.0+$/, '') + LARGE[thousands]!.replace(' ', THIN);
}

/** Decimals of assets that are not written with two. With two, a small amount of BTC or ETH would be 0. */
const USUAL_DIGITS: ReadonlyMap<string, number> = new Map([
  ...['BTC', 'WBTC', 'XBT'].map((asset) => [asset, 8] as const),
  ...['ETH', 'WETH', 'STETH', 'BNB', 'XAUT', 'PAXG'].map((asset) => [asset, 6] as const),
  ...['JPY', 'KRW', 'IDR', 'VND', 'CLP', 'HUF'].map((asset) => [asset, 0] as const),
]);

/** Returns the number of decimals with which amounts of an asset are usually written. */
export function usualDigits(asset: string): number {
  return USUAL_DIGITS.get(asset.toUpperCase()) ?? 2;
}

/** Returns an amount of an asset with its usual decimals, without the name of the asset. */
export function amountText(value: number, asset: string): string {
  return fixed(value, usualDigits(asset));
}

/** As `amountText`, with a plus for amounts above zero. */
export function signedAmount(value: number, asset: string): string {
  return signed(value, usualDigits(asset));
}

/** Returns `1 bar`, `2 bars`. */
export function counted(amount: number, word: string): string {
  return `${wholeText(amount)} ${word}${amount === 1 ? '' : 's'}`;
}

/** Returns a fraction as percent: 0.1842 is `18.42 %`. */
export function percent(fraction: number, digits = 2): string {
  return Number.isFinite(fraction) ? `${fixed(fraction * 100, digits)}${THIN}%` : NO_VALUE;
}

/** As `percent`, with a plus before gains. */
export function signedPercent(fraction: number, digits = 2): string {
  return Number.isFinite(fraction) ? `${signed(fraction * 100, digits)}${THIN}%` : NO_VALUE;
}

/** Returns an integer of 10^-digits as exact decimal text with at least `min` decimals. */
export function exactText(value: number, digits: number, min = 0): string {
  if (!Number.isFinite(value)) return NO_VALUE;
  const text = String(Math.abs(value)).padStart(digits + 1, '0');
  const significant = digits === 0 ? '' : text.slice(-digits).replace(/0+$/, '');
  const decimals = significant.padEnd(Math.min(min, digits), '0');
  const whole = digits === 0 ? text : text.slice(0, -digits);
  return grouped((value < 0 ? '-' : '') + whole + (decimals === '' ? '' : `.${decimals}`));
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Returns whole days, such as `41 days`; for less than a day, the text of `spanText`. */
export function daysText(durationMs: number): string {
  const days = Math.round(durationMs / DAY_MS);
  return days < 1 ? spanText(durationMs) : counted(days, 'day');
}

/** Returns the CSS class that colours a figure by its sign; empty for zero. */
export function tone(value: number): 'gain' | 'loss' | '' {
  if (value > 0) return 'gain';
  return value < 0 ? 'loss' : '';
}

/** Returns `2024-08-08`, UTC. */
export function dayText(timeMs: number): string {
  if (!Number.isFinite(timeMs)) return NO_VALUE;
  const { year, month, day } = civilMonth(timeMs);
  return `${year}-${twoDigits(month)}-${twoDigits(day)}`;
}

/** Returns `14:05`, UTC. */
export function clockText(timeMs: number): string {
  const minutes = Math.floor((((timeMs % DAY_MS) + DAY_MS) % DAY_MS) / 60_000);
  return `${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

/** Returns `2024-08-08 14:05`, UTC, for columns whose header names the zone. */
export function minuteText(timeMs: number): string {
  return Number.isFinite(timeMs) ? `${dayText(timeMs)} ${clockText(timeMs)}` : NO_VALUE;
}

/** Returns `2024-08-08 14:05 UTC`. */
export function timeText(timeMs: number): string {
  return Number.isFinite(timeMs) ? `${minuteText(timeMs)} UTC` : NO_VALUE;
}

/** Returns a length of time in its two largest units: `41 d 6 h`, `3 h 20 min`, `12 s`. */
export function spanText(durationMs: number): string {
  if (!Number.isFinite(durationMs)) return NO_VALUE;
  const timeUnits: readonly (readonly [number, string])[] = [
    [DAY_MS, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1000, 's'],
  ];
  const unitIndex = timeUnits.findIndex(([lengthMs]) => durationMs >= lengthMs);
  if (unitIndex < 0) return `${wholeText(durationMs)}${THIN}ms`;
  const [lengthMs, name] = timeUnits[unitIndex] ?? [1, 'ms'];
  const whole = Math.floor(durationMs / lengthMs);
  const nextUnit = timeUnits[unitIndex + 1];
  const nextCount = nextUnit && whole < 100 ? Math.floor((durationMs - whole * lengthMs) / nextUnit[0]) : 0;
  const head = `${wholeText(whole)}${THIN}${name}`;
  return nextUnit && nextCount > 0 ? `${head} ${nextCount}${THIN}${nextUnit[1]}` : head;
}

/** Returns texts as a list: `a, b and c`. */
export function joinedByAnd(texts: readonly string[]): string {
  return texts.join(', ').replace(/, ([^,]*)$/, ' and $1');
}
