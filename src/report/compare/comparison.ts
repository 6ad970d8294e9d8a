// Compares two runs: their figures, the differences between their definitions and inputs, and the first fill that differs.

import { assertNever } from '../../base/assert.ts';
import type { GlossaryEntry, FigureKind } from '../words/figures.ts';
import { REASONS, writeFigure } from '../words/figures.ts';
import { METRIC_NAMES, METRICS, TRADE_NAMES, TRADES } from '../words/glossary.ts';
import { amountText, wholeText, NO_VALUE, signed, signedAmount, THIN } from '../../base/text/format.ts';
import type { ComparedRun } from './input.ts';

/** One figure of both runs. */
export interface ComparedFigure {
  readonly name: string;
  readonly label: string;
  readonly definition: string;
  readonly kind: FigureKind;
  readonly a: number | null;
  readonly b: number | null;
  /** b minus a. Null where a value is missing or the two are in different assets. */
  readonly difference: number | null;
  /** The better run. Null when neither direction of the figure is clearly better, or when the displayed difference is zero. */
  readonly better: 'a' | 'b' | null;
  /** The values as text for the reader, with units. */
  readonly text: { readonly a: string; readonly b: string; readonly difference: string };
}

/** A key of the run definition or an input that differs between the two runs. A value of null means that the run does not have it. */
export interface Unequal {
  /** What the run used it for: `definition`, `code`, `bars` and so on. */
  readonly use: string;
  readonly name: string;
  readonly a: string | null;
  readonly b: string | null;
}

/** The first difference between the fills of two runs. A run without that row has null. */
export interface FillDifference {
  /** The first row of fills.csv that differs, counted from 1 without the header. */
  readonly row: number;
  readonly a: FillCells | null;
  readonly b: FillCells | null;
}
/** The cells of a row of fills.csv, by the name of their column. */
export type FillCells = Readonly<Record<string, string>>;

/** Everything that the comparison shows. */
export interface RunComparison {
  readonly a: ComparedRun;
  readonly b: ComparedRun;
  /** True when both runs have the same orders, fills and equity. */
  readonly isIdentical: boolean;
  readonly figures: readonly ComparedFigure[];
  readonly keys: readonly Unequal[];
  readonly inputs: readonly Unequal[];
  readonly firstFill: FillDifference | null;
  /** Why the two runs are not fully comparable. Empty when they are. */
  readonly warnings: readonly string[];
}

/** The columns that decide whether two fills are equal. Order numbers are left out, because one extra order shifts all later numbers. */
const FILL_COLUMNS = ['time_ms', 'strategy', 'instrument', 'side', 'is_maker', 'price', 'quantity', 'notional', 'fee', 'fee_asset'];

/** Compares two runs. */
export function compareRuns(a: ComparedRun, b: ComparedRun): RunComparison {
  const definitionKeys = (run: ComparedRun) => [...run.definition].map(([name, value]) => ({ use: 'definition', name, value }));
  return {
    a,
    b,
    isIdentical: a.summary.resultHash === b.summary.resultHash,
    figures: figuresOf(a, b),
    keys: unequal(definitionKeys(a), definitionKeys(b)),
    inputs: unequal(a.inputs, b.inputs),
    firstFill: firstFillDifference(a.fills, b.fills),
    warnings: comparisonWarnings(a, b),
  };
}

/** Returns the inputs that differ, in the order of the first run. Inputs that only the second run has follow. */
function unequal(a: ComparedRun['inputs'], b: ComparedRun['inputs']): readonly Unequal[] {
  const keyOf = ({ use, name }: { use: string; name: string }) => `${use} ${name}`;
  const inputsOfA = new Map(a.map((input) => [keyOf(input), input]));
  const inputsOfB = new Map(b.map((input) => [keyOf(input), input]));
  const allInputs = new Map([...inputsOfA, ...inputsOfB]);
  return [...allInputs].flatMap(([key, { use, name }]): readonly Unequal[] => {
    const valueOfA = inputsOfA.get(key)?.value ?? null;
    const valueOfB = inputsOfB.get(key)?.value ?? null;
    return valueOfA === valueOfB ? [] : [{ use, name, a: valueOfA, b: valueOfB }];
  });
}

/**
 * Returns the inputs worth reporting. A code or bar file that only one run has is left out: the definitions already show that difference.
 */
export function reportedInputs({ inputs }: RunComparison): readonly Unequal[] {
  return inputs.filter(({ use, a, b }) => (use !== 'code' && use !== 'bars') || (a !== null && b !== null));
}

/** Number of characters of a hash that are shown. */
const HASH_LETTERS = 12;

/** Returns a value as short text: the first letters of a hash, a date without a time of 00:00. */
export function valueText(value: string | null): string {
  if (value === null) return 'not there';
  const isHash = /^[0-9a-f]{64}$/.test(value);
  if (isHash) return value.slice(0, HASH_LETTERS);
  return value.replace(/T00:00:00\.000Z$/, '').replace(/(T\d\d:\d\d):00\.000Z$/, '$1');
}

