// Trade statistics of summary.json: for all trades, and for groups by instrument, side, tag, exit reason, strategy, time and holding time.

import { civilMonth } from '../../base/calendar.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { reasonOf, settle, type Figure, type Flag, type Reason } from '../kernels/figure.ts';
import { tradeFigures, type ExcursionFigure, type HoldFigure, type TradeFigure, type TradeSet } from '../kernels/tradeFigures.ts';
import { EXIT_REASONS, HOLD_GROUPS, holdGroupOf, hourOf } from '../kernels/tradeGroups.ts';
import { exactSum, exactSumOf, moneyText, type Money } from '../series/money.ts';
import type { TradeColumns, RunTrades } from './columns.ts';

type MoneyName =
  | 'averageTrade'
  | 'medianTrade'
  | 'bestTrade'
  | 'worstTrade'
  | 'averageWin'
  | 'averageLoss'
  | 'expectancy'
  | 'endTradeDrawdown'
  | 'closedTradeDrawdownAbs';

/** Figures of one set of closed trades. Times in ms. */
export type TradeBreakdownTable = { readonly [Name in Exclude<TradeFigure, MoneyName>]: number | null } & {
  readonly [Name in MoneyName]: Money | null;
} & {
  readonly trades: number;
  readonly longs: number;
  readonly shorts: number;
  readonly wins: number;
  readonly losses: number;
  readonly draws: number;
  readonly grossProfit: Money;
  readonly grossLoss: Money;
  /** Sum of the closed trades, net of fees. */
  readonly closedPnl: Money;
  readonly maxConsecutiveWins: number;
  readonly maxConsecutiveLosses: number;
  readonly holdTime: Readonly<Record<HoldFigure, number | null>>;
  readonly mae: Readonly<Record<ExcursionFigure, Money | null>>;
  readonly mfe: Readonly<Record<ExcursionFigure, Money | null>>;
  readonly maeFraction: Readonly<Record<ExcursionFigure, number | null>>;
  readonly mfeFraction: Readonly<Record<ExcursionFigure, number | null>>;
  readonly volume: Money;
  /** Fees paid. Above 0 is a cost. */
  readonly fees: Money;
  readonly funding: Money;
  readonly liquidations: number;
};

/** An open trade as in summary.json. */
export interface OpenTradeRow {
  readonly strategy: number;
  readonly instrument: string;
  readonly side: 'long' | 'short';
  readonly entryMs: number;
  readonly entryPrice: number;
  /** In the base asset. */
  readonly quantity: string;
  readonly unrealised: Money;
}

/** The properties by which trades are grouped. */
export type Breakdown =
  | 'instrument'
  | 'side'
  | 'entryTag'
  | 'exitTag'
  | 'exitReason'
  | 'strategy'
  | 'hour'
  | 'weekday'
  | 'month'
  | 'holdTime';
/** The figures of one group of trades. `key` names the group, such as an instrument or an hour. */
export type BreakdownRow = TradeBreakdownTable & { readonly key: string };

/** Trade statistics as in summary.json. */
export type TradeSummary = TradeBreakdownTable & {
  readonly openTrades: number;
  readonly openPositions: readonly OpenTradeRow[];
  /** Unrealised profit of open trades and dust. closedPnl + openPnl + heldPnl = metrics.netProfit, exactly. */
  readonly openPnl: Money;
  /** Profit on assets that the account had at the start. 0 when the account started with the reporting asset alone. */
  readonly heldPnl: Money;
  /** Times are UTC: hour and weekday (Mon to Sun) of the entry, month of the exit. Groups without a trade are left out. */
  readonly breakdowns: Readonly<Record<Breakdown, readonly BreakdownRow[]>>;
  readonly reasons: Readonly<Record<string, Reason>>;
  readonly flags: Readonly<Record<string, readonly Flag[]>>;
};

/** Returns the trade statistics. `netProfit` is the change of equity in units. */
export function tradeSummary(record: RunRecord, trades: RunTrades, netProfit: number): TradeSummary {
  const { closed } = trades;
  const whole = tableOf(record, trades, null);
  const closedUnits = exactSum(closed.pnlUnits);
  const money = (units: number | bigint) => moneyText(units, record.reportingDigits);
  const flags: Record<string, readonly Flag[]> = {};
  if (trades.path === 'coarse')
    for (const name of ['mae', 'mfe', 'maeFraction', 'mfeFraction', 'endTradeDrawdown']) flags[name] = ['coarse'];
  return {
    ...whole.table,
    openTrades: trades.open.length,
    openPositions: trades.open.map((trade) => {
      const { baseDigits } = record.instruments.find(({ id }) => id === trade.instrument)!;
      return {
        strategy: trade.strategy,
        instrument: trade.instrument,
        side: trade.side,
        entryMs: trade.entryMs,
        entryPrice: trade.entryPrice,
        quantity: moneyText(trade.baseUnits, baseDigits),
        unrealised: money(trade.unrealisedUnits),
      };
    }),
    openPnl: money(trades.openUnits),
    heldPnl: money(BigInt(netProfit) - closedUnits - BigInt(trades.openUnits)),
    breakdowns: breakdowns(record, trades, whole.table),
    reasons: whole.reasons,
    flags,
  };
}

