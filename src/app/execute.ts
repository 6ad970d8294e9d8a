// One backtest in this thread, from a definition to the record that it leaves, with a word to the watcher at each step.

import type { RunRecord } from '../model/run.ts';
import { resolveRun, type ResolvedRun, type ResolveOptions } from './definition/resolve.ts';
import type { DefinitionSource } from './definition/source.ts';
import { loadEntry } from './definition/strategies.ts';
import { prepareBacktest, recordOf } from './runBacktest.ts';
import { RunLog } from './runLog.ts';
import type { Phase } from './worker/heartbeat.ts';

/** Who watches a run. */
export interface Watcher {
  /** The run begins a phase. */
  enter(phase: Phase): void;
  /** Everything is loaded; the bars come next. */
  loaded(resolved: ResolvedRun): void;
  /** Cells that the engine writes once a block. */
  readonly beat: Int32Array | null;
}

export const NOBODY: Watcher = { enter: () => {}, loaded: () => {}, beat: null };

export interface ExecutedRun {
  readonly resolved: ResolvedRun;
  readonly record: RunRecord;
  readonly log: RunLog;
}

/** Throws ConfigError and StrategyError as `resolveRun` and the engine do. */
export async function execute(source: DefinitionSource, options: ResolveOptions, watcher: Watcher): Promise<ExecutedRun> {
  watcher.enter('load');
  const load = options.load ?? ((entry, from) => loadEntry(entry, from, () => watcher.enter('import')));
  const resolved = await resolveRun(source, { ...options, load });
  watcher.loaded(resolved);
  const log = new RunLog();
  const { plan } = resolved;
  log.event('run begins', {
    name: plan.name,
    definition: resolved.hash,
    bars: plan.feeds.reduce((sum, feed) => sum + feed.bars.length, 0),
  });
  for (const note of resolved.notes) log.event(note);
  watcher.enter('setUp');
  const prepared = await prepareBacktest(plan, { beat: watcher.beat, log: log.line });
  watcher.enter('bars');
  prepared.loop(prepared.engine);
  watcher.enter('metrics');
  const record = recordOf(plan, prepared, true);
  log.event('bars are done', { orders: record.orders.length, fills: record.fills.length });
  return { resolved, record, log };
}
