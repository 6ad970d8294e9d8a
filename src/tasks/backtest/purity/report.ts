// How a watch tells what strategy code has done.

import type { WarningCode } from '../../../model/warning.ts';

/** Tells of a call of `what`, unless isobar made it. `below`: the replacement that was called. */
export type Report = (code: WarningCode, what: string, below: (...args: never[]) => unknown) => void;
