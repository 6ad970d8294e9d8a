// Implements `isobar replay`: replays the journal and reports whether every decision is the same.

import { replayFolder } from '../../tasks/bot/decisions/replayFolder.ts';
import type { ReplayResult } from '../../tasks/bot/decisions/replayJournal.ts';
import { EXIT } from '../../base/errors.ts';
import { formatTime } from '../../model/time.ts';

/** Options of `isobar replay`. */
interface ReplayArgs {
  readonly journal: string;
  readonly config?: string | undefined;
  readonly json: boolean;
}

/** Runs `isobar replay`. The exit code is 3 when a decision differs. */
export async function replay({ journal, config, json }: ReplayArgs): Promise<void> {
  const result = await replayFolder(journal, { config: config ?? null });
  process.stdout.write(json ? `${JSON.stringify({ equal: result.difference === null, ...result })}\n` : resultText(result));
  if (result.difference !== null) process.exitCode = EXIT.differs;
}

/** Returns the result as text: how much was compared, and the first difference. */
function resultText({ processes, instants, bars, decisions, difference, changes }: ReplayResult): string {
  const starts = `${processes} ${processes === 1 ? 'start' : 'starts'} of the bot`;
  const comparedText = `${decisions} decisions over ${instants} instants and ${bars} bars, ${starts}`;
  if (difference === null) return `${comparedText}: every one is the same\n`;
  const { seq, timeMs, recorded, replayed } = difference;
  const firstLine = `${comparedText} are the same; then record ${seq} of ${formatTime(timeMs)} differs`;
  const changed = changes.map((change) => `  changed   ${change} since the newest start\n`);
  return `${firstLine}\n  recorded  ${recorded}\n  replayed  ${replayed}\n${changed.join('')}`;
}
