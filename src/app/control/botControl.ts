// What a person may do to a running bot, from the terminal or the dashboard.

import type { LimitKey } from '../../risk/limits.ts';
import type { HaltState } from '../../risk/halts.ts';
import type { BotView, ScopeName } from './botView.ts';

/** Who asks, for the journal: `ann (isobar)`, `dashboard`. */
export type Who = string;

/** The answer to an act: whether it was done, and a sentence that says what came of it or why not. */
export interface ActAnswer {
  readonly done: boolean;
  readonly says: string;
}

export interface HaltAct {
  readonly scope: ScopeName;
  /** KILLED has an act of its own. */
  readonly state: Exclude<HaltState, 'KILLED'>;
  readonly why: string;
}

export interface ResumeAct {
  readonly scope: ScopeName;
  /** The cause to clear; null: the operator's own (OPERATOR). */
  readonly code: string | null;
  readonly why: string;
}

export interface KillAct {
  readonly flatten: boolean;
  readonly why: string;
}

/** About what the bot cannot decide by itself (order safety, section 12). */
export type Decision =
  /** It is the bot's from now on: an order is managed, a holding counted. */
  | { readonly what: 'adopt'; readonly id: string; readonly strategy: string | null; readonly why: string }
  /** It belongs to somebody else, and is never touched. */
  | { readonly what: 'ignore'; readonly id: string; readonly why: string }
  /** What became of an order of unknown outcome; `id` is its client order id. `venueId` where it was placed. */
  | {
      readonly what: 'resolve';
      readonly id: string;
      readonly outcome: 'placed' | 'noEffect';
      readonly venueId: string | null;
      readonly why: string;
    };

export interface TightenAct {
  readonly key: LimitKey;
  /** A plain decimal, or a whole number as text. */
  readonly value: string;
  readonly why: string;
}

/**
 * Every call returns at once. `halt` and `kill` have closed the gate before they return; what a kill does then is seen in `view().kill`.
 * Each act is journalled with `who` before its answer is given. Acts that cannot be are answered with `done: false`; nothing throws.
 */
export interface BotControl {
  view(): BotView;
  /** The operator's own cause, code OPERATOR, on a scope. */
  halt(act: HaltAct, who: Who): ActAnswer;
  resume(act: ResumeAct, who: Who): ActAnswer;
  kill(act: KillAct, who: Who): ActAnswer;
  decide(decision: Decision, who: Who): ActAnswer;
  /** A limit can only become stricter while the bot runs. */
  tighten(act: TightenAct, who: Who): ActAnswer;
  /** Somebody asks: a sign of life of whoever watches. */
  beat(): void;
  /** Somebody has seen the alarms so far. */
  acknowledge(who: Who): ActAnswer;
  /** Lines of the log after number `after`, the newest `most` of them, oldest first: what the log file holds, redacted. */
  logs(after: number, most: number): readonly LogLine[];
}

export interface LogLine {
  /** Rises by one. */
  readonly seq: number;
  readonly timeMs: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly says: string;
}

/** The code of the cause that `halt` raises and a bare `resume` clears. */
export const OPERATOR = 'OPERATOR';
