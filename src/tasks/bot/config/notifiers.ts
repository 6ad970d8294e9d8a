// The receivers of alerts, from `alerts` in the config. Secret addresses and tokens are read from files of their own.

import { isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { telegramNotifier } from '../../../adapters/notify/telegram.ts';
import { webhookNotifier } from '../../../adapters/notify/webhook.ts';
import { UndiciWire } from '../../../adapters/exchange/wire/undiciWire.ts';
import { ConfigError } from '../../../base/errors.ts';
import { Secret } from '../../../base/text/secret.ts';
import type { Notifier } from '../../../ports/notifier.ts';
import { readKeyFile } from '../../../access/keyFile.ts';
import { textValue } from '../../../definition/text/values.ts';

const MAX_RECEIVERS = 8;
/** Maximum size of a receiver's answer, bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;
/** The maximum of connections to all receivers at the same time. */
const MAX_CONNECTIONS = 4;

/** Returns the schema of a file path. `content`: what the file holds. */
const fileValue = (content: string) => textValue('the path of a file', `file, mode 0600, that holds ${content}`);

/** The list of `alerts`. A webhook address is usually a secret: anyone who has it can post there. */
export const alertsSchema = z
  .array(
    z.discriminatedUnion(
      'kind',
      [
        z.strictObject({
          kind: z.literal('webhook'),
          url: textValue('an https address', 'address without a secret in it').optional(),
          urlFile: fileValue('the address').optional(),
          tokenFile: fileValue('a bearer token').optional(),
        }),
        z.strictObject({
          kind: z.literal('telegram'),
          chatId: textValue("a chat in quotes, such as '-1001234567890'", "the chat, such as '-1001234567890' or '@my_channel'"),
          tokenFile: fileValue('the token of the Telegram bot'),
        }),
      ],
      { error: 'webhook or telegram' },
    ),
    { error: 'a list, such as [{ kind: webhook, urlFile: webhook.url }]' },
  )
  .max(MAX_RECEIVERS, { error: `at most ${MAX_RECEIVERS} receivers` })
  .describe('receivers of alerts: webhooks and Telegram chats');

/** A receiver of alerts, as the config has it. */
export type AlertEntry = z.output<typeof alertsSchema>[number];

/** The opened receivers of one bot. */
export interface Notifiers {
  readonly all: readonly Notifier[];
  close(): Promise<void>;
}

/** Opens the receivers. Paths are relative to `folder`. Throws ConfigError for files that other users can read, and for addresses that are not https. */
export function openNotifiers(entries: readonly AlertEntry[], folder: string): Notifiers {
  const wire = new UndiciWire({ connections: MAX_CONNECTIONS, maxBodyBytes: MAX_ANSWER_BYTES });
  const all = entries.map((entry, index) => notifierOf(entry, folder, `alerts[${index}]`, wire));
  return { all, close: () => wire.close() };
}

/** Returns the receiver of an entry, with its secrets read. */
function notifierOf(entry: AlertEntry, folder: string, place: string, wire: UndiciWire): Notifier {
  const readSecret = (path: string, key: string): Secret => readKeyFile(isAbsolute(path) ? path : join(folder, path), `${place}.${key}`);
  if (entry.kind === 'telegram') return telegramNotifier(wire.send, readSecret(entry.tokenFile, 'tokenFile'), entry.chatId);
  const { url, urlFile, tokenFile } = entry;
  if ((url === undefined) === (urlFile === undefined)) {
    throw new ConfigError(
      `${place}: expected one of url and urlFile, got ${url === undefined ? 'none' : 'both'}`,
      'put an address with a secret into a file and name it in urlFile',
    );
  }
  const address = url ?? readSecret(urlFile ?? '', 'urlFile').take();
  checkAddress(address, place);
  return webhookNotifier(wire.send, new Secret(address), tokenFile === undefined ? null : readSecret(tokenFile, 'tokenFile'));
}

/** Throws ConfigError unless the address is https or local. The message does not show the address, which may be a secret. */
function checkAddress(address: string, place: string): void {
  const url = URL.canParse(address) ? new URL(address) : null;
  const isLocal = url !== null && ['127.0.0.1', 'localhost', '[::1]'].includes(url.hostname);
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal)) return;
  throw new ConfigError(`${place}: expected an https address`, 'use https; http is allowed only for receivers on this computer');
}
