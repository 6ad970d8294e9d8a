// `backtest(options)` of `isobar/run`: one backtest from code, in this thread. The command runs the same in a worker.

import { dirname, resolve } from 'node:path';
import { waitForNextTurn } from '../../../adapters/clock/wallClock.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { RunRecord } from '../../../model/run/run.ts';
import {
  readEquity,
  readFills,
  readOrders,
  readTrades,
  type Equity,
  type Fills,
  type Orders,
  type Trades,
} from '../../../report/summary/readings.ts';
import { withProof, type Summary } from '../../../report/summary/summary.ts';
import type { Metrics } from '../../../report/metrics/metrics.ts';
import { closingTable } from '../../../report/terminal/closingTable.ts';
import { writeRunFolder, writeRunReport } from '../folder/writeRunFolder.ts';
import { backtestRequest, type BacktestOptions } from './backtestRequest.ts';
import type { RunProof } from '../../../model/run/proof.ts';
import { openRequest, type RequestedRun } from '../../../definition/request.ts';
import { ledgerFolderOf, proofKeyOf } from '../../trials/identityParts.ts';
import { verdictFor } from '../../trials/verdicts.ts';
import { verdictWithoutSample } from '../proof/sampleRun.ts';
import { loadEntry, strategyPlanOf } from '../../../definition/load/strategies.ts';
import { runBacktestRequest, type FinishedRun } from '../run/executeDefinition.ts';
import { checkOutFolder } from '../../../adapters/disk/folders/checkOutFolder.ts';
import { stagingFolder } from '../../../adapters/disk/folders/stagingFolder.ts';

/**
 * Runs a strategy over bars in the calling thread and returns its results. The same options give the same `resultHash` as the command and
 * as a definition file.
 *
 * Throws ConfigError for invalid options (its `remedy` says what to do) and StrategyError for a strategy that misbehaves (the `cause` is
 * its own error). A strategy that never returns is not stopped here; the command stops it.
 */
export async function backtest(options: BacktestOptions): Promise<BacktestResult> {
  const { request, loadedStrategy: given, modules } = backtestRequest(options);
  const requested = await openRequest(request);
  const load: typeof loadEntry = async (entry, source, importer) =>
    given === null ? loadEntry(entry, source, importer) : { plan: strategyPlanOf(entry, given, source), inputs: given.inputs, folder: '.' };
  const run = await runBacktestRequest(requested, { load, modules, importer: importFresh });
  // Lets the engine of this run be collected: a series of runs would keep every engine.
  // hot: docs/performance.md#turn-after-run
  await waitForNextTurn();
  return new BacktestResult({ ...run, summary: withProof(run.summary, proofOf(run, requested)) });
}

/** Returns the verdict of `isobar prove` if there is one. A sample needs a process of its own, in which built-ins may be replaced permanently. */
function proofOf({ resolved, origin }: FinishedRun, requested: RequestedRun): RunProof {
  const key = proofKeyOf(resolved);
  const earlierVerdict = origin.inCode.length > 0 ? null : verdictFor(ledgerFolderOf(requested), key);
  if (earlierVerdict !== null) return earlierVerdict;
  const isClass = resolved.plan.strategies.some(({ url }) => url == null);
  const reason = isClass
    ? 'the strategy is a class in code: isobar prove needs its file'
    : 'a run from code shares its process: isobar prove or isobar backtest of the same definition says more';
  const { verdict, ...rest } = verdictWithoutSample(reason);
  return { verdict, from: 'sample', ...rest, ...key, madeAt: null };
}

const imported = new Map<string, number>();

/** Imports a strategy file again for each run, so that a run never sees module variables or statics of an earlier run. */
function importFresh(url: string): Promise<unknown> {
  const times = imported.get(url) ?? 0;
  imported.set(url, times + 1);
  return import(/* @vite-ignore */ times === 0 ? url : `${url}?run=${times}`);
}

/** The results of a backtest. Columns are built when they are first read. */
class BacktestResult {
  /** Two runs with the same hash had the same orders, fills and equity (docs/run-folder.md). Lower-case hex. */
  readonly resultHash: string;
  /** summary.json as an object: the run, figures of trades and orders, quality of the data. */
  readonly summary: Summary;
  /** The figures of equity (docs/metrics.md). An undefined figure is null, and `metrics.reasons` says why. */
  readonly metrics: Metrics;
  /** Notes on the set-up of the run, such as bars that begin after its start. */
  readonly notes: readonly string[];
  /** The record of the run in whole ticks, lots and units, with feeds and indicators. */
  readonly record: RunRecord;
  readonly #run: FinishedRun;
  #orders: Orders | null = null;
  #fills: Fills | null = null;
  #trades: Trades | null = null;
  #equity: Equity | null = null;

  constructor(run: FinishedRun) {
    this.#run = run;
    this.record = run.record;
    this.summary = run.summary;
    this.resultHash = run.summary.resultHash;
    this.metrics = run.summary.metrics;
    this.notes = run.resolved.notes;
  }

  /** The rows of orders.csv as columns. */
  get orders(): Orders {
    return (this.#orders ??= readOrders(this.record));
  }
  /** The rows of fills.csv as columns. */
  get fills(): Fills {
    return (this.#fills ??= readFills(this.record));
  }
  /** The rows of trades.csv as columns. */
  get trades(): Trades {
    return (this.#trades ??= readTrades(this.record));
  }
  /** The rows of equity.arrow as columns. */
  get equity(): Equity {
    return (this.#equity ??= readEquity(this.record));
  }

  /** Writes the report, one HTML file that works offline, to `path`, and returns the path. Throws ConfigError if it cannot be written. */
  readonly report = async (path: string): Promise<string> => {
    checkPath('report', path);
    checkOutFolder('report', dirname(resolve(path)));
    await writeRunReport(path, this.#run);
    return path;
  };

  /**
   * Writes the run folder (docs/run-folder.md), report included, under `out`, and returns its path. Throws ConfigError if it cannot be
   * written.
   */
  readonly write = async (out: string): Promise<string> => {
    checkPath('write', out);
    checkOutFolder('write', out);
    return writeRunFolder(out, stagingFolder(out), this.#run);
  };

  /** Returns the table that the command prints. `console.log` of a result shows it too. */
  toString(): string {
    return closingTable(this.record, this.summary, { colour: false });
  }
  /** Returns the summary for `JSON.stringify`: the columns may have millions of rows. */
  toJSON(): Summary {
    return this.summary;
  }
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** Throws ConfigError unless `path` is a text with content. `called`: name of the method of the result. */
function checkPath(called: string, path: unknown): void {
  if (typeof path === 'string' && path !== '') return;
  const pathText = path === undefined ? 'nothing' : `a ${typeof path}`;
  const actual = path === '' ? 'an empty text' : pathText;
  throw new ConfigError(
    `${called}: expected a path, got ${actual}`,
    called === 'report' ? "write: result.report('report.html')" : "write: result.write('runs')",
  );
}

export type { BacktestResult, Equity, Fills, Metrics, Orders, Summary, Trades };
