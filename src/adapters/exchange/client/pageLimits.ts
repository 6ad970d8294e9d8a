// The number of rows to ask for in each list. Some services refuse a page that is as long as the specification allows.

import type { Op, OpArgs } from '../../../protocol/endpoints/endpoints.ts';
import { VENUE_CODES } from '../../../model/venueCodes.ts';
import type { Outcome } from '../../../protocol/outcome.ts';

/** Numbers of rows at which some services cut a list, and above which others refuse to answer. The largest first. */
export const SHORTER_PAGES = [500, 100] as const;

/** Lists whose pages are joined by readers that take these lengths for a cut page. All others keep the limit of the call. */
const PAGED_LISTS: ReadonlySet<Op> = new Set<Op>(['futures.orderHistory', 'futures.myTrades', 'spot.myTrades']);

/** The largest page that the exchange has answered, by list. */
export class PageLimits {
  readonly #answeredRows = new Map<Op, number>();
  /** Lists that were refused at every length, so that the limit was not the reason. */
  readonly #refusedAtAll = new Set<Op>();

  /** Returns the arguments with a `limit` that is at most the largest page that the exchange is known to answer. */
  fit<O extends Op>(op: O, args: OpArgs<O>): OpArgs<O> {
    const maxRows = this.#answeredRows.get(op);
    const rows = limitOf(args);
    return maxRows === undefined || rows === null || rows <= maxRows ? args : { ...args, limit: maxRows };
  }

  /**
   * Returns the arguments with which to ask again for a shorter page, because the exchange has refused a parameter: the limit may be the one.
   * Null: the outcome stands. `args`: those of the call that has ended.
   */
  shorter<O extends Op>(op: O, args: OpArgs<O>, outcome: Outcome<unknown>): OpArgs<O> | null {
    const rows = PAGED_LISTS.has(op) ? limitOf(args) : null;
    if (rows === null || outcome.kind !== 'refused' || outcome.code !== VENUE_CODES.mandatoryParamEmpty.code) return null;
    const shorterRows = SHORTER_PAGES.find((length) => length < rows);
    if (rows === SHORTER_PAGES.at(-1)) this.#refusedAtAll.add(op);
    return shorterRows === undefined || this.#refusedAtAll.has(op) ? null : { ...args, limit: shorterRows };
  }

  /** Notes that the exchange has answered. `isShortened`: the page is shorter than the one that was asked for first. */
  noteAnswered<O extends Op>(op: O, args: OpArgs<O>, isShortened: boolean): void {
    const rows = limitOf(args);
    this.#refusedAtAll.delete(op);
    if (isShortened && rows !== null) this.#answeredRows.set(op, rows);
  }
}

/** Returns the number of rows that a call asks for; null: it names none. */
function limitOf(args: object): number | null {
  const { limit } = args as { readonly limit?: unknown };
  return typeof limit === 'number' ? limit : null;
}
