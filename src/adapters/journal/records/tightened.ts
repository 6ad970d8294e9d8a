// Limits that a person has made tighter while the bot ran, as the id of a HUMAN record: `risk.maxOrderQty=0.01`.

import type { LimitKey } from '../../../risk/limits/limits.ts';

export const tightenedText = (key: LimitKey, value: string): string => `risk.${key}=${value}`;
