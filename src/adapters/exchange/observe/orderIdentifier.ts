// Lists may show open orders without their client order ids. If the terms of such a row match none of our orders, its id is queried.
// Runs before attribution, which would otherwise report these orders as foreign.

import { all, type Work } from '../../../base/task.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { CallOptions } from '../client/restClient.ts';
import type { OrderAttribution } from './attribution.ts';
import type { OrderRow, Page } from '../calls/venueRows.ts';
import type { VenueCalls } from '../calls/venueCalls.ts';

/** What the identification takes. */
export interface OrderIdentifierDeps {
  readonly venue: VenueCalls;
  readonly attribution: OrderAttribution;
}

/** The row of each queried order with its client order id, by venue order id; null if the query failed and is repeated. */
type QueryAnswers = Map<string, OrderRow | null>;

/** After this many failed queries in a row, the row is attributed by its terms alone. */
const MAX_FAILED_QUERIES = 3;

/** Queries the client order ids that a list does not show, one order after the other. */
export class OrderIdentifier {
  readonly #deps: OrderIdentifierDeps;
  /** Failed queries in a row, by order. */
  readonly #failedQueries = new Map<string, number>();

  constructor(deps: OrderIdentifierDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the page with the client order ids that the venue reports. A row whose query failed is left out, and the page counts as
   * incomplete, so the next read repeats the query.
   */
  *withClientOrderIds(page: Page<OrderRow>, instrument: Instrument, index: number, options: CallOptions): Work<Page<OrderRow>> {
    const { attribution, venue } = this.#deps;
    const unnamedRows = page.rows.filter((row) => attribution.isUnnamed(row, index));
    if (unnamedRows.length === 0) return page;
    const answers: QueryAnswers = new Map();
    if (instrument.contract === undefined) yield* all(unnamedRows.map((row) => this.#query(row, instrument, options, answers)));
    else {
      const history = yield* venue.history(instrument, null, options);
      for (const row of unnamedRows)
        this.#noteReply(row, history === null ? null : (history.rows.find(({ venueId }) => venueId === row.venueId) ?? 'none'), answers);
    }
    return this.#applyAnswers(page, answers);
  }

  *#query(row: OrderRow, instrument: Instrument, options: CallOptions, answers: QueryAnswers): Work<void> {
    this.#noteReply(row, yield* this.#deps.venue.order(instrument, row.venueId, options), answers);
  }

  /** Notes the reply to a query: null if it failed, `none` if it had no information. */
  #noteReply(row: OrderRow, answer: OrderRow | 'none' | null, answers: QueryAnswers): void {
    const failedCount = answer === null ? (this.#failedQueries.get(row.venueId) ?? 0) + 1 : MAX_FAILED_QUERIES;
    if (failedCount < MAX_FAILED_QUERIES) this.#failedQueries.set(row.venueId, failedCount);
    else this.#failedQueries.delete(row.venueId);
    if (answer !== null && answer !== 'none') answers.set(row.venueId, { ...row, cid: answer.cid });
    else if (failedCount < MAX_FAILED_QUERIES) answers.set(row.venueId, null);
  }

  #applyAnswers({ rows, isCut, isReadable, isComplete }: Page<OrderRow>, answers: QueryAnswers): Page<OrderRow> {
    const identifiedRows = rows.flatMap((row) => {
      const answer = answers.get(row.venueId);
      return answer === null ? [] : [answer ?? row];
    });
    return { rows: identifiedRows, isCut, isReadable, isComplete: isComplete && identifiedRows.length === rows.length };
  }
}