const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const DAY_MS = 86_400_000;
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 3;

const dayOf = (ms: number) => Math.floor(ms / DAY_MS);
const twoDigits = (value: number) => String(value).padStart(2, '0');

/** Returns the groups of each breakdown, each in the order of its keys. `allTrades` are the figures of all trades together. */
function breakdowns(record: RunRecord, trades: RunTrades, allTrades: TradeBreakdownTable): Record<Breakdown, BreakdownRow[]> {
  const { closed, tags } = trades;
  const groupBy = (keyOf: (row: number) => number, textOf: (key: number) => string): BreakdownRow[] => {
    const groups = groupRows(closed.length, keyOf);
    // A single group contains all trades, so their figures are not computed again.
    return groups.map(([key, rows]) => ({ key: textOf(key), ...(groups.length === 1 ? allTrades : tableOf(record, trades, rows).table) }));
  };
  const monthOf = monthKeys();
  return {
    instrument: groupBy(
      (row) => closed.instrument[row]!,
      (key) => record.instruments[key]!.id,
    ),
    side: groupBy(
      (row) => closed.side[row]!,
      (key) => (key === 0 ? 'long' : 'short'),
    ),
    entryTag: groupBy(
      (row) => closed.entryTag[row]!,
      (key) => tags[key]!,
    ),
    exitTag: groupBy(
      (row) => closed.exitTag[row]!,
      (key) => tags[key]!,
    ),
    exitReason: groupBy(
      (row) => closed.exitReason[row]!,
      (key) => EXIT_REASONS[key]!,
    ),
    strategy: groupBy(
      (row) => closed.strategy[row]!,
      (key) => String(key),
    ),
    hour: groupBy((row) => hourOf(closed.entryMs[row]!), twoDigits),
    weekday: groupBy(
      (row) => (dayOf(closed.entryMs[row]!) + FIRST_WEEKDAY) % 7,
      (key) => WEEKDAYS[key]!,
    ),
    month: groupBy(
      (row) => monthOf(closed.exitMs[row]!),
      (key) => `${Math.floor(key / 12)}-${twoDigits((key % 12) + 1)}`,
    ),
    holdTime: groupBy(
      (row) => holdGroupOf(closed.exitMs[row]! - closed.entryMs[row]!),
      (key) => HOLD_GROUPS[key]!.name,
    ),
  };
}

/** Returns a function that numbers the month of a time. It remembers the last day, because successive trades mostly end on the same day. */
function monthKeys(): (ms: number) => number {
  let [day, key] = [NaN, 0];
  return (ms) => {
    const next = dayOf(ms);
    if (next !== day) {
      const { year, month } = civilMonth(ms);
      day = next;
      key = year * 12 + month - 1;
    }
    return key;
  };
}

/** Returns the rows of each key. Keys ascend, and the rows of a key keep their order. */
function groupRows(length: number, keyOf: (row: number) => number): [number, Uint32Array][] {
  const groups = new Map<number, number>();
  const counts: number[] = [];
  const groupOf = new Uint32Array(length);
  let lastKey = NaN;
  let group = 0;
  for (let row = 0; row < length; row++) {
    const key = keyOf(row);
    if (key !== lastKey) {
      group = groups.get(key) ?? counts.push(0) - 1;
      groups.set((lastKey = key), group);
    }
    groupOf[row] = group;
    counts[group]!++;
  }
  const rowsOf = counts.map((count) => new Uint32Array(count));
  const next = new Uint32Array(counts.length);
  for (let row = 0; row < length; row++) {
    const target = groupOf[row]!;
    rowsOf[target]![next[target]!++] = row;
  }
  return [...groups].toSorted(([a], [b]) => a - b).map(([key, index]) => [key, rowsOf[index]!]);
}

