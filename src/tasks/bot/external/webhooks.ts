// The webhooks of a live bot: reads their secrets, checks requests and passes genuine values on.

import type { IncomingMessage } from 'node:http';
import { readKeyFile } from '../../../access/keyFile.ts';
import { nowMs } from '../../../adapters/clock/wallClock.ts';
import { HookChecker, type HookValue } from '../../../adapters/external/webhookCheck.ts';
import { openWebhookServer, type HookReply, type OpenWebhooks } from '../../../adapters/external/webhookServer.ts';
import { singleHeaders } from '../../../adapters/localServer/requests.ts';
import { ConfigError } from '../../../base/errors.ts';
import { Secret } from '../../../base/text/secret.ts';
import type { BoundSeries, WebhookSettings } from './seriesSources.ts';

/** Journals a genuine value. Resolves once the record is durable. */
export type AcceptHookValue = (name: string, value: HookValue) => Promise<'taken' | 'duplicate' | 'stopped'>;

/** Minimum of random bits in a secret. */
const MIN_BITS = 128;
/** The remedy for a missing or weak secret. */
const HOW_TO_CREATE = 'create one with openssl rand -hex 32, in a file of its own with mode 600';
/** Minimum of different characters. A text with fewer was not drawn at random. */
const MIN_DIFFERENT_CHARACTERS = 8;
/** The path of a webhook is this, then the name of its series. */
const SERIES_PATH = '/series/';
/** Refusals are logged at most once in this time. */
const LOG_PERIOD_MS = 60_000;

/** Returns the checker of each webhook, by path. Throws ConfigError for a secret that is too short or that other users can read. */
export function hookCheckers(series: readonly BoundSeries[], { maxAgeMs }: WebhookSettings): ReadonlyMap<string, HookChecker> {
  return new Map(
    series.flatMap(({ name, binding }): [string, HookChecker][] => {
      if (binding.kind !== 'webhook') return [];
      const place = `series.${name}.webhook.secretFile`;
      const text = readKeyFile(binding.secretPath, place).take();
      const bits = maxRandomBits(text);
      if (bits < MIN_BITS)
        throw new ConfigError(`${place}: expected a secret of at least ${MIN_BITS} bits, got at most ${bits}`, HOW_TO_CREATE);
      return [[`${SERIES_PATH}${name}`, new HookChecker(new Secret(text), binding.proof, maxAgeMs)]];
    }),
  );
}

/** Returns the largest number of random bits in a text. Only characters of hex and base64 count. */
function maxRandomBits(text: string): number {
  if (new Set(text).size < MIN_DIFFERENT_CHARACTERS) return 0;
  if (/^[0-9a-f]+$|^[0-9A-F]+$/.test(text)) return 4 * text.length;
  return 6 * text.replaceAll(/[^A-Za-z0-9+/_-]/g, '').length;
}

/** The address, the checkers and the receiver of values. */
export interface HooksDeps {
  readonly settings: WebhookSettings;
  readonly checkers: ReadonlyMap<string, HookChecker>;
  /** Journals a value. Resolves with what became of it. */
  readonly acceptValue: AcceptHookValue;
  readonly log: (level: 'info' | 'warn', message: string) => void;
}

/** Opens the server. Throws ConfigError for a port that is in use. */
export async function openWebhooks({ settings, checkers, acceptValue, log }: HooksDeps): Promise<OpenWebhooks> {
  const refusals = { count: 0, sinceMs: -Infinity };
  // Counts and logs a refusal. Returns its reply.
  const refuse = (path: string, reply: HookReply): HookReply => {
    refusals.count++;
    if (nowMs() - refusals.sinceMs >= LOG_PERIOD_MS) {
      const requests = refusals.count === 1 ? '1 request' : `${refusals.count} requests`;
      log('warn', `webhook ${path}: refused ${requests}, the last one: ${reply.problem}`);
      refusals.count = 0;
      refusals.sinceMs = nowMs();
    }
    return reply;
  };
  const replyTo = async (path: string, headers: IncomingMessage['headers'], body: Buffer): Promise<HookReply> => {
    const checked = checkers.get(path)!.check({ path, headers: singleHeaders(headers), body }, nowMs());
    if ('problem' in checked) return refuse(path, checked);
    const result = await acceptValue(path.slice(SERIES_PATH.length), checked);
    if (result === 'taken') return { status: 200, problem: null };
    return result === 'duplicate'
      ? refuse(path, { status: 409, problem: 'the nonce was already used' })
      : { status: 503, problem: 'the bot does not accept values now: send it again later' };
  };
  const server = await openWebhookServer(settings, (path, headers, body) => (checkers.has(path) ? replyTo(path, headers, body) : null));
  const urls = [...checkers.keys()].map((path) => `${server.url}${path}`);
  log('info', `webhooks are taken at ${urls.join(', ')}`);
  return server;
}
