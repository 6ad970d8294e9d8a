// The webhooks of a live bot: their secrets, and what becomes of a request.

import type { IncomingMessage } from 'node:http';
import { readKeyFile } from '../../../access/keyFile.ts';
import { nowMs } from '../../../adapters/clock/wallClock.ts';
import { HookChecker, type HookValue } from '../../../adapters/external/webhookCheck.ts';
import { openWebhookServer, type HookReply, type OpenWebhooks } from '../../../adapters/external/webhookServer.ts';
import { singleHeaders } from '../../../adapters/localServer/requests.ts';
import { ConfigError } from '../../../base/errors.ts';
import { Secret } from '../../../base/text/secret.ts';
import type { BoundSeries, WebhookSettings } from './sources.ts';

/** What takes a genuine value: journals it, and resolves once that is durable. */
export type TakeHookValue = (name: string, value: HookValue) => Promise<'taken' | 'duplicate' | 'stopped'>;

const MIN_BITS = 128;
const MAKE = 'openssl rand -hex 32 makes one; write it into a file of its own and chmod 600 it';
/** Fewer different characters were not drawn at random. */
const MIN_DIFFERENT = 8;
/** Refusals are logged once in this time. */
const QUIET_MS = 60_000;

/** Reads the secret of each webhook. Throws ConfigError for one that is too short, or that others can read. */
export function hookCheckers(series: readonly BoundSeries[], { maxAgeMs }: WebhookSettings): ReadonlyMap<string, HookChecker> {
  return new Map(
    series.flatMap(({ name, binding }): [string, HookChecker][] => {
      if (binding.kind !== 'webhook') return [];
      const place = `series.${name}.webhook.secretFile`;
      const text = readKeyFile(binding.secretPath, place).take();
      const bits = bitsOf(text);
      if (bits < MIN_BITS) throw new ConfigError(`${place}: expected a secret of at least ${MIN_BITS} bits, got at most ${bits}`, MAKE);
      return [[`/series/${name}`, new HookChecker(new Secret(text), binding.proof, maxAgeMs)]];
    }),
  );
}

/** Returns the most that a random text of these characters can have. Other characters than those of hex and base64 do not count. */
function bitsOf(text: string): number {
  if (new Set(text).size < MIN_DIFFERENT) return 0;
  if (/^[0-9a-f]+$|^[0-9A-F]+$/.test(text)) return 4 * text.length;
  return 6 * text.replaceAll(/[^A-Za-z0-9+/_-]/g, '').length;
}

export interface HooksDeps {
  readonly settings: WebhookSettings;
  readonly checkers: ReadonlyMap<string, HookChecker>;
  readonly take: TakeHookValue;
  readonly log: (level: 'info' | 'warn', message: string) => void;
}

/** Opens the server. Throws ConfigError for a port that is in use. */
export async function openWebhooks({ settings, checkers, take, log }: HooksDeps): Promise<OpenWebhooks> {
  const refusals = { count: 0, sinceMs: -Infinity };
  const refuse = (path: string, reply: HookReply): HookReply => {
    refusals.count++;
    if (nowMs() - refusals.sinceMs >= QUIET_MS) {
      log('warn', `webhook ${path}: refused ${refusals.count} request${refusals.count === 1 ? '' : 's'}, the last one: ${reply.problem}`);
      refusals.count = 0;
      refusals.sinceMs = nowMs();
    }
    return reply;
  };
  const handle = async (path: string, headers: IncomingMessage['headers'], body: Buffer): Promise<HookReply> => {
    const found = checkers.get(path)!.check({ path, headers: singleHeaders(headers), body }, nowMs());
    if ('problem' in found) return refuse(path, found);
    const result = await take(path.slice('/series/'.length), found);
    if (result === 'taken') return { status: 200, problem: null };
    return result === 'duplicate'
      ? refuse(path, { status: 409, problem: 'it came before: the nonce was used' })
      : { status: 503, problem: 'the bot does not take it: send it again later' };
  };
  const server = await openWebhookServer(settings, (path, headers, body) => (checkers.has(path) ? handle(path, headers, body) : null));
  log('info', `webhooks are taken at ${[...checkers.keys()].map((path) => `${server.url}${path}`).join(', ')}`);
  return server;
}
