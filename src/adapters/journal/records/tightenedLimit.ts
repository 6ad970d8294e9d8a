// Writes a limit that the operator has tightened at run time, as the id of a HUMAN record: `risk.maxOrderQty=0.01`.

import type { LimitKey } from '../../../risk/limits/limits.ts';

/** Returns the id of the record. */
export const tightenedText = (key: LimitKey, value: string): string => `risk.${key}=${value}`;
