// Reads the access file: the paths of the key files, and the dialect of the service. Rejects a file that contains a key.

import { dirname, resolve } from 'node:path';
import { z } from 'zod';
import { BAN_MIN_MS } from '../adapters/exchange/bans/ipBan.ts';
import { ConfigError } from '../base/errors.ts';
import { INTERVALS } from '../model/interval.ts';
import { endpointOf, OPS } from '../protocol/endpoints/endpoints.ts';
import { parseSource, type FileKind } from '../definition/text/parse.ts';
import { readYaml, whereIs, type DefinitionSource, type KeyPath } from '../definition/text/source.ts';
import { choiceValue, flagValue, mapValue, textValue, integerValue } from '../definition/text/values.ts';
import { KEY_REMEDY, namesKey, redactedPath, withoutKeys } from './keyLike.ts';

const DAY_MS = 86_400_000;
const prefixValue = textValue('empty, or a path such as /spot/open', 'put before every path', /^(\/[\w.~-]+)*$/);
const intervalNames = mapValue(
  Object.fromEntries(
    INTERVALS.map((interval) => [
      interval,
      textValue('a name of letters and digits, or null', 'name on the wire', /^\w{1,16}$/)
        .nullable()
        .optional(),
    ]),
  ),
  'names of intervals, such as { 1h: 60min }',
);
const urlValue = (market: string) =>
  textValue('a URL such as https://api.example.com', `address of the ${market} service`, /^https?:\/\/\S+$/).optional();
const filePathValue = (content: string) =>
  textValue('the path of a file', `file with the ${content}, mode 0600; relative to this file`, /\S/).optional();

const limitSchema = mapValue(
  {
    count: integerValue('calls', 'allowed in a window', 1, 1_000_000).optional(),
    windowMs: integerValue('ms', 'length of the window', 1, DAY_MS).optional(),
    weight: integerValue('calls', 'what one call counts', 1, 1000).optional(),
  },
  'a limit, such as { count: 10, windowMs: 2000 }',
);

/** The names under `limits`: operations and rate classes. */
const LIMIT_NAMES = [...new Set<string>([...OPS, ...OPS.map((op) => endpointOf(op).limit.rateClass)])];

const dialectSchema = mapValue(
  {
    baseUrl: urlValue('spot'),
    futuresBaseUrl: urlValue('futures'),
    pathPrefix: mapValue(
      { spot: prefixValue.optional(), futures: prefixValue.optional() },
      'prefixes, such as { spot: /spot/open }',
    ).optional(),
    signPathPrefix: flagValue('whether the prefix is signed').optional(),
    signQuery: choiceValue(['include', 'omit'], 'whether the query of a GET is signed').optional(),
    contentTypeOnGet: flagValue('whether a GET has a Content-Type').optional(),
    recvWindow: integerValue('ms', 'how long a request is valid, sent with signed POSTs', 1, 5000).nullable().optional(),
    symbolCase: choiceValue(['upper', 'lower'], 'letters of spot symbols').optional(),
    batchCancelIdsField: choiceValue(['orderIds', 'orderId'], 'name of the list of spot.batchCancel').optional(),
    clientIdQueryName: choiceValue(['newClientOrderId', 'newClientorderId'], 'its name in spot.queryOrder').optional(),
    queryByClientId: choiceValue(['unknown', 'works'], 'whether an order is found by its client id').optional(),
    conditionPath: choiceValue(['/fapi/v1/conditionOrder/', '/fapi/v1/conditionOrder'], 'path of trigger orders').optional(),
    cancelTriggerPath: choiceValue(['/v1/inner/trigger_order_cancel', '/fapi/v1/cancel_trigger_order'], 'path of their cancel').optional(),
    marketOpen: choiceValue(['limitIoc', 'value', 'v101', 'forbid'], 'how futures are opened at the market').optional(),
    futuresVersionHeader: textValue("a quoted number, such as '101', or null", 'value of futures-version', /^\d{1,6}$/)
      .nullable()
      .optional(),
    positionsFrom: choiceValue(['positions', 'account'], 'where positions are read').optional(),
    intervals: mapValue({ spot: intervalNames.optional(), futures: intervalNames.optional() }, 'names by market').optional(),
    klinesRange: choiceValue(['none', 'startEnd'], 'whether klines take startTime and endTime').optional(),
    limits: mapValue(
      {
        banMinMs: integerValue('ms', 'first pause after a 418', BAN_MIN_MS, DAY_MS).optional(),
        ...Object.fromEntries(LIMIT_NAMES.map((name) => [name, limitSchema.optional()])),
      },
      'limits by endpoint, such as { spot.newOrder: { count: 10 } }',
    )
      .describe('limits, by endpoint or class of endpoints, where the service has others')
      .optional(),
  },
  'options of the dialect, such as { signQuery: include }',
);

