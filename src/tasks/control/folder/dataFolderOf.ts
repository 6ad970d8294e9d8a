// Finds the data folder for a command, by the folder or the config that it names.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { ConfigError } from '../../../base/errors.ts';
import type { Environment } from '../../../access/environment.ts';
import { stateFolderOf } from '../../../access/settings.ts';
import { hasBotFile } from './botFile.ts';
import { runningBots } from './runningBots.ts';

/** Default of `data`, relative to the config, or to the current folder without one. */
export const DEFAULT_DATA = 'bot';

/**
 * Returns the existing data folder of a command. Without --data and --config it is ./bot if a bot has run there, else the folder of the
 * user's only running bot. Only the key `data` of a config is read, so that another invalid line cannot make a kill fail. Throws ConfigError
 * if there is no such folder.
 */
export function dataFolderOf(
  { data, config }: { readonly data?: string | undefined; readonly config?: string | undefined },
  environment: Environment = process.env,
): string {
  if (data !== undefined && config !== undefined) throw new ConfigError('expected --data or --config, got both', 'remove one of them');
  if (data === undefined && config === undefined && !hasBotFile(resolve(DEFAULT_DATA))) {
    const folders = runningBots(stateFolderOf(environment));
    const [onlyFolder] = folders;
    if (folders.length > 1)
      throw new ConfigError(`expected one running bot, got ${folders.length}: ${folders.join(', ')}`, 'name its data folder: --data DIR');
    if (onlyFolder !== undefined) return onlyFolder;
  }
  const folder = config === undefined ? resolve(data ?? DEFAULT_DATA) : resolve(dirname(config), dataIn(config));
  if (existsSync(folder)) return folder;
  const name = data ?? config ?? DEFAULT_DATA;
  throw new ConfigError(
    `${name}: expected the data folder of a bot, got none`,
    'name it with --data DIR, or with --config FILE of the bot',
  );
}

/** Returns the data folder in a config. Throws ConfigError if the file or the key cannot be read. */
function dataIn(config: string): string {
  let parsed: unknown;
  try {
    parsed = parse(readFileSync(config, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : '';
    throw new ConfigError(`${config}: cannot be read: ${reason}`, 'name the data folder itself: --data DIR');
  }
  const data: unknown = typeof parsed === 'object' && parsed !== null && 'data' in parsed ? parsed.data : DEFAULT_DATA;
  if (typeof data === 'string' && data !== '') return data;
  throw new ConfigError(`${config} data: expected the name of a folder`, 'name the data folder itself: --data DIR');
}
