// What the journal of a live bot has of its beginning: config and code by which a replay knows that it runs the same, and the first bars.

import type { FileJournal } from '../../../adapters/journal/fileJournal.ts';
import type { Engine } from '../../../engine/engine.ts';
import type { BarColumns } from '../../../model/bars.ts';
import type { RunPlan } from '../../bot/plan.ts';
import { packageVersion } from '../../version.ts';
import type { LiveConfig } from '../config/read.ts';
import { capitalFacts } from './botJournal.ts';

export function writeBeginning(journal: FileJournal, config: LiveConfig, plan: RunPlan, engine: Engine): void {
  journal.config({
    hash: config.hash,
    version: packageVersion(),
    limits: { ...capitalFacts(config), ...riskFacts(plan), ...codeFacts(plan), fromMs: plan.fromMs },
    leaseMs: 0,
    timeScale: config.timeScale,
  });
  writeWarmup(journal, engine);
}

/** By which a replay knows that it runs the same code. */
function codeFacts({ strategies, seed }: RunPlan): Readonly<Record<string, string | number>> {
  return { ...Object.fromEntries(strategies.map(({ hash }, at) => [`strategy.${at}`, hash])), seed };
}

/** Rows of a record: a line of some 50 KB. */
const ROWS_OF_A_RECORD = 500;

/** The bars with which strategies begin, for a replay: instants at or before the start of the run. */
function writeWarmup(journal: FileJournal, engine: Engine): void {
  engine.feeds.forEach(({ bars }, feed) => {
    for (let from = 0; from < bars.length; from += ROWS_OF_A_RECORD) {
      const rows = Array.from({ length: Math.min(ROWS_OF_A_RECORD, bars.length - from) }, (_, at) => factOf(bars, feed, from + at));
      journal.instant({ atMs: engine.parts.fromMs, rows: engine.feeds.map((each) => each.bars.length), bars: rows });
    }
  });
}

function factOf({ openMs, open, high, low, close, volume }: BarColumns, feed: number, row: number): number[] {
  return [feed, openMs[row]!, open[row]!, high[row]!, low[row]!, close[row]!, volume[row]!];
}

function riskFacts({ risk }: RunPlan): Readonly<Record<string, string | number>> {
  return Object.fromEntries(Object.entries(risk).flatMap(([name, value]) => (value === undefined ? [] : [[`risk.${name}`, value]])));
}
