// Reads all pages of the list of trigger orders. If the list changes between two pages, starts again at page 1.

import { appendAll } from '../../../base/memory/appendAll.ts';
import type { Work } from '../../../base/task.ts';
import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { Calls } from './calls.ts';

const ROWS_PER_PAGE = 1000;
const MAX_STARTS = 3;
const MAX_PAGES = 50;

/** Returns all trigger orders of a contract, or null if the list was incomplete. */
export function* readTriggers(calls: Calls, contractName: string, options: CallOptions): Work<readonly TriggerOrder[] | null> {
  for (let startNumber = 1; startNumber <= MAX_STARTS; startNumber++) {
    const rows = yield* readPages(calls, contractName, options);
    if (rows !== 'changed') return rows;
  }
  return null;
}

/** Reads all pages once. Returns null if a page failed, and `changed` if the venue's row count changed between two pages. */
function* readPages(calls: Calls, contractName: string, options: CallOptions): Work<readonly TriggerOrder[] | 'changed' | null> {
  const rows: TriggerOrder[] = [];
  let count: number | null = null;
  for (let page = 1; ; page++) {
    const reply = yield* calls.read('futures.triggerOrderList', { contractName, page, limit: ROWS_PER_PAGE }, options);
    if (reply === null || reply.refused.length > 0 || page > MAX_PAGES) return null;
    if (page > 1 && reply.count !== count) return 'changed';
    count = reply.count;
    appendAll(rows, reply.rows);
    // Without a count, only a page that is not full is known to be the last.
    const isLast = reply.rows.length < ROWS_PER_PAGE || (count !== null && rows.length >= count);
    if (isLast) return count === null || rows.length === count ? rows : null;
  }
}
