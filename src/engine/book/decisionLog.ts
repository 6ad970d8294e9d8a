// Records the orders, exits, cancels and amendments that strategies ask for. The envelope of a run is computed from it.

import * as rows from '../../base/memory/rowLog.ts';
import { RowLog, type Scratch } from '../../base/memory/rowLog.ts';
import { DECISION_FLAGS, DECISIONS, type DecisionColumns, type DecisionKind } from '../../model/run/decisions.ts';
import type { Ladder } from '../../model/order.ts';
import type { BotOrder } from '../../orders/botOrder.ts';

// hot: docs/performance.md#imported-constants
const { rowInPage } = rows;

/** Place of each field in a row. The names are those of the columns. */
const FIELD = {
  kind: 0,
  id: 1,
  strategy: 2,
  instrument: 3,
  timeMs: 4,
  sign: 5,
  lots: 6,
  quoteUnits: 7,
  limit: 8,
  takeProfit: 9,
  stopLoss: 10,
  trailing: 11,
  trigger: 12,
  flags: 13,
} as const;
const FIELD_NAMES = Object.keys(FIELD) as (keyof typeof FIELD)[];
const WIDTH = FIELD_NAMES.length;
const ORDER_KIND = DECISIONS.indexOf('order');

/** The decisions of a run in columns: one row for each order, exit and cancel, in the order of the calls. */
export class DecisionLog {
  private readonly rows: RowLog;
  private length = 0;
  /** By order id: the targets of an order that has several. */
  private readonly ladders = new Map<number, Ladder>();

  constructor(scratch: Scratch) {
    this.rows = new RowLog(WIDTH, scratch);
  }

  /** Records an order as drafted, before it is checked. */
  order(order: BotOrder, isSizedByEquity: boolean): void {
    const { page, offset } = this.addRow();
    page[offset + FIELD.kind] = ORDER_KIND;
    page[offset + FIELD.id] = order.id;
    page[offset + FIELD.strategy] = order.strategy;
    page[offset + FIELD.instrument] = order.instrumentIndex;
    page[offset + FIELD.timeMs] = order.createdMs;
    page[offset + FIELD.sign] = order.sign;
    page[offset + FIELD.lots] = order.lots;
    page[offset + FIELD.quoteUnits] = order.quoteUnits;
    page[offset + FIELD.limit] = order.limit;
    page[offset + FIELD.takeProfit] = order.takeProfit;
    page[offset + FIELD.stopLoss] = order.stopLoss;
    page[offset + FIELD.trailing] = order.trailing;
    page[offset + FIELD.trigger] = order.triggerTicks;
    page[offset + FIELD.flags] = flagsOf(order, isSizedByEquity);
    if (order.ladder !== null) this.ladders.set(order.id, order.ladder);
  }
  /** Records an exit, or the cancel of the order `id`. */
  note(kind: Exclude<DecisionKind, 'order'>, id: number, strategyIndex: number, instrumentIndex: number, timeMs: number): void {
    const { page, offset } = this.addRow();
    page.fill(0, offset, offset + WIDTH);
    page[offset + FIELD.kind] = DECISIONS.indexOf(kind);
    page[offset + FIELD.id] = id;
    page[offset + FIELD.strategy] = strategyIndex;
    page[offset + FIELD.instrument] = instrumentIndex;
    page[offset + FIELD.timeMs] = timeMs;
  }

  /** Returns the recorded decisions as columns. */
  columns(): DecisionColumns {
    const columns = this.rows.columns(this.length);
    const columnsByName = Object.fromEntries(FIELD_NAMES.map((name) => [name, columns[FIELD[name]]!]));
    const decisions = columnsByName as Omit<DecisionColumns, 'length' | 'ladders'>;
    return { length: this.length, ...decisions, ladders: new Map(this.ladders) };
  }
  /** Gives the memory back, once the columns have been read. */
  release(): void {
    this.rows.release();
    this.length = 0;
    this.ladders.clear();
  }

  /** Begins a new row. Returns its page, and the place of its first field. */
  private addRow(): { readonly page: Float64Array; readonly offset: number } {
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
