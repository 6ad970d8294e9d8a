// The acts of the operator on a running bot, from the terminal or the dashboard.

import type { LimitKey } from '../../risk/limits/limits.ts';
import type { HaltState } from '../../risk/live/halts.ts';
import type { BotView, ScopeName } from './botView.ts';

/** Who acts, for the journal: `ann (isobar)`, `dashboard`. */
export type Who = string;

/** The answer to an act: whether it was done, and a sentence with the result or the reason. */
export interface ActAnswer {
  readonly done: boolean;
  readonly message: string;
}

/** An answer, at once or when the act is durable. */
export type ActReply = ActAnswer | Promise<ActAnswer>;

/** Halts a scope. */
export interface HaltAct {
  readonly scope: ScopeName;
  /** KILLED has an act of its own. */
  readonly state: Exclude<HaltState, 'KILLED'>;
  readonly why: string;
}

/** Clears a halt cause. */
export interface ResumeAct {
  readonly scope: ScopeName;
  /** The cause to clear; null: the operator's own (OPERATOR). */
  readonly code: string | null;
  readonly why: string;
}

/** Kills the bot. */
export interface KillAct {
  readonly flatten: boolean;
  readonly why: string;
}

/** Operator decisions about orders that the bot cannot decide on (order safety, section 12). */
export type OperatorDecision =
  /** Assigns a foreign order to a strategy: from now on it is reserved, tracked and booked. Strategy null: the only one. */
  | { readonly what: 'adopt'; readonly id: string; readonly strategy: string | null; readonly why: string }
  /** The order is not the bot's. The bot never touches it. */
  | { readonly what: 'ignore'; readonly id: string; readonly why: string }
  /** Records the outcome of an order of unknown outcome. `id`: its client order id. `venueId`: set if it was placed. */
  | {
      readonly what: 'resolve';
      readonly id: string;
      readonly outcome: 'placed' | 'noEffect';
      readonly venueId: string | null;
      readonly why: string;
    };

/** Makes a limit stricter. */
export interface TightenAct {
  readonly key: LimitKey;
  /** A plain decimal, or an integer as text. */
  readonly value: string;
  readonly why: string;
}

/**
 * The control of one bot. `halt` and `kill` stop orders before they return. `view().kill` shows the progress of a kill. Each act is journalled with `who` and
 * answered once it is durable, so that it survives a power cut. An impossible act is answered with `done: false`. Nothing throws, and no
 * reply rejects.
 */
export interface BotControl {
  view(): BotView;
  /** Raises the operator's own cause, code OPERATOR, in a scope. */
  halt(act: HaltAct, who: Who): ActReply;
  resume(act: ResumeAct, who: Who): ActReply;
  kill(act: KillAct, who: Who): ActReply;
  decide(decision: OperatorDecision, who: Who): ActReply;
  /** Sets a limit, which can only become stricter while the bot runs. */
  tighten(act: TightenAct, who: Who): ActReply;
  /** Notes a request as a sign of presence. */
  noteActivity(): void;
  /** Notes that the operator has seen all alarms up to now. */
  acknowledge(who: Who): ActAnswer;
  /** Returns log lines after number `after`, at most the newest `max`, oldest first. Same content as the log file, redacted. */
  logs(after: number, max: number): readonly BotLogLine[];
}

/** One line of the log. */
export interface BotLogLine {
  /** Increases by one. */
  readonly seq: number;
  readonly timeMs: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
}

/** The code of the cause that `halt` raises and `resume` without a code clears. */
export const OPERATOR = 'OPERATOR';
