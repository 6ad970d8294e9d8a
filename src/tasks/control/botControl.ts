// What a person may do to a running bot, from the terminal or the dashboard.

import type { LimitKey } from '../../risk/limits/limits.ts';
import type { HaltState } from '../../risk/live/halts.ts';
import type { BotView, ScopeName } from './botView.ts';

/** Who asks, for the journal: `ann (isobar)`, `dashboard`. */
export type Who = string;

/** The answer to an act: whether it was done, and a sentence that says what came of it or why not. */
export interface ActAnswer {
  readonly done: boolean;
  readonly message: string;
}

/** At once, or when what was done lasts on the disk. */
export type ActReply = ActAnswer | Promise<ActAnswer>;

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
  /** An order is of that strategy from now on: reserved, followed and booked. Null: of the only one. */
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
 * `halt` and `kill` have closed the gate before they return; what a kill does then is seen in `view().kill`. Each act is journalled with
 * `who`, and its answer comes when that is on the disk: what was said to be done is done after a power cut, too. Acts that cannot be are
 * answered with `done: false`; nothing throws, and no answer rejects.
 */
export interface BotControl {
  view(): BotView;
  /** The operator's own cause, code OPERATOR, on a scope. */
  halt(act: HaltAct, who: Who): ActReply;
  resume(act: ResumeAct, who: Who): ActReply;
  kill(act: KillAct, who: Who): ActReply;
  decide(decision: Decision, who: Who): ActReply;
  /** A limit can only become stricter while the bot runs. */
  tighten(act: TightenAct, who: Who): ActReply;
  /** Somebody asks: a sign of life of whoever watches. */
  noteActivity(): void;
  /** Somebody has seen the alarms so far. */
  acknowledge(who: Who): ActAnswer;
  /** Lines of the log after number `after`, the newest `most` of them, oldest first: what the log file holds, redacted. */
  logs(after: number, max: number): readonly LogLine[];
}

export interface LogLine {
  /** Rises by one. */
  readonly seq: number;
  readonly timeMs: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
}

/** The code of the cause that `halt` raises and a bare `resume` clears. */
export const OPERATOR = 'OPERATOR';
