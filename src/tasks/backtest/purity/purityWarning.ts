// How a watch reports what strategy code does.

import type { Warning, WarningCode } from '../../../model/warning.ts';
import type { Place } from './callSite.ts';

/**
 * Reports a call of `description`, unless isobar made it. `replacement`: the function that was called in place of the original one. `place`: where the
 * author's code causes the call; by default the call itself.
 */
export type ReportCall = (code: WarningCode, description: string, replacement: (...args: never[]) => unknown, place?: Place) => void;

/** Takes the warnings of a watch. */
export interface WarningSink {
  readonly add: (warning: Warning) => void;
  /** True when `add` throws for this code. Then every use must be reported, not only the first one. */
  readonly rejectsEvery?: (code: WarningCode) => boolean;
}

/** Reads of the clock whose result a run can replace. */
const CLOCK_READS: ReadonlySet<string> = new Set(['Date.now()', 'new Date()']);
/** How the description of a read of the machine's language ends. */
export const WITHOUT_LANGUAGE = ' without a language';

/** True for a read of the clock or of the local time whose result a run can replace, to find out whether a decision depends on it. */
export const isReplaceableRead = (code: WarningCode, description: string): boolean =>
  CLOCK_READS.has(description) || (code === 'IMPURE_LOCAL_TIME' && !description.endsWith(WITHOUT_LANGUAGE));

/** Returns the place of a warning as a key. */
export const placeKey = ({ file, line }: Warning): string => `${file}:${line}`;
