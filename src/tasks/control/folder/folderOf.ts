// Finds the data folder for a command: the one that it names, or that of the config that it names.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { ConfigError } from '../../../base/errors.ts';
import type { Environment } from '../../../access/environment.ts';
import { stateFolderOf } from '../../../access/settings.ts';
import { hasBotFile } from './botFile.ts';
import { runningBots } from './runningBots.ts';

/** Default of `data`, relative to the config; without a config, to the current folder. */
export const DEFAULT_DATA = 'bot';

/**
 * Returns the existing data folder of a command. Without --data and --config it is ./bot if a bot has run there, else that of the user's
 * only running bot. Only the key `data` of a config is read: another invalid line must not make a kill fail. Throws ConfigError.
 */
export function dataFolderOf(
  { data, config }: { readonly data?: string | undefined; readonly config?: string | undefined },
  environment: Environment = process.env,
): string {
  if (data !== undefined && config !== undefined)
    throw new ConfigError('expected --data or --config, got both', 'one of them names the folder');
  if (data === undefined && config === undefined && !hasBotFile(resolve(DEFAULT_DATA))) {
    const [only, ...others] = runningBots(stateFolderOf(environment));
    if (only !== undefined && others.length === 0) return only;
    if (only !== undefined)
      throw new ConfigError(
        `expected one running bot, got ${1 + others.length}: ${[only, ...others].join(', ')}`,
        'name its data folder: --data DIR',
      );
  }
  const folder = config === undefined ? resolve(data ?? DEFAULT_DATA) : resolve(dirname(config), dataIn(config));
  if (existsSync(folder)) return folder;
  const text = data ?? config ?? DEFAULT_DATA;
  throw new ConfigError(`${text}: no bot has a data folder there`, 'name it: --data DIR, or --config FILE of the bot');
}

function dataIn(config: string): string {
  let found: unknown;
  try {
    found = parse(readFileSync(config, 'utf8'));
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : '';
    throw new ConfigError(`${config}: cannot be read: ${why}`, 'name the data folder itself: --data DIR');
  }
  const data: unknown = typeof found === 'object' && found !== null && 'data' in found ? found.data : DEFAULT_DATA;
  if (typeof data === 'string' && data !== '') return data;
  throw new ConfigError(`${config} data: expected the name of a folder`, 'name the data folder itself: --data DIR');
}
