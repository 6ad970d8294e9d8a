// Reads the user's file for a simulation: a run definition, or the config of a bot. Exchange and keys of a config are not used.

import { ConfigError } from '../../base/errors.ts';
import { parseDefinition, parseSource } from '../../definition/text/parse.ts';
import { readDefinition, whereIs, type DefinitionSource } from '../../definition/text/source.ts';
import { LIVE_FILE } from '../../tasks/bot/config/read.ts';
import { DEFINITION_KEYS } from '../../tasks/bot/config/schema.ts';

type Keys = Readonly<Record<string, unknown>>;

export interface UsersFile {
  /** The run definition of the file, with its times. */
  readonly source: DefinitionSource;
  /** Keys of a bot config, without exchange, data folder and catalog. */
  readonly botKeys: Keys;
  readonly isBot: boolean;
}

/** Keys of a bot config that a simulated day does not use. */
const LEFT_OUT: ReadonlySet<string> = new Set(['exchange', 'data', 'mode', 'catalog', 'dashboard', 'alerts', 'webhooks', 'timeScale']);
/** Audit periods for a bot from a run definition. They are longer than the defaults, so that a simulated day takes only seconds. */
const AUDIT = { fastMs: 20_000, balanceMs: 60_000, fullMs: 900_000 } as const;
/** Values of `inside` in a definition that a bot does not know. */
const OF_RUNS: ReadonlySet<unknown> = new Set(['finest', 'trades']);

/** Returns the content of a user's file. Throws ConfigError for a file of neither kind, and for external series, which cannot be simulated. */
export function readUsersFile(file: string): UsersFile {
  const source = readDefinition(file);
  const data = isMap(source.data) ? source.data : {};
  const isBot = data['exchange'] !== undefined;
  if (isBot) parseSource(LIVE_FILE, source);
  else parseDefinition(source);
  if (data['series'] !== undefined)
    throw new ConfigError(
      `${whereIs(source, ['series'])}: external series cannot be simulated, because the times of their values are unknown`,
      'remove series from a copy of the file and of its strategy',
    );
  const definition = Object.fromEntries(
    DEFINITION_KEYS.flatMap((key) => (data[key] === undefined ? [] : [[key, ownValue(key, data[key])]])),
  );
  const times = Object.fromEntries(['from', 'to'].flatMap((key) => (data[key] === undefined ? [] : [[key, data[key]]])));
  const { catalog: _, ...shared } = definition;
  const botKeys = isBot ? Object.fromEntries(Object.entries(data).filter(([key]) => !LEFT_OUT.has(key))) : { ...shared, audit: AUDIT };
  return { source: { ...source, data: { ...definition, ...times } }, botKeys, isBot };
}

/** Returns the value of a definition's key for a bot, without fills, models and times of listing, which the exchange decides. */
function ownValue(key: string, value: unknown): unknown {
  if (!isMap(value)) return value;
  if (key === 'fills') {
    const { collar } = value;
    const rowInterval = value['inside'];
    return {
      ...(collar === undefined ? {} : { collar }),
      ...(rowInterval === undefined || OF_RUNS.has(rowInterval) ? {} : { ['inside']: rowInterval }),
    };
  }
  if (key === 'models') return value['risk'] === undefined ? {} : { risk: value['risk'] };
  if (key !== 'feeds') return value;
  const withoutListed = (feed: unknown): unknown =>
    isMap(feed) ? Object.fromEntries(Object.entries(feed).filter(([name]) => name !== 'listed')) : feed;
  return Object.fromEntries(Object.entries(value).map(([name, feed]) => [name, withoutListed(feed)]));
}

const isMap = (value: unknown): value is Keys => typeof value === 'object' && value !== null && !Array.isArray(value);
