// Computes the trade statistics of summary.json: for all trades, and for groups by instrument, side, tag, exit reason, strategy, time and holding time.

import { civilMonth } from '../../base/calendar.ts';
import type { RunRecord } from '../../model/run/run.ts';
import { reasonOf, settle, type Figure, type Flag, type Reason } from '../kernels/figure.ts';
import {
  differences,
  tradeFigures,
  type ExcursionFigure,
  type HoldFigure,
  type TradeFigure,
  type TradeSet,
} from '../kernels/tradeFigures.ts';
import { EXIT_REASONS, HOLD_GROUPS, holdGroupOf, hourOf } from '../kernels/tradeGroups.ts';
import { exactSum, exactSumOf, moneyText, type Money } from '../series/money.ts';
import type { RunTrades } from './columns.ts';
import { areEqual, groupRows, sortInto, type Grouping } from './groups/rowGroups.ts';

/** The trade figures that are amounts of money. */
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
  const allColumns = figureColumnsOf(trades);
  const allTrades = tableOf(record, allColumns);
  const closedUnits = exactSum(closed.pnlUnits);
  const money = (units: number | bigint) => moneyText(units, record.reportingDigits);
  const flags: Record<string, readonly Flag[]> = {};
  if (trades.path === 'coarse')
    for (const name of ['mae', 'mfe', 'maeFraction', 'mfeFraction', 'endTradeDrawdown']) flags[name] = ['coarse'];
  return {
    ...allTrades.table,
    openTrades: trades.open.length,
    openPositions: trades.open.map((trade) => openTradeRow(trade, record)),
    openPnl: money(trades.openUnits),
    heldPnl: money(BigInt(netProfit) - closedUnits - BigInt(trades.openUnits)),
    breakdowns: breakdowns(record, trades, allColumns, allTrades.table),
    reasons: allTrades.reasons,
    flags,
  };
}

/** Returns an open trade as in summary.json. */
function openTradeRow(trade: RunTrades['open'][number], { instruments, reportingDigits }: RunRecord): OpenTradeRow {
  const { strategy, instrument, side, entryMs, entryPrice, baseUnits, unrealisedUnits } = trade;
  const { baseDigits } = instruments.find(({ id }) => id === instrument)!;
  return {
    strategy,
    instrument,
    side,
    entryMs,
    entryPrice,
    quantity: moneyText(baseUnits, baseDigits),
    unrealised: moneyText(unrealisedUnits, reportingDigits),
  };
}

/** From Monday, as `FIRST_WEEKDAY` counts. */
const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const DAY_MS = 86_400_000;
/** The weekday of 1970-01-01, a Thursday, counted from Monday. */
const FIRST_WEEKDAY = 3;

const dayOf = (ms: number) => Math.floor(ms / DAY_MS);
const twoDigits = (value: number) => String(value).padStart(2, '0');

/** The columns of closed trades from which figures are computed. Money in units. */
interface TradeFigureColumns extends TradeSet {
  readonly volume: Float64Array;
  readonly fees: Float64Array;
  readonly funding: Float64Array;
  readonly liquidations: Float64Array;
  /** 1 for a short trade, 0 for a long one. */
  readonly shorts: Float64Array;
}

/** Returns the groups of each breakdown, each in the order of its keys. `allColumns` are the columns of all trades, `allTrades` their figures. */
function breakdowns(
  record: RunRecord,
  { closed, tags }: RunTrades,
  allColumns: TradeFigureColumns,
  allTrades: TradeBreakdownTable,
): Record<Breakdown, BreakdownRow[]> {
  const { entryMs, exitMs } = closed;
  const sorter = new ColumnSorter(allColumns);
  const keys = new Int32Array(closed.length);
  const rowsOf = ({ groups, places }: Grouping, textOf: (key: number) => string): BreakdownRow[] => {
    // A single group contains all trades, so their figures are not computed again.
    if (groups.length === 1) return [{ key: textOf(groups[0]!.key), ...allTrades }];
    const columns = places === null ? allColumns : sorter.sorted(places);
    return groups.map(({ key, from, to }) => ({ key: textOf(key), ...tableOf(record, partOf(columns, from, to)).table }));
  };
  const byColumn = (column: ArrayLike<number>, textOf: (key: number) => string): BreakdownRow[] => {
    if (closed.length > 0 && areEqual(column)) return [{ key: textOf(column[0]!), ...allTrades }];
    return rowsOf(groupRows(new Int32Array(column)), textOf);
  };
  const byKey = (keyOf: (row: number) => number, textOf: (key: number) => string): BreakdownRow[] => {
    for (let row = 0; row < keys.length; row++) keys[row] = keyOf(row);
    return rowsOf(groupRows(keys), textOf);
  };
  const monthOf = monthKeys();
  return {
    instrument: byColumn(closed.instrument, (key) => record.instruments[key]!.id),
    side: byColumn(closed.side, (key) => (key === 0 ? 'long' : 'short')),
    entryTag: byColumn(closed.entryTag, (key) => tags[key]!),
    exitTag: byColumn(closed.exitTag, (key) => tags[key]!),
    exitReason: byColumn(closed.exitReason, (key) => EXIT_REASONS[key]!),
    strategy: byColumn(closed.strategy, String),
    hour: byKey((row) => hourOf(entryMs[row]!), twoDigits),
    weekday: byKey(
      (row) => (dayOf(entryMs[row]!) + FIRST_WEEKDAY) % 7,
      (key) => WEEKDAYS[key]!,
    ),
    month: byKey(
      (row) => monthOf(exitMs[row]!),
      (key) => `${Math.floor(key / 12)}-${twoDigits((key % 12) + 1)}`,
    ),
    holdTime: byKey(
      (row) => holdGroupOf(exitMs[row]! - entryMs[row]!),
      (key) => HOLD_GROUPS[key]!.name,
    ),
  };
}

