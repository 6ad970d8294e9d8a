// The documented answers of all operations, as the specification prints them.

import { FUTURES_ANSWERS } from './documentedFuturesAnswers.ts';
import { SPOT_ANSWERS } from './documentedSpotAnswers.ts';

/** By operation: the answer of the specification. */
export const DOCUMENTED_ANSWERS = { ...SPOT_ANSWERS, ...FUTURES_ANSWERS };
