// Joins all guards of the specification, each with an edit that removes it. Guards that no edit can remove are listed with the reason.

import { EXPOSURE } from './exposure.ts';
import type { Guard } from './guard.ts';
import { KILL } from './kill.ts';
import { ENVIRONMENT } from './environment.ts';
import { PROOF } from './proof.ts';
import { SENDING } from './sending.ts';

/** Number of guards: 1 to 62 are those of the specification, 63 to 96 those of a kill. */
export const GUARD_COUNT = 96;

/** All guards that an edit can remove, in the order of their numbers. */
export const GUARDS: readonly Guard[] = [...SENDING, ...PROOF, ...EXPOSURE, ...ENVIRONMENT, ...KILL].toSorted((a, b) => a.row - b.row);

/** Rows without an edit, each with its reason. */
export const ROWS_WITHOUT_EDIT: Readonly<Record<number, string>> = {};
