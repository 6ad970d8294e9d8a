// Sends requests to a running bot over its control socket.

import { existsSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { after } from '../../adapters/clock/wallClock.ts';
import { ConfigError } from '../../base/errors.ts';
import { SOCKET_NAME } from './folder/dataFolder.ts';
import { Lines, lineText, MAX_ANSWER_BYTES, PROTOCOL_VERSION, readAnswerLine } from './line.ts';
import type { ActAnswer, LogLine } from './botControl.ts';
import type { BotView } from './botView.ts';
import type { BotRequest } from './request.ts';

const TIMEOUT_MS = 5000;

/** The bot is not there or does not reply: it may hang, or have been killed. */
export class BotSilent extends ConfigError {}

/** The name of the sender, for the journal. */
const who = (): string => `${userInfo().username} (isobar)`;

/** Sends one request. Throws BotSilent if no bot replies in time, and ConfigError if it rejects the request. */
export function askBot(folder: string, request: BotRequest, timeoutMs = TIMEOUT_MS): Promise<unknown> {
  const path = join(folder, SOCKET_NAME);
  if (!existsSync(path)) return Promise.reject(noBot(folder, 'no control.sock in it'));
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const stop = after(timeoutMs, () => end(() => reject(new BotSilent(`${path}: no answer within ${timeoutMs} ms`, HANGS))));
    const end = (settle: () => void): void => {
      stop();
      socket.destroy();
      settle();
    };
    const lines = new Lines(
      MAX_ANSWER_BYTES,
      (text) => end(() => settleWith(text, resolve, reject)),
      () => end(() => reject(new ConfigError(`${path}: the answer is too long`, 'does a bot of another version run?'))),
    );
    socket.setEncoding('utf8');
    socket.on('connect', () => socket.write(lineText({ v: PROTOCOL_VERSION, id: 1, who: who(), request })));
    socket.on('data', (text: string) => lines.add(text));
    socket.on('error', (error) => end(() => reject(noBot(folder, 'code' in error ? String(error.code) : error.message))));
    socket.on('close', () => end(() => reject(noBot(folder, 'it hung up'))));
  });
}

const HANGS = 'the bot may hang: isobar kill still works';

function settleWith(text: string, resolve: (value: unknown) => void, reject: (error: Error) => void): void {
  const answer = readAnswerLine(text);
  if (answer === null || answer.v !== PROTOCOL_VERSION) {
    reject(new ConfigError('the bot answers in another version', 'use the isobar that started it'));
  } else if (answer.ok) resolve(answer.value);
  else reject(new ConfigError(`the bot refuses: ${answer.problem}`, 'isobar status shows what there is'));
}

function noBot(folder: string, why: string): BotSilent {
  return new BotSilent(`${folder}: no bot answers here (${why})`, 'start it with isobar live, or name its data folder with --data');
}

/** The bot has the same protocol version, so the form of its reply is trusted. Its texts are not. */
export const askView = async (folder: string): Promise<BotView> => (await askBot(folder, { op: 'view' })) as BotView;
export const askLogs = async (folder: string, afterSeq: number, max: number): Promise<readonly LogLine[]> =>
  (await askBot(folder, { op: 'logs', after: afterSeq, most: max })) as readonly LogLine[];
export const sendAct = async (
  folder: string,
  request: Exclude<BotRequest, { op: 'view' | 'logs' }>,
  timeoutMs?: number,
): Promise<ActAnswer> => (await askBot(folder, request, timeoutMs)) as ActAnswer;
