// Joins all guards of the specification, each with an edit that removes it. Guards that no edit can remove are listed with the reason.

import { EXPOSURE } from './exposure.ts';
import type { Guard } from './guard.ts';
import { KILL } from './kill.ts';
import { EXTERNAL } from './environment.ts';
import { PROOF } from './proof.ts';
import { SENDING } from './sending.ts';

/** The rows of the specification, followed by those of the kill. */
export const GUARD_COUNT = 96;

/** All guards that an edit can remove, in the order of their numbers. */
export const GUARDS: readonly Guard[] = [...SENDING, ...PROOF, ...EXPOSURE, ...EXTERNAL, ...KILL].toSorted((a, b) => a.row - b.row);

/** Rows without an edit, each with its reason. */
export const NOT_SHOWN: Readonly<Record<number, string>> = {};
