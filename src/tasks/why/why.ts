// Explains a bar or an order of a finished run or of a live bot.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import type { Explanation, Question } from './model/explanation.ts';
import { explainRun, type ExplainRunOptions } from './run/explainRun.ts';

/** What to explain, and where it is. */
export interface WhyTask {
  /** A run folder, or the folder of a bot. */
  readonly folder: string;
  readonly question: Question;
  /** For a run: the folder to which its paths are relative. Null for the recorded folder. */
  readonly startedIn: string | null;
  /** For a bot: the config with which it ran. Null for the config with which it was started. */
  readonly config: string | null;
}

/** Returns the explanation. Throws ConfigError for a folder of neither a run nor a bot, and for an unknown bar or order. */
export async function explain(
  { folder, question, startedIn, config }: WhyTask,
  options: Omit<ExplainRunOptions, 'startedIn'>,
): Promise<Explanation> {
  if (!isBotFolder(folder)) {
    if (config !== null) throw new ConfigError('--config: expected only with the folder of a bot, got a run folder', 'remove --config');
    return explainRun(folder, question, { ...options, startedIn });
  }
  if (startedIn !== null) throw new ConfigError('--in: expected only with a run folder, got the folder of a bot', 'remove --in');
  const { explainBot } = await import('./bot/explainBot.ts');
  return explainBot(folder, question, { config, ...options });
}

/** True for the folder of a bot, which has a journal and no manifest of a run. */
function isBotFolder(folder: string): boolean {
  return !existsSync(join(folder, 'manifest.json')) && existsSync(join(folder, 'journal'));
}
