// Writes the start of a live bot to the journal: config, code hashes and first bars. Later starts compare them.

import { appendAll } from '../../../base/memory/appendAll.ts';
import type { FileJournal } from '../../../adapters/journal/fileJournal.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { isTradeBars } from '../../../model/tradeBars.ts';
import type { RunPlan } from '../../../definition/plan/plan.ts';
import { packageVersion } from '../../../adapters/runtime/version.ts';
import type { LiveConfig } from '../config/liveConfig.ts';
import type { RecordFacts } from '../../../adapters/journal/records/fields.ts';
import { feedNames } from '../config/wantedFeeds.ts';
import { ACCEPTED, LIFETIME_FACT, type Lifetime } from './lifetime.ts';
import { capitalFacts } from '../journal/botJournal.ts';
import { placeFacts, shareChanges } from '../safety/strategyPlaces.ts';

/** How a start relates to its lifetime. */
export interface LifetimeStart {
  /** Number of the lifetime, from 1. */
  readonly lifetime: number;
  /** True when the lifetime begins with this start and these bars. */
  readonly isFirst: boolean;
  /** True when the operator has accepted changes of code or config. */
  readonly isAccepted: boolean;
}

/** Journals the start and, with `isFirst`, the warm-up bars. */
export function writeStartRecords(
  journal: FileJournal,
  config: LiveConfig,
  { plan, engine, fromMs }: { readonly plan: RunPlan; readonly engine: Engine; readonly fromMs: number },
  { lifetime, isFirst, isAccepted }: LifetimeStart,
): void {
  const limits = { ...capitalFacts(config), ...riskFacts(plan), ...codeFacts(plan), ...placeFacts(plan), ...feedFacts(config), fromMs };
  journal.config({
    hash: config.hash,
    version: packageVersion(),
    limits: { ...limits, [LIFETIME_FACT]: lifetime, ...(isAccepted ? { [ACCEPTED]: true } : {}) },
    leaseMs: 0,
    timeScale: config.timeScale,
  });
  if (isFirst) writeWarmup(journal, engine);
}

/** Returns the facts that identify code and parameters. */
function codeFacts(plan: RunPlan): RecordFacts {
  const { strategies, seed } = plan;
  const facts = strategies.flatMap(({ hash, params }, index): [string, string][] => [
    [`strategy.${index}`, hash],
    [`params.${index}`, JSON.stringify(params)],
  ]);
  const modules = modulesOf(plan).map(({ hash }, index) => [`module.${index}`, hash] as const);
  return { ...Object.fromEntries(facts), ...Object.fromEntries(modules), seed };
}

/** Returns the modules of a plan, with the hashes of their code. */
const modulesOf = ({ models }: Pick<RunPlan, 'models'>) => (models?.records ?? []).filter(({ use }) => use === 'module');

/** Returns the feeds as facts. */
const feedFacts = (config: LiveConfig): RecordFacts => Object.fromEntries(feedNames(config).map((name, index) => [`feed.${index}`, name]));

/** Returns why the lifetime cannot continue with the feeds of the config: they differ. Null if it can. Bars of other feeds cannot be joined to its own. */
export function feedsThatEnd({ newest }: Lifetime, config: LiveConfig): string | null {
  const feeds = feedNames(config).join('; ');
  const earlierFeeds = factsOf(newest, 'feed.').join('; ');
  return earlierFeeds === feeds ? null : `expected the feeds of earlier starts (${earlierFeeds}), got ${feeds}`;
}

/** Returns why the lifetime cannot continue with the strategies of the plan: their number differs. Null if it can. */
export function strategiesThatEnd({ newest }: Lifetime, { strategies }: RunPlan): string | null {
  const earlierCount = factsOf(newest, 'strategy.').length;
  return earlierCount === strategies.length ? null : `expected ${earlierCount} strategies as before, got ${strategies.length}`;
}

/** Returns the facts of a start whose names begin with `prefix`, in their order. */
const factsOf = ({ limits }: Lifetime['newest'], prefix: string): readonly string[] =>
  Object.entries(limits).flatMap(([key, value]) => (key.startsWith(prefix) ? [String(value)] : []));

/** Returns the changes since the newest start of the lifetime, as sentences. */
export function changesSince({ newest }: Lifetime, plan: RunPlan): readonly string[] {
  const { strategies, seed } = plan;
  const { limits, version } = newest;
  const modules = modulesOf(plan);
  const changes: string[] = [];
  if (version !== packageVersion()) changes.push(`isobar is version ${packageVersion()}, and was ${version}`);
  if (limits['seed'] !== seed) changes.push(`the seed is ${seed}, and was ${String(limits['seed'])}`);
  for (const [index, { record, hash, params }] of strategies.entries()) {
    if (limits[`strategy.${index}`] !== hash) changes.push(`the code of ${record.name} has changed`);
    const paramsText = JSON.stringify(params);
    const earlierParams = limits[`params.${index}`];
    if (earlierParams !== paramsText) changes.push(`the parameters of ${record.name} are ${paramsText}, and were ${String(earlierParams)}`);
  }
  appendAll(changes, shareChanges(newest, plan));
  for (const [index, { file, hash }] of modules.entries())
    if (limits[`module.${index}`] !== hash) changes.push(`the code of the module ${file} has changed`);
  const earlierModules = Object.keys(limits).filter((key) => key.startsWith('module.')).length;
  if (earlierModules > modules.length) changes.push(`the bot has ${modules.length} modules, and had ${earlierModules}`);
  return changes;
}

/** Maximum number of rows in a record: about 50 KB a line. */
const MAX_RECORD_ROWS = 500;

/** Journals the warm-up bars for a replay, as instants at the start of the run. */
function writeWarmup(journal: FileJournal, engine: Engine): void {
  engine.feeds.forEach(({ bars }, feed) => {
    for (let fromRow = 0; fromRow < bars.length; fromRow += MAX_RECORD_ROWS) {
      const rowCount = Math.min(MAX_RECORD_ROWS, bars.length - fromRow);
      const facts = Array.from({ length: rowCount }, (_, index) => factOf(bars, feed, fromRow + index));
      journal.instant({ atMs: engine.deps.fromMs, decided: false, rows: engine.feeds.map((other) => other.bars.length), bars: facts });
    }
  });
}

/** Returns a bar in the form of the journal. */
function factOf({ interval, openMs, closeMs, open, high, low, close, volume }: BarColumns, feedIndex: number, row: number): number[] {
  const fact = [feedIndex, openMs[row]!, open[row]!, high[row]!, low[row]!, close[row]!, volume[row]!];
  return isTradeBars(interval) ? [...fact, closeMs[row]!] : fact;
}

/** Returns the risk limits as facts. */
function riskFacts({ risk }: RunPlan): Readonly<Record<string, string | number>> {
  return Object.fromEntries(Object.entries(risk).flatMap(([name, value]) => (value === undefined ? [] : [[`risk.${name}`, value]])));
}
