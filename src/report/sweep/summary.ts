// Writes the machine-readable files of a sweep: sweep.json, and sets.csv with one row for each set.

import { warningText } from '../../model/warning.ts';
import { quoteCell } from '../summary/csvFile.ts';
import { plainReading } from '../summary/plainReading.ts';
import { setsIn, type Findings } from './findings.ts';
import { setParams, type SweepRecord } from './figures/record.ts';
import type { SweepReportInput } from './input.ts';

/** Maximum number of sets in the list of the best ones. */
const MAX_BEST = 10;

/** Returns the content of sweep.json (docs/sweeps.md). */
export function sweepSummary({ record, findings, provenance }: SweepReportInput, writtenAt: string): object {
  const { selectionBias, neighbours } = findings;
  const setEntry = (setIndex: number) => ({
    set: setIndex,
    params: Object.fromEntries(setParams(record, setIndex).map(({ name, value }) => [name, value])),
    figures: Object.fromEntries(record.figures.map(({ name, values }) => [name, finiteOrNull(values[setIndex])])),
    neighbourMean: finiteOrNull(neighbours.mean[setIndex]),
    neighbours: neighbours.count[setIndex] ?? 0,
  });
  return {
    format: 'isobar sweep 1',
    name: record.name,
    writtenAt,
    sweepHash: provenance.sweepHash,
    strategy: record.strategy,
    markets: record.markets,
    fromMs: record.fromMs,
    toMs: record.toMs,
    asset: record.asset,
    synthetic: record.isSynthetic,
    grid: record.axes.map(({ name, values, unit }) => ({ name, unit, values })),
    sets: {
      grid: record.gridSize,
      run: record.sets,
      ran: findings.ran,
      refused: setsIn(findings.refused),
      failed: setsIn(findings.failed),
    },
    refusals: findings.refused,
    failures: findings.failed,
    by: record.by,
    best: findings.ranking.slice(0, MAX_BEST).map(setEntry),
    plateau: findings.plateau === null ? null : setEntry(findings.plateau),
    trials: { family: selectionBias.family, count: selectionBias.trials, earlier: selectionBias.earlier, all: selectionBias.allTrials },
    selectionBias: {
      sharpeSpread: selectionBias.spread,
      expectedBestSharpe: selectionBias.expectedBest,
      bestSharpe: selectionBias.sharpe,
      deflatedSharpe: selectionBias.deflated,
      reason: selectionBias.reason,
    },
    warnings: findings.warnings,
    doubts: findings.warnings.map(warningText),
    command: provenance.command,
    setCommand: provenance.setCommand,
    ledger: provenance.ledger,
    inputs: provenance.parts,
    versions: provenance.versions,
  };
}

/** Returns a finite value. Null for any other. */
function finiteOrNull(value: number | undefined): number | null {
  return value !== undefined && Number.isFinite(value) ? value : null;
}

/**
 * Returns sets.csv: all sets in grid order with parameters, outcome, figures with all digits, and the neighbourhood mean of the ranking
 * figure.
 */
export function setsCsv(record: SweepRecord, { neighbours }: Findings): string {
  const headings = [
    'set',
    ...record.axes.map(({ name }) => name),
    'refused',
    'failed',
    ...record.figures.map(({ name }) => name),
    'neighbourMean',
  ];
  const lines = [headings.map(quoteCell).join(',')];
  for (let set = 0; set < record.sets; set++) {
    const params = setParams(record, set).map(({ value }) => quoteCell(String(value)));
    const values = [...record.figures.map((figure) => figure.values[set]), neighbours.mean[set]];
    const figures = values.map((value) => plainReading(value ?? NaN));
    const outcome = [record.refused[set] ?? '', record.failed[set] ?? ''].map(quoteCell);
    lines.push([String(set), ...params, ...outcome, ...figures].join(','));
  }
  return `${lines.join('\n')}\n`;
}
