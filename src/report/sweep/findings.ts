// Computes the findings of a sweep for the terminal, the report and sweep.json: ranking, plateau, selection bias, warnings.

import { warning, type Warning, type WarningCode } from '../../model/warning.ts';
import { writeFigure, type GlossaryEntry } from '../words/figures.ts';
import { METRICS, TRADES } from '../words/glossary.ts';
import { isTooHighSharpe, isTooManyWins } from '../warnings/resultWarnings.ts';
import { wholeText, counted, fixed, percent } from '../../base/text/format.ts';
import { selectionBiasOf } from './figures/selectionBias.ts';
import { neighbourhoods, rankValues, type Neighbourhoods } from './figures/neighbours.ts';
import { figureOf, setParams, type SelectionBias, type SweepRecord } from './figures/record.ts';

/** With fewer closed trades or days, a figure of a set says little. */
export const MIN_SET_TRADES = 30;
export const MIN_SET_DAYS = 90;
/** A warning appears when the best Sharpe ratio exceeds the expected best with less than this probability. */
export const MIN_DEFLATED_SHARPE = 0.95;

/** Sets without a result for the same reason. */
export interface Reasoned {
  readonly reason: string;
  readonly sets: number;
}

/** The findings of a sweep. Sets are given by their index in grid order. */
export interface Findings {
  /** Sets that have the ranking figure, the best first. */
  readonly ranking: readonly number[];
  readonly best: number | null;
  readonly neighbours: Neighbourhoods;
  /** The set with the best mean over its neighbourhood. Null when no neighbourhood has enough values. */
  readonly plateau: number | null;
  readonly selectionBias: SelectionBias;
  readonly ran: number;
  readonly refused: readonly Reasoned[];
  readonly failed: readonly Reasoned[];
  /** What to check before trusting the result, most serious first. */
  readonly warnings: readonly Warning[];
}

/** Returns the findings of a sweep. */
export function findingsOf(record: SweepRecord): Findings {
  const values = figureOf(record, record.by) ?? new Float64Array(record.sets).fill(NaN);
  const ranking = rankValues(values, record.isMoreBetter);
  const best = ranking[0] ?? null;
  const neighbours = neighbourhoods(record, values);
  const plateau = neighbours.whole > 1 ? (rankValues(neighbours.mean, record.isMoreBetter)[0] ?? null) : null;
  const selectionBias = selectionBiasOf(record, best);
  const refused = byReason(record.refused);
  const failed = byReason(record.failed);
  const ran = record.sets - setsIn(refused) - setsIn(failed);
  const warnings = [...(record.warnings ?? []), ...figureWarnings(record, best, neighbours, selectionBias)];
  return { ranking, best, neighbours, plateau, selectionBias, ran, refused, failed, warnings };
}

/** Figures that only sweeps have. */
const SWEEP_FIGURES: Readonly<Record<string, GlossaryEntry>> = {
  trades: { label: 'Trades', kind: 'count', definition: 'Closed flat-to-flat episodes of one instrument.' },
  fills: { label: 'Fills', kind: 'count', definition: 'Executions at the venue.' },
  orders: { label: 'Orders', kind: 'count', definition: 'Orders that the strategy wanted.' },
  days: { label: 'Days', kind: 'count', definition: 'Daily returns that the figures rest on.' },
  fees: { label: 'Fees', kind: 'cost', definition: 'Paid to the venue on all fills.' },
  endEquity: { label: 'Equity at the end', kind: 'cost', definition: 'Cash and positions at the last close.' },
};

/** Returns label, kind and definition of a figure of a sweep. */
export function entryOf(name: string): GlossaryEntry {
  const glossaryEntry = { ...METRICS, ...TRADES, ...SWEEP_FIGURES }[name];
  return glossaryEntry ?? { label: name, kind: 'ratio', definition: '' };
}

/** Returns the parameters of a set as text, such as `fast 20, slow 120`. */
export function paramsText(record: SweepRecord, setIndex: number): string {
  return setParams(record, setIndex)
    .map(({ name, value }) => `${name} ${value}`)
    .join(', ');
}