/** Returns the first row of fills that differs. Null when all are equal. The first row of each table is its header. */
function firstFillDifference(
  [header = [], ...fillsOfA]: ComparedRun['fills'],
  [, ...fillsOfB]: ComparedRun['fills'],
): FillDifference | null {
  const columns = FILL_COLUMNS.map((name) => header.indexOf(name));
  const isSame = (fillOfA: readonly string[], fillOfB: readonly string[]) => columns.every((column) => fillOfA[column] === fillOfB[column]);
  const cellsOf = (fill: readonly string[] | undefined): FillCells | null =>
    fill === undefined ? null : Object.fromEntries(header.map((name, column) => [name, fill[column] ?? '']));
  for (let row = 0; row < Math.max(fillsOfA.length, fillsOfB.length); row++) {
    const fillOfA = fillsOfA[row];
    const fillOfB = fillsOfB[row];
    if (fillOfA !== undefined && fillOfB !== undefined && isSame(fillOfA, fillOfB)) continue;
    return { row: row + 1, a: cellsOf(fillOfA), b: cellsOf(fillOfB) };
  }
  return null;
}

/** Figures for which more is better, and figures for which less is better. Drawdowns are negative, so more means less deep. */
const MORE_IS_BETTER = new Set([
  'totalReturn',
  'netProfit',
  'cagr',
  'sharpe',
  'smartSharpe',
  'sortino',
  'calmar',
  'calmarDaily',
  'omega',
  'recoveryFactor',
  'maxDrawdown',
  'maxDrawdownDaily',
  'averageDrawdown',
  'psr0',
  'psr1',
  'positiveDays',
  'winRate',
  'profitFactor',
  'averageTrade',
  'averageTradeFraction',
  'payoff',
  'expectancy',
  'sqn',
  'alpha',
  'informationRatio',
  'treynor',
  'var95',
  'var99',
  'cvar95',
  'cvar99',
  'tailRatio',
  'expectancyRatio',
  'closedTradeDrawdown',
  'meanReturn',
  'geometricMeanReturn',
]);
const LESS_IS_BETTER = new Set([
  'maxDrawdownAbs',
  'longestDrawdown',
  'averageDrawdownDays',
  'ulcer',
  'volatility',
  'downsideDeviation',
  'fees',
  'endTradeDrawdown',
  'closedTradeDrawdownAbs',
  'refusedByRisk',
  'rejected',
]);

type OrderFigureName = 'created' | 'fills' | 'refusedByRisk' | 'rejected' | 'fees' | 'volume';

/** The figures about orders, in the order of the page. */
const ORDER_FIGURES: readonly (readonly [name: OrderFigureName, entry: GlossaryEntry])[] = [
  ['created', { label: 'Orders', kind: 'count', definition: 'Orders that the strategies and their brackets asked for.' }],
  ['fills', { label: 'Fills', kind: 'count', definition: 'Executions, whole and in part.' }],
  ['refusedByRisk', { label: 'Refused by risk', kind: 'count', definition: 'Stopped by a risk rule; nothing was sent.' }],
  ['rejected', { label: 'Rejected by the venue', kind: 'count', definition: 'The venue said no, with a code.' }],
  ['volume', { label: 'Volume', kind: 'cost', definition: 'Notional of all fills.' }],
  ['fees', { label: 'Fees', kind: 'cost', definition: 'All fees, valued in the reporting asset.' }],
];

type FigureValue = number | string | null | undefined;

/** Returns the figures that at least one of the runs has. */
function figuresOf(a: ComparedRun, b: ComparedRun): readonly ComparedFigure[] {
  const { summary: summaryA } = a;
  const { summary: summaryB } = b;
  const assets = { a: summaryA.run.reportingAsset, b: summaryB.run.reportingAsset };
  const tradesEntry = { label: 'Trades', kind: 'count', definition: 'Closed trades, from flat to flat.' } as const;
  /** Compares one figure. `valueIn` reads it from a summary. */
  const figure = (name: string, entry: GlossaryEntry, valueIn: (summary: ComparedRun['summary']) => FigureValue): ComparedFigure =>
    compareFigure(name, entry, { a: valueIn(summaryA), b: valueIn(summaryB) }, assets);
  return [
    ...METRIC_NAMES.map((name) => figure(name, METRICS[name], ({ metrics }) => metrics[name])),
    figure('trades', tradesEntry, ({ trades }) => trades.trades),
    ...TRADE_NAMES.map((name) => figure(name, TRADES[name], ({ trades }) => trades[name])),
    ...ORDER_FIGURES.map(([name, entry]) => figure(name, entry, ({ orders }) => orders[name])),
  ].filter((compared) => compared.a !== null || compared.b !== null);
}

/** Something that each of the two runs has. */
interface OfBoth<T> {
  readonly a: T;
  readonly b: T;
}

