// Computes the figures of each possible path of a run, and the range that contains all of them.

import { largestOf, smallestOf } from '../../base/number/extremes.ts';
import type { RunRecord, EquityColumns } from '../../model/run/run.ts';
import { mainFigures, type BarDrawdowns } from '../kernels/portfolio.ts';
import { seriesOf } from '../kernels/returns.ts';
import { barDrawdowns, sampledEquity } from '../series/daily.ts';
import { moneyText, type Money } from '../series/money.ts';

/** A figure over all orders of events: the lowest value, the value of the run itself, and the highest value. */
export interface EnvelopeRange<Value> {
  readonly low: Value;
  readonly asRun: Value;
  readonly high: Value;
}

/** The envelope as in summary.json (docs/envelope.md). */
export interface Envelope {
  readonly netProfit: EnvelopeRange<Money>;
  /** Fractions, at most 0. Null when the figure is undefined. */
  readonly maxDrawdown: EnvelopeRange<number | null>;
  readonly sharpe: EnvelopeRange<number | null>;
  /** Fills, happened or missed, whose time or price the bars do not determine, and their share of all fills. */
  readonly ambiguousFills: number;
  readonly ambiguousShare: number;
  /** The interval of the finer bars that were read inside ambiguous bars. Null when none were read. */
  readonly refinedWith: string | null;
  /** Finer rows that were read, and finer rows over the whole run. */
  readonly refinedRows: { readonly read: number; readonly all: number } | null;
  /**
   * `bound`: every legal order of events stays within `netProfit`. `scenario`: some might leave it, for the reasons in `notBoundBecause`.
   */
  readonly kind: 'bound' | 'scenario';
  readonly notBoundBecause: readonly string[];
}

/** The figures of one path. Net profit in units. */
export interface PathFigures {
  readonly net: number;
  readonly maxDrawdown: number | null;
  readonly sharpe: number | null;
}

/** The parts of a run from which the figures of a path are computed. */
type EquityPath = Pick<RunRecord, 'fromMs' | 'toMs' | 'startUnits' | 'equity'>;

/** Returns the figures of the run with another equity of every bar. */
export function figuresOf({ fromMs, toMs, startUnits }: RunRecord, equity: EquityColumns): PathFigures {
  return pathFigures({ fromMs, toMs, startUnits, equity }, null);
}

/** Returns the figures of a path. `drawdowns` are needed when the equity is only sampled. Null when it has every bar. */
export function pathFigures(path: EquityPath, drawdowns: BarDrawdowns | null): PathFigures {
  const { startUnits, equity } = path;
  const { timeMs, equity: daily } = sampledEquity(path);
  const { maxDrawdown, sharpe } = mainFigures(seriesOf(timeMs, daily), drawdowns ?? barDrawdowns(path));
  const endUnits = equity.length === 0 ? startUnits : equity.units[equity.length - 1]!;
  return { net: endUnits - startUnits, maxDrawdown: numberOf(maxDrawdown), sharpe: numberOf(sharpe) };
}

/** Returns a figure, or null when it is undefined. */
const numberOf = (figure: unknown): number | null => (typeof figure === 'number' ? figure : null);

/** Returns the range of a figure over paths. The first path is the run itself. */
export function rangeOver(paths: readonly PathFigures[], name: 'maxDrawdown' | 'sharpe'): EnvelopeRange<number | null> {
  const values = paths.map((path) => path[name]).filter((value) => value !== null);
  const asRun = paths[0]![name];
  if (asRun === null) return { low: null, asRun, high: null };
  return { low: smallestOf(values), asRun, high: largestOf(values) };
}

/** Returns the range of amounts in units as decimal text. */
export function moneyRange(digits: number, units: readonly number[], asRun: number): EnvelopeRange<Money> {
  return { low: moneyText(smallestOf(units), digits), asRun: moneyText(asRun, digits), high: moneyText(largestOf(units), digits) };
}
