// The sources of a live bot's external series: the keys of the config, and the bindings that they describe.

import { resolve } from 'node:path';
import { z } from 'zod';
import type { WebhookProof } from '../../../adapters/external/webhookCheck.ts';
import { ConfigError } from '../../../base/errors.ts';
import { SERIES_NAME, symbolValue } from '../../../definition/text/schema.ts';
import { choiceValue, integerValue, mapValue, textValue } from '../../../definition/text/values.ts';

const column = (help: string) => textValue('the name of a column', help);
const everySeconds = (help: string, min: number) => integerValue('s', help, min, 86_400).optional();

const fileSource = mapValue(
  {
    path: textValue('the path of a file', 'CSV file to which another program appends; from the folder of the config'),
    time: column('column with the time of each value'),
    knownAt: column('column with the time at which each value became known'),
    value: column('column of the values; default: the one named like the series, or value, or the only other one').optional(),
    everySeconds: everySeconds('seconds between two reads; default 1', 1),
  },
  'a file that grows, such as { path: oi.csv, time: t, knownAt: k }',
).describe('a file that grows');

const webhookSource = mapValue(
  {
    secretFile: textValue('the path of a file', 'file with the secret, at least 128 bits; from the folder of the config'),
    proof: choiceValue(['signature', 'body'], 'how a sender proves itself: a signature (default), or the secret in the body').optional(),
  },
  'a webhook, such as { secretFile: hook.secret }',
).describe('an inbound webhook: POST /series/NAME');

const pollSource = mapValue(
  {
    url: textValue('a URL that begins with https://', 'URL to poll; http:// is accepted only for this computer', /^https?:\/\/\S+$/),
    time: textValue('names with dots, such as data.time', 'place of the time in the answer'),
    value: textValue('names with dots, such as data.0.value', 'place of the value in the answer'),
    everySeconds: everySeconds('seconds between two requests; default 60', 1),
  },
  'a URL to poll, such as { url: https://example.org/oi, time: data.t, value: data.v }',
).describe('a URL that is polled and answers with JSON');

/** The schema of the server that takes webhooks. */
export const webhooksSchema = mapValue(
  {
    port: integerValue('port', 'port of the webhooks; 0 takes a free one', 0, 65_535),
    host: textValue('an address', 'address to listen on; default 127.0.0.1; any other needs tlsFront').optional(),
    tlsFront: textValue(
      'a URL that begins with https://',
      'address of your TLS server, which passes requests on to the webhooks',
      /^https:\/\/[A-Za-z0-9.-]+(:\d{1,5})?$/,
    ).optional(),
    maxAgeSeconds: integerValue('s', 'maximum age of a request; default 60', 1, 3600).optional(),
  },
  'the webhook server, such as { port: 8091 }',
).describe('the server for webhooks of series; without the key there is no server');

const liveSeriesEntry = mapValue(
  {
    name: textValue(
      'the name of a series in the catalog',
      'series in the catalog with the history; default: this key',
      SERIES_NAME,
    ).optional(),
    symbol: symbolValue.optional().describe('symbol of the history in the catalog; default: a series without a symbol'),
    file: fileSource.optional(),
    poll: pollSource.optional(),
    webhook: webhookSource.optional(),
  },
  'a series with its source, such as { file: { path: oi.csv, time: t, knownAt: k } }',
).refine(({ file, poll, webhook }) => [file, poll, webhook].filter((source) => source !== undefined).length === 1, {
  error: 'exactly one of file, poll and webhook',
});

/** The schema of the external series of a bot. */
export const liveSeriesSchema = z
  .record(z.string().regex(SERIES_NAME, { error: 'a letter, then letters, digits and _' }), liveSeriesEntry, {
    error: 'series by name, such as openInterest: { file: { path: oi.csv, time: t, knownAt: k } }',
  })
  .describe('external series by the name under which strategies ask for them, each with its source');

/** The checked series of a config, by name. */
export type LiveSeriesEntries = z.output<typeof liveSeriesSchema>;

/** A file that grows. */
export interface FileBinding {
  readonly kind: 'file';
  /** Absolute. */
  readonly path: string;
  readonly time: string;
  readonly knownAt: string;
  readonly value: string | null;
  readonly everyMs: number;
}

/** A URL that is polled. */
export interface PollBinding {
  readonly kind: 'poll';
  readonly url: string;
  readonly time: string;
  readonly value: string;
  readonly everyMs: number;
}

