// Asks the venue for the client order ids of open orders that a list shows without one and whose terms match none of our orders.

import { all, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { OrderAttribution } from './attribution.ts';
import type { OrderRow, Page } from '../calls/rows.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

export interface IdentifyParts {
  readonly venue: VenueCalls;
  readonly attribution: OrderAttribution;
}

/** Rows with what a query has added, by order; null: the query failed. */
type FoundRows = Map<string, OrderRow | null>;

/** After this many failed queries in a row, the row is attributed by its terms alone. */
const MAX_SILENCES = 3;

export class Identify {
  readonly #parts: IdentifyParts;
  /** Failed queries in a row, by order. */
  readonly #silences = new Map<string, number>();

  constructor(parts: IdentifyParts) {
    this.#parts = parts;
  }

  /**
   * Returns the page, client order ids added where the venue reports them. A row whose query failed is left out and the page is not whole,
   * so that the next read asks again.
   */
  *rows(page: Page<OrderRow>, instrument: Instrument, index: number, options: CallOptions): Work<Page<OrderRow>> {
    const { attribution, venue } = this.#parts;
    const unnamed = page.rows.filter((row) => attribution.isUnnamed(row, index));
    if (unnamed.length === 0) return page;
    const found: FoundRows = new Map();
    if (instrument.contract === undefined) yield* all(unnamed.map((row) => this.#query(row, instrument, options, found)));
    else {
      const history = yield* venue.history(instrument, null, options);
      for (const row of unnamed)
        this.#note(row, history === null ? null : (history.rows.find(({ venueId }) => venueId === row.venueId) ?? 'none'), found);
    }
    return this.#joinPages(page, found);
  }

  *#query(row: OrderRow, instrument: Instrument, options: CallOptions, found: FoundRows): Work<void> {
    this.#note(row, yield* this.#parts.venue.order(instrument, row.venueId, options), found);
  }

  #note(row: OrderRow, answer: OrderRow | 'none' | null, found: FoundRows): void {
    const silences = answer === null ? (this.#silences.get(row.venueId) ?? 0) + 1 : MAX_SILENCES;
    if (silences < MAX_SILENCES) this.#silences.set(row.venueId, silences);
    else this.#silences.delete(row.venueId);
    if (answer !== null && answer !== 'none') found.set(row.venueId, { ...row, cid: answer.cid });
    else if (silences < MAX_SILENCES) found.set(row.venueId, null);
  }

  #joinPages({ rows, isCut, isReadable, isWhole }: Page<OrderRow>, found: FoundRows): Page<OrderRow> {
    const joined = rows.flatMap((row) => {
      const answer = found.get(row.venueId);
      return answer === null ? [] : [answer ?? row];
    });
    return { rows: joined, isCut, isReadable, isWhole: isWhole && joined.length === rows.length };
  }
}
