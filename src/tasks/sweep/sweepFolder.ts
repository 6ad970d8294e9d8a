// Writes the run folder of a sweep atomically: sweep.json, sets.csv and report.html.

import { createHash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeError } from '../../adapters/disk/fileError.ts';
import { nowMs } from '../../adapters/clock/wallClock.ts';
import { shellWord } from '../../base/text/shellWord.ts';
import { typicalLengthMs } from '../../model/interval.ts';
import { formatTime } from '../../model/time.ts';
import { WarningList, type Warning } from '../../model/warning.ts';
import { instrumentNames } from '../../report/words/names.ts';
import { findingsOf, type Findings } from '../../report/sweep/findings.ts';
import type { FigureColumn, SweepAxis, SweepRecord } from '../../report/sweep/figures/record.ts';
import { writeSweepReport } from '../../report/sweep/report.ts';
import { priceWarnings } from '../../report/warnings/dataWarnings.ts';
import { SET_FIGURES } from '../../report/sweep/figures/setFigures.ts';
import { setsCsv, sweepSummary } from '../../report/sweep/summary.ts';
import type { ParamValue } from '../trials/paramGrid.ts';
import { readLedgers, readRuns } from '../trials/trialLedger.ts';
import type { SetLine } from '../trials/ledgerLine.ts';
import { countTrials } from '../trials/trials.ts';
import { displayPath } from '../../definition/text/paths.ts';
import { paramSettings, paramSpecs, settingOf } from '../trials/paramKeys.ts';
import { moveInto, runTimestamp } from '../../adapters/disk/folders/moveInto.ts';
import { stagingFolder } from '../../adapters/disk/folders/stagingFolder.ts';
import type { SweepRun } from './runSweep.ts';
import type { SweepSetup } from './plan/setUp.ts';
import { versions } from '../../adapters/runtime/version.ts';

/** A sweep with its evaluation. */
export interface FinishedSweep {
  readonly run: SweepRun;
  readonly record: SweepRecord;
  readonly findings: Findings;
  /** SHA-256 of the figures of all sets, in grid order. */
  readonly hash: string;
}

/** Ranks the sets by the figure `rankedBy`, and corrects the best for selection bias. Called when the last set has ended. */
export function finishSweep(run: SweepRun, rankedBy: string): FinishedSweep {
  const record = recordOf(run, rankedBy);
  return { run, record, findings: findingsOf(record), hash: hashOf(record) };
}

/** Returns the sweep in the form of its report. */
function recordOf({ setup, results }: SweepRun, rankedBy: string): SweepRecord {
  const { axes, sets, resolved, header, gridSize, rows } = setup;
  const { plan } = resolved;
  const reportAxes = axes.map(({ name, values }) => axisOf(setup, name, values));
  const setLines = sets.map((_, set) => results.get(set));
  const figureColumn = (name: string): FigureColumn => ({
    name,
    values: Float64Array.from(setLines, (line) => line?.figures?.[name] ?? NaN),
  });
  const ledgers = { sweeps: readLedgers(setup.ledgerFolder), runs: readRuns(setup.ledgerFolder) };
  const trials = countTrials(header, results.values(), ledgers, 'sharpe');
  return {
    name: plan.name,
    strategy: header.strategy,
    markets: marketTexts(setup),
    fromMs: plan.fromMs,
    toMs: plan.toMs,
    asset: plan.feeds[0]?.bars.instrument.quote ?? '',
    isSynthetic: plan.feeds.some(({ quality }) => quality.synthetic),
    bars: rows,
    axes: reportAxes,
    gridSize,
    sets: sets.length,
    places: reportAxes.map(({ name, values }) => {
      const placeOfValue = new Map(values.map((value, place) => [value, place]));
      return Int32Array.from(sets, (set) => placeOfValue.get(set[name] ?? '') ?? 0);
    }),
    refused: setLines.map((line) => line?.refused ?? null),
    failed: setLines.map((line) => line?.failed ?? null),
    figures: SET_FIGURES.map(figureColumn),
    by: rankedBy,
    isMoreBetter: rankedBy !== 'volatility',
    warnings: [...resolved.warnings, ...warningsIn(results.values()), ...plan.feeds.flatMap(({ bars }) => priceWarnings(bars))],
    trials: { family: header.family ?? null, count: trials.count, earlier: trials.earlier, all: trials.all, sharpes: trials.values },
  };
}