/** Returns the outcome as text, such as `16 sets ran, 2 refused, 1 failed`. `unit` follows the first number: `' sets'` or empty. */
export function outcomeText({ ran, refused, failed }: Findings, unit = ''): string {
  const counts = [`${wholeText(ran)}${unit} ran`];
  if (refused.length > 0) counts.push(`${wholeText(setsIn(refused))} refused`);
  if (failed.length > 0) counts.push(`${wholeText(setsIn(failed))} failed`);
  return counts.join(', ');
}

/** Returns the number of sets over all reasons. */
export function setsIn(reasons: readonly Reasoned[]): number {
  return reasons.reduce((sum, { sets }) => sum + sets, 0);
}

/** Counts the sets of each reason, the most frequent first. */
function byReason(reasons: readonly (string | null)[]): readonly Reasoned[] {
  const counts = new Map<string, number>();
  for (const reason of reasons) if (reason !== null) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, sets]) => ({ reason, sets })).toSorted((a, b) => b.sets - a.sets);
}

/** Returns the warnings about the best set and about the whole sweep. */
function figureWarnings(
  record: SweepRecord,
  best: number | null,
  neighbours: Neighbourhoods,
  selectionBias: SelectionBias,
): readonly Warning[] {
  if (best === null) return [warning('SWEEP_NO_RESULT', `no set has a ${entryOf(record.by).label}`)];
  const warnings: Warning[] = [];
  const add = (code: WarningCode, text: string) => warnings.push(warning(code, text));
  const bestValue = (name: string) => figureOf(record, name)?.[best] ?? NaN;
  const sharpe = bestValue('sharpe');
  const winRate = bestValue('winRate');
  if (isTooHighSharpe(sharpe)) add('RESULT_SHARPE', `a Sharpe ratio of ${fixed(sharpe, 2)}, that of the best set, is too good to be true`);
  if (isTooManyWins(winRate, bestValue('trades')))
    add('RESULT_WINNERS', `${percent(winRate, 1)} of the trades of the best set won, which is too good to be true`);
  const failedSets = record.failed.filter((reason) => reason !== null).length;
  if (failedSets > 0) add('SWEEP_FAILED', `${counted(failedSets, 'set')} failed`);
  if (figureOf(record, 'totalReturn')?.every((value) => !(value > 0)) === true) add('SWEEP_NO_GAIN', 'no set gained');
  if (selectionBias.deflated !== null && selectionBias.deflated < MIN_DEFLATED_SHARPE) {
    add('SWEEP_CHANCE', `the best Sharpe is above what chance gives with a probability of ${percent(selectionBias.deflated, 0)} only`);
  }
  const edges = edgesOfGrid(record, best);
  if (edges.length > 0) add('SWEEP_EDGE', `the best set lies at the edge of the grid (${edges.join(', ')})`);
  const { label, kind } = entryOf(record.by);
  const neighbourMean = neighbours.mean[best] ?? NaN;
  const rankedValue = bestValue(record.by);
  const isPeak = record.isMoreBetter && rankedValue > 0 && neighbourMean < rankedValue / 2;
  if (isPeak) {
    add('SWEEP_PEAK', `the sets around the best one have a ${label} of ${writeFigure(neighbourMean, kind, record.asset)} on average`);
  }
  if (bestValue('trades') < MIN_SET_TRADES) add('SWEEP_FEW_TRADES', `the best set closed ${counted(bestValue('trades'), 'trade')}`);
  if (bestValue('days') < MIN_SET_DAYS) add('SWEEP_FEW_DAYS', `the figures rest on ${counted(bestValue('days'), 'day')}`);
  return warnings;
}

/** Returns the parameters with which a set lies at the edge of the grid, as text. Two values have no inner one, so they do not count. */
function edgesOfGrid(record: SweepRecord, setIndex: number): readonly string[] {
  return record.axes.flatMap(({ name, values, isOrdered }, axis) => {
    const place = record.places[axis]?.[setIndex] ?? 0;
    const isEdge = place === 0 || place === values.length - 1;
    return isOrdered && values.length > 2 && isEdge ? [`${name} ${values[place]}`] : [];
  });
}
