// `backtest(options)` of `isobar/run`: one backtest from code, in this thread, with the results as columns.

import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { nowMs } from '../adapters/clock/wallClock.ts';
import { ConfigError } from '../base/errors.ts';
import type { EquityColumns, FillColumns, OrderColumns, RunRecord } from '../model/run.ts';
import type { Metrics } from '../report/metrics/metrics.ts';
import { buildSummary, type Summary } from '../report/folder/summary.ts';
import type { StrategyClass } from '../strategy/strategy.ts';
import { manifestOf, versions, writeRunFolder } from './artefacts.ts';
import { openRequest, type RequestedRun } from './definition/request.ts';
import type { Definition } from './definition/schema.ts';
import { optionSource } from './definition/source.ts';
import { loadEntry, planOf } from './definition/strategies.ts';
import { execute, NOBODY } from './execute.ts';

/** A definition file, with the changes that `--set` would make. */
export interface FileOptions {
  readonly definition: string;
  readonly set?: readonly string[];
}

/** The keys of a run definition (docs/backtest.md), with a class in place of a path where one is at hand. */
export interface CodeOptions extends Omit<Definition, 'strategy' | 'feeds' | 'cash'> {
  readonly strategy: StrategyClass | Definition['strategy'];
  readonly feeds?: Definition['feeds'];
  /** A file of bars in place of `feeds`: it becomes the feed `bars`. */
  readonly data?: string;
  /** Starting balances; with `data` an amount of the quote asset will do. */
  readonly cash: Definition['cash'] | string;
}

export type BacktestOptions = FileOptions | CodeOptions;

export interface BacktestResult {
  readonly resultHash: string;
  readonly summary: Summary;
  readonly metrics: Metrics;
  readonly orders: OrderColumns;
  readonly fills: FillColumns;
  readonly equity: EquityColumns;
  /** Everything that the run left, feeds and indicators among it. */
  readonly record: RunRecord;
  /** Writes the run folder, report included, under `out`; returns its path. */
  write(out: string): Promise<string>;
}

/** Throws ConfigError for options that cannot be used, StrategyError for a strategy that misbehaves. */
export async function backtest(options: BacktestOptions): Promise<BacktestResult> {
  const requested = await open(options);
  try {
    const given = 'strategy' in options && typeof options.strategy === 'function' ? options.strategy : null;
    const load: typeof loadEntry = async (entry, source) => {
      if (given === null) return loadEntry(entry, source);
      return { plan: planOf(entry, { strategy: given, name: nameOf(given), hash: hashOf(given) }, source), inputs: [] };
    };
    const executed = await execute(requested.source, { catalogFolder: requested.catalogFolder, load }, NOBODY);
    const { record } = executed;
    const summary = buildSummary(record, { versions: versions() });
    const { resultHash, metrics } = summary;
    const { orders, fills, equity } = record;
    const write = (out: string) =>
      writeRunFolder(out, join(out, `.unfinished-${process.pid}-${nowMs()}`), {
        executed,
        summary,
        manifest: manifestOf(executed, summary),
        recipe: requested.recipe,
      });
    return { resultHash, summary, metrics, orders, fills, equity, record, write };
  } finally {
    requested.cleanUp();
  }
}

async function open(options: BacktestOptions): Promise<RequestedRun> {
  if ('definition' in options) return openRequest({ kind: 'file', file: options.definition, settings: options.set ?? [] });
  const { data, cash, strategy, ...rest } = options;
  const values = { ...rest, strategy: typeof strategy === 'function' ? nameOf(strategy) : strategy };
  if (data === undefined) {
    return { source: optionSource('.', { ...values, cash }, {}), catalogFolder: undefined, recipe: null, cleanUp: () => {} };
  }
  if (typeof cash !== 'string')
    throw new ConfigError('cash: expected an amount of the quote asset beside data, such as "10000"', 'or give feeds and a catalog');
  const opened = await openRequest({ kind: 'data', strategy: '', data, cash, settings: [] });
  const imported = typeof opened.source.data === 'object' ? opened.source.data : {};
  return { ...opened, source: optionSource('.', { ...imported, ...values }, {}) };
}

function nameOf(strategy: StrategyClass): string {
  return strategy.name === '' ? 'strategy' : strategy.name;
}

/** Of the class's own text: what a class at hand shows of its code. */
function hashOf(strategy: StrategyClass): string {
  return createHash('sha256').update(String(strategy)).digest('hex');
}
