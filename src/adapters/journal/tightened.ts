// Limits that a person has made tighter while the bot ran, as the id of a HUMAN record: `risk.maxOrderQty=0.01`.

import { limitValue, LIMITS, type LimitKey, type RiskLimits } from '../../risk/limits.ts';
import type { Body } from './records.ts';

const PREFIX = 'risk.';

export const tightenedText = (key: LimitKey, value: string): string => `${PREFIX}${key}=${value}`;

/** The limits that a decision has made tighter; none for a decision of another kind. */
export function tightenedLimits({ what, id }: Pick<Body<'HUMAN'>, 'what' | 'id'>): RiskLimits {
  const at = id.indexOf('=');
  const row = LIMITS.find(({ key }) => id.slice(0, at) === PREFIX + key);
  return what === 'adjust' && row !== undefined ? { [row.key]: limitValue(row.key, id.slice(at + 1)) } : {};
}