/** Returns each instrument with its intervals as text, the shortest interval first, such as `BTCUSDT 1m 1h`. */
function marketTexts({ resolved: { plan } }: SweepSetup): readonly string[] {
  const names = instrumentNames(plan.feeds.map(({ bars }) => bars.instrument.id));
  return [...names].map(([id, name]) => {
    const intervals = plan.feeds.filter(({ bars }) => bars.instrument.id === id).map(({ bars }) => bars.interval);
    const ascendingIntervals = [...new Set(intervals)].toSorted((a, b) => typicalLengthMs(a) - typicalLengthMs(b));
    return `${name} ${ascendingIntervals.join(' ')}`;
  });
}

/** Returns the warnings of all tasks, each once, because threads with the same strategy file report the same warnings. */
function warningsIn(lines: Iterable<SetLine>): readonly Warning[] {
  const distinctWarnings = new WarningList();
  const linesBySet = [...lines].toSorted((a, b) => a.set - b.set);
  for (const { warnings } of linesBySet) warnings?.forEach(distinctWarnings.add);
  return distinctWarnings.all();
}

/** Returns an axis of the report. Numbers are in ascending order, whatever their order in the grid. */
function axisOf({ resolved, strategyEntry }: SweepSetup, name: string, values: readonly ParamValue[]): SweepAxis {
  const { strategies } = resolved.plan;
  const spec = paramSpecs(strategies)[name];
  const isOrdered = spec?.kind === 'int' || spec?.kind === 'float' || spec?.kind === 'decimal';
  return {
    name,
    values: isOrdered ? values.toSorted((a, b) => Number(a) - Number(b)) : values,
    isOrdered,
    unit: spec?.unit ?? '',
    setting: settingOf(strategies, strategyEntry, name),
  };
}

/** Returns the hash of the results of all sets. */
function hashOf({ figures, refused, failed }: SweepRecord): string {
  const hash = createHash('sha256');
  for (const { name, values } of figures) {
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
    hash.update(name).update(bytes);
  }
  const reasons = refused.map((reason, set) => reason ?? failed[set] ?? null);
  return hash.update(JSON.stringify(reasons)).digest('hex');
}

/** Returns the command that runs one set as a backtest; without a set, the command without its parameters. */
export function setCommand({ setup }: SweepRun, record: SweepRecord, set: number | null): string {
  const { definition, settings } = setup.request;
  const paramsOfSet = set === null ? [] : paramSettingsOfSet(record, set);
  const allSettings = [...settings, ...paramSettings(setup.strategyEntry).first, ...paramsOfSet];
  const options = allSettings.map((setting) => `--set ${shellWord(setting)}`);
  return ['isobar backtest', shellWord(definition), ...options].join(' ');
}

/** Returns the parameters of a set as settings, such as `params.fast=20`. */
function paramSettingsOfSet({ axes, places }: SweepRecord, setIndex: number): readonly string[] {
  return axes.map(({ setting, values }, axis) => `${setting}=${values[places[axis]?.[setIndex] ?? 0]}`);
}

/** Returns the command that repeats the sweep. */
function sweepCommand({ request }: SweepSetup, rankedBy: string): string {
  const { definition, settings, grid, random, family } = request;
  return [
    `isobar sweep ${shellWord(definition)}`,
    ...settings.map((setting) => `--set ${shellWord(setting)}`),
    ...grid.map((axis) => `--grid ${shellWord(axis)}`),
    ...(random === null ? [] : [`--random ${random}`]),
    ...(rankedBy === 'sharpe' ? [] : [`--by ${rankedBy}`]),
    ...(family === null ? [] : [`--family ${shellWord(family)}`]),
  ].join(' ');
}

/**
 * Writes the folder to `<out>/<stamp>-sweep-<name>`, and returns its path and the text of sweep.json. Throws ConfigError if it cannot be
 * written.
 */
export async function writeSweepFolder(out: string, sweep: FinishedSweep): Promise<{ readonly folder: string; readonly summary: string }> {
  const { run, record, findings, hash } = sweep;
  const { setup } = run;
  const staging = stagingFolder(out);
  const writtenMs = nowMs();
  const provenance = {
    sweepHash: hash,
    command: sweepCommand(setup, record.by),
    setCommand: setCommand(run, record, null),
    definition: setup.resolved.text,
    parts: setup.identity.parts,
    ledger: displayPath(run.ledgerPath),
    versions: versions(),
    writtenMs,
  };
  const summary = `${JSON.stringify(sweepSummary({ record, findings, provenance }, formatTime(writtenMs)), null, 2)}\n`;
  try {
    mkdirSync(staging, { recursive: true });
    await writeSweepReport({ record, findings, provenance }, join(staging, 'report.html'));
    writeFileSync(join(staging, 'sweep.json'), summary);
    writeFileSync(join(staging, 'sets.csv'), setsCsv(record, findings));
    return { folder: moveInto(out, staging, `${runTimestamp(writtenMs)}-sweep-${record.name}`), summary };
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    throw writeError(out, error);
  }
}
