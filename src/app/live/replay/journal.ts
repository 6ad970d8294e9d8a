// Replays the journal of a live bot: the same bars and answers into a fresh engine, every decision held against the recorded one.

import type { JournalRecord, RecordOf } from '../../../adapters/journal/records.ts';
import { ConfigError } from '../../../base/errors.ts';
import type { LiveBehaviour } from '../config/read.ts';
import { ReplayedProcess, type ReplayDifference, type ReplayOptions } from './process.ts';

export interface ReplayResult {
  /** Starts of the bot. */
  readonly processes: number;
  readonly instants: number;
  readonly bars: number;
  /** Verdicts, orders and cancels that were made again. */
  readonly decisions: number;
  readonly difference: ReplayDifference | null;
}

/** Throws ConfigError for a journal without a start, and for a config or code that is not the one that ran. */
export async function replayJournal(
  records: readonly JournalRecord[],
  behaviour: LiveBehaviour,
  options: ReplayOptions,
): Promise<ReplayResult> {
  const starts = records.flatMap((record, at) => (record.k === 'CONFIG' ? [at] : []));
  if (starts.length === 0) throw new ConfigError('the journal has no start of a bot in it', 'name the journal of a bot that has run');
  const result = { processes: 0, instants: 0, bars: 0, decisions: 0 };
  for (const [at, start] of starts.entries()) {
    const config = records[start] as RecordOf<'CONFIG'>;
    checkSame(config, behaviour);
    const own = records.slice(start + 1, starts[at + 1]);
    const process = await ReplayedProcess.open(behaviour, { ...options, before: records.slice(0, start), config, own });
    const difference = process.run();
    result.processes++;
    result.instants += process.instants;
    result.bars += process.bars;
    result.decisions += process.decisions;
    if (difference !== null) return { ...result, difference };
  }
  return { ...result, difference: null };
}

function checkSame({ hash }: RecordOf<'CONFIG'>, { file, hash: own }: LiveBehaviour): void {
  if (hash === own) return;
  throw new ConfigError(
    `${file}: this is not the config that the bot ran with (${own.slice(0, 12)}, the journal says ${hash.slice(0, 12)})`,
    'name the config as it was then: --config FILE',
  );
}
