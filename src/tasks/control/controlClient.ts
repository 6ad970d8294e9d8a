// Sends requests to a running bot over its control socket.

import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { runAfter } from '../../adapters/clock/wallClock.ts';
import { ConfigError } from '../../base/errors.ts';
import { SOCKET_NAME } from './folder/dataFolder.ts';
import { ControlLines, lineText, MAX_ANSWER_BYTES, PROTOCOL_VERSION, readAnswerLine } from './controlLines.ts';
import type { ActAnswer, BotLogLine } from './botControl.ts';
import type { BotView } from './botView.ts';
import type { BotRequest } from './botRequest.ts';

/** Time limit for a reply, ms. */
const TIMEOUT_MS = 5000;
const HANG_REMEDY = 'if the bot hangs, isobar kill still works';

/** Thrown when no bot replies: it does not run, or it hangs. */
export class BotSilentError extends ConfigError {}

/** Returns the name of the sender, for the journal. */
const senderName = (): string => `${userInfo().username} (isobar)`;

/** Sends one request and resolves with the reply. Rejects with BotSilentError if no bot replies in time, and with ConfigError if the bot rejects the request. */
export function askBot(folder: string, request: BotRequest, timeoutMs = TIMEOUT_MS): Promise<unknown> {
  const path = join(folder, SOCKET_NAME);
  if (!existsSync(path)) return Promise.reject(noBot(folder, 'it has no control.sock'));
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    // The first event decides: a promise that is settled ignores all later ones.
    const close = (): void => {
      cancelTimeout();
      socket.destroy();
    };
    const fail = (error: ConfigError): void => {
      close();
      reject(error);
    };
    const cancelTimeout = runAfter(timeoutMs, () => fail(new BotSilentError(`${path}: no answer within ${timeoutMs} ms`, HANG_REMEDY)));
    const onReply = (text: string): void => {
      close();
      settleWith(text, resolve, reject);
    };
    const onTooLong = (): void => fail(new ConfigError(`${path}: the answer is too long`, 'use the isobar version that started the bot'));
    const lines = new ControlLines(MAX_ANSWER_BYTES, onReply, onTooLong);
    socket.setEncoding('utf8');
    socket.on('connect', () => socket.write(lineText({ v: PROTOCOL_VERSION, id: 1, who: senderName(), request })));
    socket.on('data', (text: string) => lines.add(text));
    socket.on('error', (error) => fail(noBot(folder, 'code' in error ? String(error.code) : error.message)));
    socket.on('close', () => fail(noBot(folder, 'it closed the connection')));
  });
}

/** Resolves with the value of a reply line, or rejects with its problem. */
function settleWith(text: string, resolve: (value: unknown) => void, reject: (error: Error) => void): void {
  const answer = readAnswerLine(text);
  if (answer === null || answer.v !== PROTOCOL_VERSION) {
    reject(new ConfigError('the bot answers in another version', 'use the isobar version that started it'));
  } else if (answer.ok) resolve(answer.value);
  else reject(new ConfigError(`the bot refuses: ${answer.problem}`, 'isobar status shows its scopes, orders and strategies'));
}

/** Returns the error for a folder without a running bot. */
function noBot(folder: string, reason: string): BotSilentError {
  return new BotSilentError(`${folder}: no bot answers here (${reason})`, 'start it with isobar live, or name its data folder with --data');
}

/** Asks for the view. The bot has the same protocol version, so the form of its reply is trusted, but not its texts. */
export const askView = async (folder: string): Promise<BotView> => (await askBot(folder, { op: 'view' })) as BotView;
/** Asks for at most `max` log lines after number `afterSeq`. */
export const askLogs = async (folder: string, afterSeq: number, max: number): Promise<readonly BotLogLine[]> =>
  (await askBot(folder, { op: 'logs', after: afterSeq, most: max })) as readonly BotLogLine[];
/** Sends an act. */
export const sendAct = async (
  folder: string,
  request: Exclude<BotRequest, { op: 'view' | 'logs' }>,
  timeoutMs?: number,
): Promise<ActAnswer> => (await askBot(folder, request, timeoutMs)) as ActAnswer;
