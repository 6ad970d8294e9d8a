// Parses the Retry-After header.

import type { TimeMs } from '../../../base/brand.ts';
import { parseTime } from '../../../model/time.ts';

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const HTTP_DATE = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/;

/** Returns the ms to wait at `nowMs` of the service's clock, from seconds or an HTTP date; null for anything else. */
export function retryAfterMs(header: string | undefined, nowMs: TimeMs): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const [, day = '', month = '', year = '', time = ''] = HTTP_DATE.exec(text) ?? [];
  const monthAt = MONTHS.indexOf(month);
  if (month === '' || monthAt % 3 !== 0) return null;
  const dueMs = parseTime(`${year}-${String(monthAt / 3 + 1).padStart(2, '0')}-${day}T${time}Z`);
  return dueMs === null ? null : Math.max(0, dueMs - nowMs);
}