/** Returns the figures of the trades in `rows`, and why figures are missing. Null selects all trades. */
function tableOf(
  record: RunRecord,
  { closed, path }: RunTrades,
  rows: Uint32Array | null,
): { table: TradeBreakdownTable; reasons: Record<string, Reason> } {
  const trades = tradeSetOf(closed, path, rows);
  const { pnl } = trades;
  const result = tradeFigures(trades, record.startUnits);
  const settled = new SettledFigures();
  const sumOf = (column: Float64Array) => exactSum(valuesIn(column, rows));
  const text = (units: number | bigint) => moneyText(units, record.reportingDigits);
  const money = (units: number | null) => (units === null ? null : text(units));
  const values = settled.values(result.figures);
  const excursion = (name: 'mae' | 'mfe') => {
    const { mean, extreme } = settled.values(result[name], `${name}.`);
    return { mean: money(mean), extreme: money(extreme) };
  };
  const shorts = countShorts(closed, rows);
  const table: TradeBreakdownTable = {
    trades: pnl.length,
    longs: pnl.length - shorts,
    shorts,
    wins: result.wins,
    losses: result.losses,
    draws: result.draws,
    grossProfit: text(exactSumOf(pnl, 1)),
    grossLoss: text(exactSumOf(pnl, -1)),
    closedPnl: text(exactSum(pnl)),
    ...values,
    averageTrade: money(values.averageTrade),
    medianTrade: money(values.medianTrade),
    bestTrade: money(values.bestTrade),
    worstTrade: money(values.worstTrade),
    averageWin: money(values.averageWin),
    averageLoss: money(values.averageLoss),
    expectancy: money(values.expectancy),
    endTradeDrawdown: money(values.endTradeDrawdown),
    closedTradeDrawdownAbs: money(values.closedTradeDrawdownAbs),
    maxConsecutiveWins: result.maxConsecutiveWins,
    maxConsecutiveLosses: result.maxConsecutiveLosses,
    holdTime: settled.values(result.holdTime, 'holdTime.'),
    mae: excursion('mae'),
    mfe: excursion('mfe'),
    maeFraction: settled.values(result.maeFraction, 'maeFraction.'),
    mfeFraction: settled.values(result.mfeFraction, 'mfeFraction.'),
    volume: text(sumOf(closed.volumeUnits)),
    fees: text(sumOf(closed.feeUnits)),
    funding: text(-sumOf(closed.fundingUnits)),
    liquidations: Number(sumOf(closed.liquidations)),
  };
  return { table, reasons: settled.reasons };
}

/** Turns figures into values, and collects the reasons of those that are missing. */
class SettledFigures {
  readonly reasons: Record<string, Reason> = {};

  /** Returns the values of figures; null for a missing one. `prefix` comes before their names in `reasons`. */
  values<Name extends string>(figures: Readonly<Record<Name, Figure>>, prefix = '') {
    for (const [name, figure] of Object.entries<Figure>(figures)) {
      const reason = reasonOf(figure);
      if (reason !== null) this.reasons[prefix + name] = reason;
    }
    return settle(figures).values;
  }
}

/** Returns the columns of the trades in `rows` from which figures are computed. Excursions are null if the run has no bars of its path. */
function tradeSetOf(closed: TradeColumns, path: RunTrades['path'], rows: Uint32Array | null): TradeSet {
  const excursionsOf = (column: Float64Array) => (path === 'coarse' ? valuesIn(column, rows) : null);
  return {
    pnl: valuesIn(closed.pnlUnits, rows),
    fraction: valuesIn(closed.returnFraction, rows),
    holdMs: holdTimes(closed, rows),
    mae: excursionsOf(closed.maeUnits),
    mfe: excursionsOf(closed.mfeUnits),
    maeFraction: excursionsOf(closed.maeFraction),
    mfeFraction: excursionsOf(closed.mfeFraction),
  };
}

/** Returns the values of a column in `rows`. Null selects all trades. */
const valuesIn = (column: Float64Array, rows: Uint32Array | null): Float64Array => (rows === null ? column : gatherValues(column, rows));

/** Returns the number of short trades in `rows`. Null selects all trades. */
function countShorts({ side }: TradeColumns, rows: Uint32Array | null): number {
  return rows === null ? side.reduce((count, isShort) => count + isShort, 0) : rows.reduce((count, row) => count + side[row]!, 0);
}

/** Returns the holding times of the trades in `rows` in ms. Null selects all trades. */
function holdTimes({ length, entryMs, exitMs }: TradeColumns, rows: Uint32Array | null): Float64Array {
  const out = new Float64Array(rows === null ? length : rows.length);
  for (let i = 0; i < out.length; i++) {
    const row = rows === null ? i : rows[i]!;
    out[i] = exitMs[row]! - entryMs[row]!;
  }
  return out;
}

/** Returns the values of ascending rows; `rows` is not empty. Hot: docs/performance.md#index-loops. */
function gatherValues(column: Float64Array, rows: Uint32Array): Float64Array {
  const first = rows[0]!;
  // Rows without a gap, such as the trades of one month, need no copy.
  if (rows.at(-1)! - first === rows.length - 1) return column.subarray(first, first + rows.length);
  const out = new Float64Array(rows.length);
  for (let i = 0; i < out.length; i++) out[i] = column[rows[i]!]!;
  return out;
}