/** Returns a function that numbers the month of a time. It remembers the last day, because successive trades mostly end on the same day. */
function monthKeys(): (timeMs: number) => number {
  let lastDay = NaN;
  let key = 0;
  return (timeMs) => {
    const nextDay = dayOf(timeMs);
    if (nextDay !== lastDay) {
      const { year, month } = civilMonth(timeMs);
      lastDay = nextDay;
      key = year * 12 + month - 1;
    }
    return key;
  };
}

/** Returns the figures of trades, and why figures are missing. */
function tableOf(record: RunRecord, trades: TradeFigureColumns): { table: TradeBreakdownTable; reasons: Record<string, Reason> } {
  const { pnl } = trades;
  const result = tradeFigures(trades, record.startUnits);
  const settled = new SettledFigures();
  const text = (units: number | bigint) => moneyText(units, record.reportingDigits);
  const money = (units: number | null) => (units === null ? null : text(units));
  const values = settled.values(result.figures);
  const excursion = (name: 'mae' | 'mfe') => {
    const { mean, extreme } = settled.values(result[name], `${name}.`);
    return { mean: money(mean), extreme: money(extreme) };
  };
  const shorts = Number(exactSum(trades.shorts));
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
    ...moneyTexts(values, money),
    maxConsecutiveWins: result.maxConsecutiveWins,
    maxConsecutiveLosses: result.maxConsecutiveLosses,
    holdTime: settled.values(result.holdTime, 'holdTime.'),
    mae: excursion('mae'),
    mfe: excursion('mfe'),
    maeFraction: settled.values(result.maeFraction, 'maeFraction.'),
    mfeFraction: settled.values(result.mfeFraction, 'mfeFraction.'),
    volume: text(exactSum(trades.volume)),
    fees: text(exactSum(trades.fees)),
    funding: text(-exactSum(trades.funding)),
    liquidations: Number(exactSum(trades.liquidations)),
  };
  return { table, reasons: settled.reasons };
}

/** Returns the figures that are money as text, by `money`. */
function moneyTexts(
  values: Readonly<Record<MoneyName, number | null>>,
  money: (units: number | null) => Money | null,
): Readonly<Record<MoneyName, Money | null>> {
  return {
    averageTrade: money(values.averageTrade),
    medianTrade: money(values.medianTrade),
    bestTrade: money(values.bestTrade),
    worstTrade: money(values.worstTrade),
    averageWin: money(values.averageWin),
    averageLoss: money(values.averageLoss),
    expectancy: money(values.expectancy),
    endTradeDrawdown: money(values.endTradeDrawdown),
    closedTradeDrawdownAbs: money(values.closedTradeDrawdownAbs),
  };
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

/** Returns the columns of all closed trades. Excursions are null if the run has no bars of its path. */
function figureColumnsOf({ closed, path }: RunTrades): TradeFigureColumns {
  const hasPath = path === 'coarse';
  return {
    pnl: closed.pnlUnits,
    fraction: closed.returnFraction,
    holdMs: differences(closed.exitMs, closed.entryMs),
    mae: hasPath ? closed.maeUnits : null,
    mfe: hasPath ? closed.mfeUnits : null,
    maeFraction: hasPath ? closed.maeFraction : null,
    mfeFraction: hasPath ? closed.mfeFraction : null,
    volume: closed.volumeUnits,
    fees: closed.feeUnits,
    funding: closed.fundingUnits,
    liquidations: closed.liquidations,
    shorts: new Float64Array(closed.side),
  };
}

/** Returns the columns after applying `convert` to each of them. */
function mapColumns(columns: TradeFigureColumns, convert: (column: Float64Array) => Float64Array): TradeFigureColumns {
  const convertOrNull = (column: Float64Array | null) => (column === null ? null : convert(column));
  return {
    pnl: convert(columns.pnl),
    fraction: convert(columns.fraction),
    holdMs: convert(columns.holdMs),
    mae: convertOrNull(columns.mae),
    mfe: convertOrNull(columns.mfe),
    maeFraction: convertOrNull(columns.maeFraction),
    mfeFraction: convertOrNull(columns.mfeFraction),
    volume: convert(columns.volume),
    fees: convert(columns.fees),
    funding: convert(columns.funding),
    liquidations: convert(columns.liquidations),
    shorts: convert(columns.shorts),
  };
}

/** Returns the rows [from, to) of columns, without a copy. */
const partOf = (columns: TradeFigureColumns, from: number, to: number): TradeFigureColumns =>
  mapColumns(columns, (column) => column.subarray(from, to));

/** Sorts columns, each time into the same memory. */
class ColumnSorter {
  readonly #columns: TradeFigureColumns;
  /** By column, its sorted values. A column with one value needs none. */
  readonly #sorted = new Map<Float64Array, Float64Array>();

  constructor(columns: TradeFigureColumns) {
    this.#columns = columns;
  }

  /** Returns the columns with each row at its place. They are valid until the next call. */
  sorted(places: Uint32Array): TradeFigureColumns {
    return mapColumns(this.#columns, (column) => {
      const target = this.#memoryOf(column);
      if (target !== column) sortInto(column, places, target);
      return target;
    });
  }

  /** Returns the memory for a sorted column: the column itself when it has one value. */
  #memoryOf(column: Float64Array): Float64Array {
    let target = this.#sorted.get(column);
    if (target === undefined) {
      target = areEqual(column) ? column : new Float64Array(column.length);
      this.#sorted.set(column, target);
    }
    return target;
  }
}
