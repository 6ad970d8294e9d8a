// Says why a bar or an order of a finished run, or of a live bot, came out as it did.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../../base/errors.ts';
import type { Explanation, Question } from './model/explanation.ts';
import { explainRun, type ExplainRunOptions } from './run/explainRun.ts';

export interface WhyTask {
  /** A run folder, or the folder of a bot. */
  readonly folder: string;
  readonly question: Question;
  /** For a run: replaces the folder to which its paths are relative. */
  readonly startedIn: string | null;
  /** For a bot: the config that it ran with; null: the one with which it was started. */
  readonly config: string | null;
}

/** Throws ConfigError for a folder that is neither, and for a bar or an order that it does not have. */
export async function explain(
  { folder, question, startedIn, config }: WhyTask,
  options: Omit<ExplainRunOptions, 'startedIn'>,
): Promise<Explanation> {
  if (!isBotFolder(folder)) {
    if (config !== null)
      throw new ConfigError('--config: a run has its definition in its folder', 'leave --config out: it is for the folder of a bot');
    return explainRun(folder, question, { ...options, startedIn });
  }
  if (startedIn !== null) throw new ConfigError('--in: a bot has its files in its config', 'leave --in out: it is for a run folder');
  const { explainBot } = await import('./bot/explainBot.ts');
  return explainBot(folder, question, { config, ...options });
}

function isBotFolder(folder: string): boolean {
  return !existsSync(join(folder, 'manifest.json')) && existsSync(join(folder, 'journal'));
}
