// Which data folder a command means: the one that it names, or that of the config that it names.

import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { ConfigError } from '../../base/errors.ts';

/** Where a config says nothing, beside it; without a config, here. */
export const DEFAULT_DATA = 'bot';

/**
 * The folder exists. A config is looked at for its `data` alone: a kill must not fail because of another line of it. Throws ConfigError.
 */
export function dataFolderOf({ data, config }: { readonly data?: string | undefined; readonly config?: string | undefined }): string {
  if (data !== undefined && config !== undefined)
    throw new ConfigError('expected --data or --config, got both', 'one of them names the folder');
  const folder = config === undefined ? resolve(data ?? DEFAULT_DATA) : resolve(dirname(config), dataIn(config));
  if (existsSync(folder)) return folder;
  const said = data ?? config ?? DEFAULT_DATA;
  throw new ConfigError(`${said}: no bot has a data folder there`, 'name it: --data DIR, or --config FILE of the bot');
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
