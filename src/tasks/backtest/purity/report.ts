// How a watch reports what strategy code does.

import type { Warning, WarningCode } from '../../../model/warning.ts';

/** Reports a call of `description`, unless isobar made it. `below`: the replacement that was called. */
export type Report = (code: WarningCode, description: string, below: (...args: never[]) => unknown) => void;

/** Takes the warnings of a watch. */
export interface WarningSink {
  readonly add: (warning: Warning) => void;
  /** Returns true for uses that `add` stops by an error: it has to see each of them, not the first alone. */
  readonly stops?: (code: WarningCode) => boolean;
}
