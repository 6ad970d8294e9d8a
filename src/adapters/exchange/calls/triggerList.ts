// Reads all pages of the list of waiting trigger orders. Starts again at page 1 if the list changes in between.

import type { TriggerOrder } from '../../../protocol/shapes/futures.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { Calls } from './calls.ts';

const ROWS = 1000;
const MAX_BEGINNINGS = 3;
const MAX_PAGES = 50;

/** Passes `done` all rows of a contract, or null if the list was incomplete. */
export function readTriggers(
  calls: Calls,
  contractName: string,
  options: CallOptions,
  done: (rows: readonly TriggerOrder[] | null) => void,
): void {
  const begin = (beginnings: number): void => {
    const rows: TriggerOrder[] = [];
    const next = (page: number, count: number | null): void => {
      calls.read(
        'futures.triggerOrderList',
        { contractName, page, limit: ROWS },
        (value) => {
          if (value === null || value.refused.length > 0 || page > MAX_PAGES) return done(null);
          if (page > 1 && value.count !== count) {
            if (beginnings >= MAX_BEGINNINGS) return done(null);
            return begin(beginnings + 1);
          }
          rows.push(...value.rows);
          // Without a count, only a page that is not full is known to be the last.
          const isLast = value.rows.length < ROWS || (value.count !== null && rows.length >= value.count);
          if (!isLast) return next(page + 1, value.count);
          done(value.count === null || rows.length === value.count ? rows : null);
        },
        options,
      );
    };
    next(1, null);
  };
  begin(1);
}
