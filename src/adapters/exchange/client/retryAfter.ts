// The header Retry-After: how long a service asks to be left alone.

import type { TimeMs } from '../../../base/brand.ts';
import { parseTime } from '../../../model/time.ts';

const MONTHS = 'JanFebMarAprMayJunJulAugSepOctNovDec';
const HTTP_DATE = /^[A-Z][a-z]{2}, (\d{2}) ([A-Z][a-z]{2}) (\d{4}) (\d{2}:\d{2}:\d{2}) GMT$/;

/** ms to wait at `nowMs` of the service's clock: from seconds, or a date as HTTP writes it; null for anything else. */
export function retryAfterMs(header: string | undefined, nowMs: TimeMs): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const [, day = '', month = '', year = '', time = ''] = HTTP_DATE.exec(text) ?? [];
  const at = MONTHS.indexOf(month);
  if (month === '' || at % 3 !== 0) return null;
  const dueMs = parseTime(`${year}-${String(at / 3 + 1).padStart(2, '0')}-${day}T${time}Z`);
  return dueMs === null ? null : Math.max(0, dueMs - nowMs);
}