/** Returns one figure of both runs. `assets` are their reporting assets. */
function compareFigure(
  name: string,
  { label, kind, definition }: GlossaryEntry,
  values: OfBoth<FigureValue>,
  assets: OfBoth<string>,
): ComparedFigure {
  const valueOfA = numberOf(values.a);
  const valueOfB = numberOf(values.b);
  const isMoney = kind === 'money' || kind === 'cost';
  const areComparable = !isMoney || assets.a === assets.b;
  const difference = valueOfA === null || valueOfB === null || !areComparable ? null : valueOfB - valueOfA;
  const text = (value: number | null, asset: string) => (value === null ? NO_VALUE : writeFigure(value, kind, asset));
  const shownDifference = difference === null ? NO_VALUE : differenceText(difference, kind, assets.a);
  // A difference that is displayed as zero makes neither run better.
  const isDisplayedAsZero = !/[1-9]/.test(shownDifference);
  const better = difference === null || difference === 0 || isDisplayedAsZero ? null : betterRun(name, difference);
  return {
    name,
    label,
    definition,
    kind,
    a: valueOfA,
    b: valueOfB,
    difference,
    better,
    text: { a: text(valueOfA, assets.a), b: text(valueOfB, assets.b), difference: shownDifference },
  };
}

/** Returns the run with the better value of a figure. `difference` is b minus a. Null when neither direction is clearly better. */
function betterRun(name: string, difference: number): 'a' | 'b' | null {
  if (MORE_IS_BETTER.has(name)) return difference > 0 ? 'b' : 'a';
  if (LESS_IS_BETTER.has(name)) return difference < 0 ? 'b' : 'a';
  return null;
}

/** Returns a value as a number. Null when it is missing. */
function numberOf(value: FigureValue): number | null {
  const number = value === null || value === undefined ? NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

/** Returns a difference as text with its sign. Differences of percentages are in percentage points. */
export function differenceText(value: number, kind: FigureKind, asset: string): string {
  switch (kind) {
    case 'percent':
    case 'change':
      return `${signed(value * 100, 2)}${THIN}pp`;
    case 'ratio':
      return signed(value, 2);
    case 'days':
      return `${signed(value, 1)}${THIN}d`;
    case 'span':
      return `${signed(value / 3_600_000, 1)}${THIN}h`;
    case 'money':
    case 'cost':
      return `${signedAmount(value, asset)}${THIN}${asset}`;
    case 'count':
      return signed(value, 0);
    default:
      return assertNever(kind);
  }
}

/** With fewer closed trades, a figure says little about the future. */
const FEW_TRADES = 30;

/** Returns the warnings about differences in time, bars and money, and about synthetic data and few trades. */
function comparisonWarnings({ summary: a }: ComparedRun, { summary: b }: ComparedRun): readonly string[] {
  const warnings: string[] = [];
  if (a.run.fromMs !== b.run.fromMs || a.run.toMs !== b.run.toMs) warnings.push('they cover different times');
  const feedNames = ({ run }: typeof a): string => {
    const names = run.feeds.map(({ instrument, interval }) => `${instrument} ${interval}`);
    return names.toSorted().join();
  };
  const hasOtherContent = a.dataQuality.feeds.some(({ manifestHash }, index) => b.dataQuality.feeds[index]?.manifestHash !== manifestHash);
  if (feedNames(a) !== feedNames(b)) warnings.push('they ran on different bars');
  else if (hasOtherContent) warnings.push('their bars bear one name, and their content differs');

  const asset = a.run.reportingAsset;
  const startText = ({ run }: typeof a) => amountText(Number(run.startEquity), run.reportingAsset);
  if (asset !== b.run.reportingAsset) warnings.push(`one is counted in ${asset}, the other in ${b.run.reportingAsset}`);
  else if (a.run.startEquity !== b.run.startEquity) warnings.push(`they start with ${startText(a)} and ${startText(b)} ${asset}`);

  const syntheticRuns = [a, b].filter(({ dataQuality }) => dataQuality.synthetic).length;
  if (syntheticRuns > 0) warnings.push(syntheticRuns === 2 ? 'the data are synthetic' : 'the data of one are synthetic');
  const runsWithFewTrades = [a, b].filter(({ trades }) => trades.trades < FEW_TRADES).length;
  if (runsWithFewTrades > 0)
    warnings.push(`${runsWithFewTrades === 2 ? 'both have' : 'one has'} fewer than ${wholeText(FEW_TRADES)} closed trades`);
  return warnings;
}

/** Returns why a run lacks a figure, in words. Null when the run has it. */
export function differenceReason({ summary }: ComparedRun, name: string): string | null {
  const reasons: Readonly<Record<string, keyof typeof REASONS | undefined>> = { ...summary.metrics.reasons, ...summary.trades.reasons };
  const reason = reasons[name];
  return reason === undefined ? null : REASONS[reason];
}
