// Reads the user's file for a simulation, which is a run definition or the config of a bot.

import { ConfigError } from '../../base/errors.ts';
import { parseDefinition, parseSource } from '../../definition/text/parse.ts';
import { readDefinition, whereIs, type DefinitionSource } from '../../definition/text/source.ts';
import { LIVE_FILE } from '../../tasks/bot/config/liveConfig.ts';
import { DEFINITION_KEYS } from '../../tasks/bot/config/liveSchema.ts';

/** Keys of a file with their values. */
type Keys = Readonly<Record<string, unknown>>;

/** The content of a user's file. */
export interface UsersFile {
  /** The run definition in the file, with its dates. */
  readonly source: DefinitionSource;
  /** The keys for the config of the simulated bot, without exchange, data folder and catalog. */
  readonly botKeys: Keys;
  /** True for the config of a bot. */
  readonly isBot: boolean;
}

/** Keys of a bot config that a simulated day does not use. */
const UNUSED_BOT_KEYS: ReadonlySet<string> = new Set([
  'exchange',
  'data',
  'mode',
  'catalog',
  'dashboard',
  'alerts',
  'webhooks',
  'timeScale',
]);
/** Audit periods of a bot that is made from a run definition. Longer periods than the defaults make a simulated day faster. */
const AUDIT = { fastMs: 20_000, balanceMs: 60_000, fullMs: 900_000 } as const;
/** Values of `inside` that only a run definition can have. */
const RUN_ONLY_VALUES: ReadonlySet<unknown> = new Set(['finest', 'trades']);

/** Returns the content of a user's file. Throws ConfigError for an invalid file, and for external series, which cannot be simulated. */
export function readUsersFile(file: string): UsersFile {
  const source = readDefinition(file);
  const fileKeys = isMap(source.data) ? source.data : {};
  // Only the config of a bot names an exchange.
  const isBot = fileKeys['exchange'] !== undefined;
  if (isBot) parseSource(LIVE_FILE, source);
  else parseDefinition(source);
  if (fileKeys['series'] !== undefined)
    throw new ConfigError(
      `${whereIs(source, ['series'])}: external series cannot be simulated, because the times of their values are unknown`,
      'remove series from a copy of the file and of its strategy',
    );
  const presentKeys = (keys: readonly string[]): readonly string[] => keys.filter((key) => fileKeys[key] !== undefined);
  const definition = Object.fromEntries(presentKeys(DEFINITION_KEYS).map((key) => [key, botValue(key, fileKeys[key])]));
  const dates = Object.fromEntries(presentKeys(['from', 'to']).map((key) => [key, fileKeys[key]]));
  const { catalog: _catalog, ...keysOfDefinition } = definition;
  const keysOfConfig = Object.fromEntries(Object.entries(fileKeys).filter(([key]) => !UNUSED_BOT_KEYS.has(key)));
  const botKeys = isBot ? keysOfConfig : { ...keysOfDefinition, audit: AUDIT };
  return { source: { ...source, data: { ...definition, ...dates } }, botKeys, isBot };
}

/** Returns the value of a key for a bot. Leaves out what the exchange decides: how orders fill, models of the venue, and times of listing. */
function botValue(key: string, value: unknown): unknown {
  if (!isMap(value)) return value;
  if (key === 'fills') {
    const { collar } = value;
    const executionInterval = value['inside'];
    const isForBot = executionInterval !== undefined && !RUN_ONLY_VALUES.has(executionInterval);
    return { ...(collar === undefined ? {} : { collar }), ...(isForBot ? { ['inside']: executionInterval } : {}) };
  }
  if (key === 'models') return value['risk'] === undefined ? {} : { risk: value['risk'] };
  if (key !== 'feeds') return value;
  const removeListed = (feed: unknown): unknown =>
    isMap(feed) ? Object.fromEntries(Object.entries(feed).filter(([name]) => name !== 'listed')) : feed;
  return Object.fromEntries(Object.entries(value).map(([name, feed]) => [name, removeListed(feed)]));
}

/** True for a value that has keys of its own. */
const isMap = (value: unknown): value is Keys => typeof value === 'object' && value !== null && !Array.isArray(value);