/** The schema of an access file. */
export const accessSchema = mapValue(
  {
    keyFile: filePathValue('API key'),
    secretFile: filePathValue('API secret'),
    socketUrl: textValue('a URL such as wss://api.example.com/ws', 'address of the WebSocket whose heartbeat is answered').optional(),
    dialect: dialectSchema.optional(),
  },
  'an access file: keyFile, secretFile, socketUrl, dialect',
);

/** The content of an access file. */
export type AccessFile = z.output<typeof accessSchema>;

const ACCESS_FILE: FileKind<AccessFile> = { schema: accessSchema, called: 'an access file', docs: 'docs/exchange-access.md' };

/** Reads an access file or the config of a bot. Throws ConfigError for an invalid file, and for one that contains a key. Never shows the key. */
export function readAccessFile(file: string): AccessFile {
  try {
    const source = readYaml(file, ACCESS_FILE.called, 'it holds no more than keyFile, secretFile, socketUrl and dialect');
    refuseKeys(source, source.data, []);
    const exchange = exchangeOfBot(source.data);
    return exchange === null ? parseSource(ACCESS_FILE, source) : accessOfBot(source, exchange);
  } catch (error) {
    throw error instanceof ConfigError ? new ConfigError(withoutSecret(error.message, file), error.remedy) : error;
  }
}

/** Returns the `exchange` section of a bot's config. Null for any other file. */
function exchangeOfBot(data: unknown): Readonly<Record<string, unknown>> | null {
  if (typeof data !== 'object' || data === null || !('strategy' in data && 'exchange' in data)) return null;
  const { exchange } = data;
  return typeof exchange === 'object' && exchange !== null ? { ...exchange } : null;
}

/** Returns the access settings of a bot's config, or those of the access file that the config names. */
function accessOfBot(source: DefinitionSource, exchange: Readonly<Record<string, unknown>>): AccessFile {
  const { access, spotUrl, futuresUrl, dialect: botDialect, ...otherKeys } = exchange;
  if (typeof access === 'string') {
    const path = resolve(source.folder, access);
    const { keyFile, secretFile, ...accessFile } = readAccessFile(path);
    // These paths are relative to the access file, but the caller resolves paths relative to the config.
    const resolvedMember = (name: string | undefined, key: string) => (name === undefined ? {} : { [key]: resolve(dirname(path), name) });
    return { ...accessFile, ...resolvedMember(keyFile, 'keyFile'), ...resolvedMember(secretFile, 'secretFile') };
  }
  const urls = {
    ...(spotUrl === undefined ? {} : { baseUrl: spotUrl }),
    ...(futuresUrl === undefined ? {} : { futuresBaseUrl: futuresUrl }),
  };
  const place = (path: KeyPath): string => source.place(['exchange', ...path]);
  const textAt = (path: KeyPath): string => source.textAt(['exchange', ...path]);
  const data = { ...otherKeys, dialect: { ...(typeof botDialect === 'object' ? botDialect : {}), ...urls } };
  return parseSource(ACCESS_FILE, { ...source, place, textAt, data });
}

/** Masks keys in a message. A message quotes the text of the file, which can be a key in the wrong place. */
function withoutSecret(message: string, file: string): string {
  const maskLine = (line: string): string =>
    line.startsWith(file) ? redactedPath(file) + withoutKeys(line.slice(file.length)) : withoutKeys(line);
  return message.split('\n').map(maskLine).join('\n');
}

/** Throws ConfigError for a member at any depth whose name suggests a key. Keys belong in files of their own. */
export function refuseKeys(source: DefinitionSource, data: unknown, path: KeyPath): void {
  if (typeof data !== 'object' || data === null) return;
  for (const [name, value] of Object.entries(data)) {
    const memberPath = [...path, Array.isArray(data) ? Number(name) : name];
    if (namesKey(name))
      throw new ConfigError(`${whereIs(source, memberPath)}: expected no secret in a config file, got an API key`, KEY_REMEDY);
    refuseKeys(source, value, memberPath);
  }
}
