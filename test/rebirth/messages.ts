// The messages between the process of a bot and the process of its exchange, beside the bot's requests over HTTP.

import type { DrivenAct, OpenOrders } from '../parity/drivenRows.ts';
import type { Tables } from '../parity/tables.ts';

/** The step of a write at which the process dies: before it, in the middle, once it is written, once it is durable but not reported. */
export type Step = 'before' | 'torn' | 'written' | 'lasting';

/** The bot dies by its own hand, as `kill -9` does, at its `nth` write with a record of the kind. */
export interface RecordKill {
  readonly at: 'record';
  readonly kind: string;
  readonly step: Step;
  readonly nth: number;
}

/** The row that closed last. The process before may have seen only a part of it. */
export interface Resume {
  readonly closeMs: number;
  readonly act: DrivenAct | null;
}

/** What a bot process is to do. */
export interface BotTask {
  readonly config: string;
  /** The clock of the exchange, ms. */
  readonly nowMs: number;
  /** Cancels act at once. */
  readonly isPrompt: boolean;
  /** Most bars of a feed. */
  readonly room: number;
  readonly resume: Resume | null;
  readonly kill: RecordKill | null;
}

/** What the bot process asks of the exchange's; `call` numbers the question. */
export type Question = { readonly call: number } & (
  | { readonly ask: 'moveTo'; readonly timeMs: number }
  | { readonly ask: 'nextMs' | 'goByActs' | 'goWhole' | 'next' | 'openOrders' }
  | { readonly ask: 'quote'; readonly price: number }
);
/** The result of one message. */
export type Answer = number | DrivenAct | OpenOrders | null;
/** The result or the error of the message with the number `call`. */
export interface Reply {
  readonly call: number;
  readonly answer: Answer;
  readonly error: string | null;
}

/** The messages of the bot process. */
export type Report =
  | { readonly report: 'trading' }
  | { readonly report: 'over'; readonly tables: Pick<Tables, 'orders' | 'fills' | 'books'> }
  | { readonly report: 'failed'; readonly why: string };
