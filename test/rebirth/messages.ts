// The messages between the process of a bot and the process of its exchange, beside the bot's requests over HTTP.

import type { DrivenAct, OpenOrderTotals } from '../parity/drivenRows.ts';
import type { Tables } from '../parity/tables.ts';

/** The moment of a write at which the process ends: before it, in its middle, once it is written, or once it is durable but not reported. */
export type WriteMoment = 'before' | 'torn' | 'written' | 'durable';

/** The bot ends itself, as by `kill -9`, at its `nth` write with a record of this kind. */
export interface RecordKill {
  readonly at: 'record';
  readonly kind: string;
  readonly moment: WriteMoment;
  readonly nth: number;
}

/** Where a bot resumes: the row that closed last, and the act at which the earlier process ended in it; null if the row was complete. */
export interface Resume {
  readonly closeMs: number;
  readonly act: DrivenAct | null;
}

/** The task of one bot process. */
export interface BotTask {
  readonly config: string;
  /** The clock of the exchange, ms. */
  readonly nowMs: number;
  /** True when cancels have no delay. */
  readonly isPrompt: boolean;
  /** Largest number of bars of a feed. */
  readonly capacityRows: number;
  readonly resume: Resume | null;
  readonly kill: RecordKill | null;
}

/** A call of `DrivenRows` by the bot process, with its number. */
export type RowsCall = { readonly call: number } & (
  | { readonly method: 'moveTo'; readonly timeMs: number }
  | { readonly method: 'nextMs' | 'matchByActs' | 'matchWholeRows' | 'next' | 'openOrders' }
  | { readonly method: 'quote'; readonly price: number }
);

/** What a call returns. */
export type RowsResult = number | DrivenAct | OpenOrderTotals | null;
/** The result or the error of the call with the number `call`. */
export interface RowsReply {
  readonly call: number;
  readonly result: RowsResult;
  readonly error: string | null;
}

/** The messages of the bot process about itself: that it trades, that it has come to the last row, or that it has failed. */
export type Report =
  | { readonly report: 'trading' }
  | { readonly report: 'over'; readonly tables: Pick<Tables, 'orders' | 'fills' | 'books'> }
  | { readonly report: 'failed'; readonly why: string };