/** A series that other programs send to the bot. */
export interface WebhookBinding {
  readonly kind: 'webhook';
  /** Absolute. */
  readonly secretPath: string;
  readonly proof: WebhookProof;
}

/** A series of a live bot. */
export interface BoundSeries {
  readonly name: string;
  /** Name and symbol of its history in the catalog. */
  readonly archive: { readonly name: string; readonly symbol: string | null };
  readonly binding: FileBinding | PollBinding | WebhookBinding;
}

/** Returns the series of a config with their sources. Paths are relative to `folder`. */
export function boundSeries(entries: LiveSeriesEntries | undefined, folder: string): readonly BoundSeries[] {
  return Object.entries(entries ?? {}).map(([name, entry]): BoundSeries => {
    const { name: stored = name, symbol: archivedSymbol = null } = entry;
    const place = `series.${name}`;
    return { name, archive: { name: stored, symbol: archivedSymbol }, binding: bindingOf(entry, folder, place) };
  });
}

/** Returns the source of an external series, with absolute paths and times in ms. */
function bindingOf({ file, poll, webhook }: LiveSeriesEntries[string], folder: string, place: string): BoundSeries['binding'] {
  if (file !== undefined) {
    const { path, everySeconds: seconds = 1, value = null, ...columns } = file;
    return { kind: 'file', path: resolve(folder, path), ...columns, value, everyMs: seconds * 1000 };
  }
  if (poll !== undefined) {
    const { everySeconds: seconds = 60, url, ...places } = poll;
    checkUrl(url, `${place}.poll.url`);
    return { kind: 'poll', url, ...places, everyMs: seconds * 1000 };
  }
  const { secretFile, proof = 'signature' } = webhook!;
  return { kind: 'webhook', secretPath: resolve(folder, secretFile), proof };
}

const LOOPBACK: readonly string[] = ['127.0.0.1', 'localhost', '::1', '[::1]'];

/** Throws ConfigError for a URL whose answer others could change on the way, because orders depend on it. */
function checkUrl(url: string, place: string): void {
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null) throw new ConfigError(`${place}: expected a URL, got other text`, 'such as https://example.org/oi');
  if (parsed.protocol === 'https:' || LOOPBACK.includes(parsed.hostname)) return;
  throw new ConfigError(`${place}: expected https:// for ${parsed.hostname}, got http://`, 'use https, or an address of this computer');
}

/** The address of the webhook server. */
export interface WebhookSettings {
  readonly host: string;
  readonly port: number;
  /** Host and port of the TLS front as requests name them; null: none. */
  readonly frontHost: string | null;
  readonly maxAgeMs: number;
}

/** Returns null if no series has a webhook. Throws ConfigError for an address that other computers reach, unless there is a TLS front. */
export function webhookSettings(
  webhooks: z.output<typeof webhooksSchema> | undefined,
  series: readonly BoundSeries[],
  place: string,
): WebhookSettings | null {
  const hook = series.find(({ binding }) => binding.kind === 'webhook');
  if (webhooks === undefined && hook === undefined) return null;
  if (webhooks === undefined)
    throw new ConfigError(`${place}: missing, but series.${hook!.name} has a webhook`, 'add webhooks: { port: 8091 }');
  if (hook === undefined) throw new ConfigError(`${place}: no series has a webhook`, 'remove webhooks, or add series.NAME.webhook');
  const { host = '127.0.0.1', port, tlsFront, maxAgeSeconds = 60 } = webhooks;
  if (tlsFront === undefined && !LOOPBACK.includes(host)) {
    throw new ConfigError(
      `${place}.host: expected ${LOOPBACK.slice(0, 3).join(', ')}, got ${host}: others could read the requests`,
      'name the TLS server in front of it: tlsFront: https://hooks.example.org',
    );
  }
  return { host, port, frontHost: tlsFront === undefined ? null : new URL(tlsFront).host, maxAgeMs: maxAgeSeconds * 1000 };
}

/** Returns the entries as the run definition has them, without the sources, because those do not influence decisions. */
export function withoutSources(entries: unknown): unknown {
  if (typeof entries !== 'object' || entries === null) return entries;
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]: [string, unknown]) => {
      if (typeof entry !== 'object' || entry === null) return [name, entry];
      return [name, Object.fromEntries(Object.entries(entry).filter(([key]) => key === 'name' || key === 'symbol'))];
    }),
  );
}
