// Records the orders, exits and cancels that strategies ask for. The envelope of a run is computed from this log.

import * as rows from '../../base/memory/rowLog.ts';
import { RowLog, type Scratch } from '../../base/memory/rowLog.ts';
import { DECISION_FLAGS, DECISIONS, type DecisionColumns, type DecisionKind } from '../../model/run/decisions.ts';
import type { Ladder } from '../../model/order.ts';
import type { BotOrder } from '../../orders/botOrder.ts';

// hot: docs/performance.md#imported-constants
const { rowInPage } = rows;

const FIELDS = ['kind', 'id', 'strategy', 'instrument', 'timeMs', 'sign', 'lots', 'quoteUnits', 'limit', 'takeProfit', 'stopLoss', 'trailing', 'trigger', 'flags'] as const; // prettier-ignore
const WIDTH = FIELDS.length;
const ORDER = DECISIONS.indexOf('order');

/** The decisions of a run in columns: one row for each order, exit and cancel, in the order of the calls. */
export class DecisionLog {
  private readonly rows: RowLog;
  private length = 0;
  private readonly ladders = new Map<number, Ladder>();

  constructor(scratch: Scratch) {
    this.rows = new RowLog(WIDTH, scratch);
  }

  /** Records an order as drafted, before it is checked. */
  order(order: BotOrder, isSizedByEquity: boolean): void {
    const { page, offset: at } = this.next();
    page[at] = ORDER;
    page[at + 1] = order.id;
    page[at + 2] = order.strategy;
    page[at + 3] = order.instrumentIndex;
    page[at + 4] = order.createdMs;
    page[at + 5] = order.sign;
    page[at + 6] = order.lots;
    page[at + 7] = order.quoteUnits;
    page[at + 8] = order.limit;
    page[at + 9] = order.takeProfit;
    page[at + 10] = order.stopLoss;
    page[at + 11] = order.trailing;
    page[at + 12] = order.triggerTicks;
    page[at + 13] = flagsOf(order, isSizedByEquity);
    if (order.ladder !== null) this.ladders.set(order.id, order.ladder);
  }
  /** Records an exit, or the cancel of the order `id`. */
  note(kind: Exclude<DecisionKind, 'order'>, id: number, strategy: number, instrument: number, timeMs: number): void {
    const { page, offset: at } = this.next();
    page.fill(0, at, at + WIDTH);
    page[at] = DECISIONS.indexOf(kind);
    page[at + 1] = id;
    page[at + 2] = strategy;
    page[at + 3] = instrument;
    page[at + 4] = timeMs;
  }

  /** Returns the recorded decisions as columns. */
  columns(): DecisionColumns {
    const columns = this.rows.columns(this.length);
    const named = Object.fromEntries(FIELDS.map((name, index) => [name, columns[index]!])) as Omit<DecisionColumns, 'length' | 'ladders'>;
    return { length: this.length, ...named, ladders: new Map(this.ladders) };
  }
  /** Gives the memory back, once the columns have been read. */
  release(): void {
    this.rows.release();
    this.length = 0;
    this.ladders.clear();
  }

  private next(): { readonly page: Float64Array; readonly offset: number } {
    const row = this.length++;
    if (!this.rows.isAt(row)) this.rows.turnTo(row);
    return { page: this.rows.page, offset: rowInPage(row) * WIDTH };
  }
}

/** Returns the DECISION_FLAGS of an order as one number. */
function flagsOf(order: BotOrder, isSizedByEquity: boolean): number {
  return (
    (order.role === 'limit' ? DECISION_FLAGS.limit : 0) |
    (order.reduceOnly ? DECISION_FLAGS.reduceOnly : 0) |
    (order.triggersAbove ? DECISION_FLAGS.triggersAbove : 0) |
    (order.role === 'limit' && order.timeInForce !== null ? DECISION_FLAGS.timeInForce : 0) |
    (isSizedByEquity ? DECISION_FLAGS.sizedByEquity : 0) |
    (order.trailingPpm > 0 || order.trailingFrom > 0 ? DECISION_FLAGS.trailsOtherwise : 0)
  );
}
