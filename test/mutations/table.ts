// Every guard of the specification with a change that takes it out, and those that cannot be taken out, with the reason.

import { EXPOSURE } from './exposure.ts';
import type { Guard } from './guard.ts';
import { KILL } from './kill.ts';
import { EXTERNAL } from './environment.ts';
import { PROOF } from './proof.ts';
import { SENDING } from './sending.ts';

/** Rows of the specification, and behind them those of the kill. */
export const GUARD_COUNT = 96;

export const GUARDS: readonly Guard[] = [...SENDING, ...PROOF, ...EXPOSURE, ...EXTERNAL, ...KILL].toSorted((a, b) => a.row - b.row);

/** Rows without a change, and why. */
export const NOT_SHOWN: Readonly<Record<number, string>> = {};
