// The figures of the paths that bound a run, and their hull.

import type { RunRecord, EquityColumns } from '../../model/run/run.ts';
import { mainFigures, type BarDrawdowns } from '../kernels/portfolio.ts';
import { seriesOf } from '../kernels/returns.ts';
import { barDrawdowns, sampledEquity } from '../series/daily.ts';
import { moneyText, type Money } from '../series/money.ts';

/** A figure over the orders of events: the lowest, that of the run itself, the highest. */
export interface EnvelopeRange<Value> {
  readonly low: Value;
  readonly asRun: Value;
  readonly high: Value;
}

export interface Envelope {
  readonly netProfit: EnvelopeRange<Money>;
  /** Fractions, 0 or below; null where the figure has no value. */
  readonly maxDrawdown: EnvelopeRange<number | null>;
  readonly sharpe: EnvelopeRange<number | null>;
  /** Fills, made or missed, whose time or price the bars leave open, and their share of the fills. */
  readonly ambiguousFills: number;
  readonly ambiguousShare: number;
  /** The interval of the finer bars that were read inside ambiguous bars; null: none. */
  readonly refinedWith: string | null;
  readonly refinedRows: { readonly read: number; readonly all: number } | null;
  /** `bound`: no legal order of events leads out of `netProfit`. `scenario`: one might, for the reasons named. */
  readonly kind: 'bound' | 'scenario';
  readonly notBoundBecause: readonly string[];
}

/** The figures of one path. Net profit in units. */
export interface PathFigures {
  readonly net: number;
  readonly maxDrawdown: number | null;
  readonly sharpe: number | null;
}

type EquityPath = Pick<RunRecord, 'fromMs' | 'toMs' | 'startUnits' | 'equity'>;

export function figuresOf({ fromMs, toMs, startUnits }: RunRecord, equity: EquityColumns): PathFigures {
  return pathFigures({ fromMs, toMs, startUnits, equity }, null);
}

/** `drawdowns`: those of every bar, where the equity has only samples; null: it has every bar. */
export function pathFigures(path: EquityPath, drawdowns: BarDrawdowns | null): PathFigures {
  const { startUnits, equity } = path;
  const { timeMs, equity: daily } = sampledEquity(path);
  const { maxDrawdown, sharpe } = mainFigures(seriesOf(timeMs, daily), drawdowns ?? barDrawdowns(path));
  const end = equity.length === 0 ? startUnits : equity.units[equity.length - 1]!;
  return { net: end - startUnits, maxDrawdown: numberOf(maxDrawdown), sharpe: numberOf(sharpe) };
}
const numberOf = (figure: unknown): number | null => (typeof figure === 'number' ? figure : null);

/** Returns the hull of a figure over paths. The first path is the run itself. */
export function hullOf(paths: readonly PathFigures[], name: 'maxDrawdown' | 'sharpe'): EnvelopeRange<number | null> {
  const values = paths.map((path) => path[name]).filter((value) => value !== null);
  const asRun = paths[0]![name];
  if (asRun === null) return { low: null, asRun, high: null };
  return { low: Math.min(...values), asRun, high: Math.max(...values) };
}

export function moneyRange(digits: number, units: readonly number[], asRun: number): EnvelopeRange<Money> {
  return { low: moneyText(Math.min(...units), digits), asRun: moneyText(asRun, digits), high: moneyText(Math.max(...units), digits) };
}
