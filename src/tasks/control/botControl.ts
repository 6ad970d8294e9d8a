// The port through which an operator acts on a running bot, from the terminal or the dashboard. `LiveControl` implements it.

import type { LimitKey } from '../../risk/limits/limits.ts';
import type { HaltState } from '../../risk/live/halts.ts';
import type { BotView, ScopeName } from './botView.ts';

/** Who acts, for the journal: `ann (isobar)`, `dashboard`. */
export type Who = string;

/** The answer to an act. */
export interface ActAnswer {
  /** True if the bot did what the operator asked. */
  readonly done: boolean;
  /** A sentence with the result, or with the reason why the act was not done. */
  readonly message: string;
}

/** The answer to an act: immediately, or as a promise that resolves once the act is durable. */
export type ActReply = ActAnswer | Promise<ActAnswer>;

/** The operator halts a scope. */
export interface HaltAct {
  readonly scope: ScopeName;
  /** The new risk state. KILLED is not among them: `kill` sets it. */
  readonly state: Exclude<HaltState, 'KILLED'>;
  readonly why: string;
}

/** The operator clears a halt cause. */
export interface ResumeAct {
  readonly scope: ScopeName;
  /** Code of the cause to clear; null for the cause that `halt` raised (OPERATOR_CODE). */
  readonly code: string | null;
  readonly why: string;
}

/** The operator kills the bot. */
export interface KillAct {
  /** True if the kill also closes all positions. */
  readonly flatten: boolean;
  readonly why: string;
}

/** Operator decisions about orders that the bot cannot decide on (order safety, section 12). */
export type OperatorDecision =
  /** Assigns a foreign order to a strategy. From then on it is managed like an order of that strategy. `strategy` null: the bot's only strategy. */
  | { readonly what: 'adopt'; readonly id: string; readonly strategy: string | null; readonly why: string }
  /** Marks a foreign order as not the bot's. The bot never touches it. */
  | { readonly what: 'ignore'; readonly id: string; readonly why: string }
  /** Records what became of an order of unknown outcome, or that the exchange does not know one any more. `id`: its client order id. `venueId`: its venue order id, null with `noEffect`. */
  | {
      readonly what: 'resolve';
      readonly id: string;
      readonly outcome: 'placed' | 'noEffect';
      readonly venueId: string | null;
      readonly why: string;
    };

/** The operator makes a limit stricter. */
export interface TightenAct {
  readonly key: LimitKey;
  /** The new limit: a plain decimal or an integer, as text. */
  readonly value: string;
  readonly why: string;
}

/**
 * The control of one bot. `halt` and `kill` stop orders before they return. Each act is journalled with `who`, and answered once it is durable, so
 * that it survives a power cut. An impossible act is answered with `done: false`. No method throws, and no reply rejects.
 */
export interface BotControl {
  /** Returns the state of the bot. `kill` in it shows the progress of a kill. */
  view(): BotView;
  /** Raises the operator's own cause, code OPERATOR, in a scope. */
  halt(act: HaltAct, who: Who): ActReply;
  /** Clears a halt cause. */
  resume(act: ResumeAct, who: Who): ActReply;
  /** Stops all orders permanently, and closes positions if asked. */
  kill(act: KillAct, who: Who): ActReply;
  /** Applies an operator decision about one order. */
  decide(decision: OperatorDecision, who: Who): ActReply;
  /** Sets a limit, which can only become stricter while the bot runs. */
  tighten(act: TightenAct, who: Who): ActReply;
  /** Notes a request as a sign of presence. */
  noteActivity(): void;
  /** Notes that the operator has seen all alarms up to now. */
  acknowledge(who: Who): ActAnswer;
  /** Returns the log lines with a `seq` above `afterSeq`: at most the newest `max` of them, oldest first, with secrets redacted. */
  logs(afterSeq: number, max: number): readonly BotLogLine[];
}

/** One line of the log. */
export interface BotLogLine {
  /** Number of the line, which increases by one from line to line. */
  readonly seq: number;
  readonly timeMs: number;
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
}

/** The code of the cause that `halt` raises and `resume` without a code clears. */
export const OPERATOR_CODE = 'OPERATOR';
