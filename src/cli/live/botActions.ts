// Implements the commands about a running bot. Each command sends a request over the socket of the bot and prints the reply.

import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { ActAnswer } from '../../tasks/control/botControl.ts';
import { sendAct, askLogs, askView, BotSilentError } from '../../tasks/control/controlClient.ts';
import { dataFolderOf } from '../../tasks/control/folder/dataFolderOf.ts';
import type { BotRequest } from '../../tasks/control/botRequest.ts';
import { rearm, readKillSwitch } from '../../tasks/kill/killSwitch/killSwitch.ts';
import { holderIn, killerOf } from '../../tasks/kill/separate/killTurn.ts';
import { runAfter } from '../../adapters/clock/wallClock.ts';
import { ConfigError, EXIT } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import { LIMITS } from '../../risk/limits/limits.ts';
import type { BotSelection } from './botOptions.ts';
import { actReplyLines, logText, orderLines, positionLines, statusLines } from './botText.ts';
import { printJson, printLines } from '../terminal/print.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';

/** Options of every command about a running bot. */
type ViewArgs = BotSelection & { readonly json: boolean };
/** Interval at which `isobar logs --follow` asks for new lines. */
const POLL_EVERY_MS = 500;
/** Maximum number of lines of one answer. */
const MAX_LINES = 1000;

/** Runs `isobar status`. */
export async function printStatus(args: ViewArgs): Promise<void> {
  const view = await askView(dataFolderOf(args));
  if (args.json) printJson(view);
  else printLines(statusLines(view));
}

/** Runs `isobar positions`. */
export async function printPositions(args: ViewArgs): Promise<void> {
  const view = await askView(dataFolderOf(args));
  if (args.json) printJson(view.positions);
  else printLines(positionLines(view));
}

/** Runs `isobar orders` without a subcommand. */
export async function printOrders(args: ViewArgs): Promise<void> {
  const view = await askView(dataFolderOf(args));
  const { open, unknown, provenAbsent, foreignOrders } = view;
  if (args.json) printJson({ open, unknown, provenAbsent, foreignOrders });
  else printLines(orderLines(view));
}

/** Runs `isobar orders adopt`, `ignore` and `resolve`: sends the operator decision about an order. */
export async function decide(request: Extract<BotRequest, { op: 'adopt' | 'ignore' | 'resolve' }>, args: ViewArgs): Promise<void> {
  printAnswer(await sendAct(dataFolderOf(args), request), args);
}

/** Runs `isobar halt`. */
export async function halt(args: ViewArgs & { readonly scope: string; readonly cancelOnly: boolean; readonly why: string }): Promise<void> {
  const { scope, cancelOnly, why } = args;
  printAnswer(await sendAct(dataFolderOf(args), { op: 'halt', scope, state: cancelOnly ? 'CANCEL_ONLY' : 'HALT_NEW', why }), args);
}

/** Runs `isobar acknowledge`. */
export async function acknowledge(args: ViewArgs): Promise<void> {
  printAnswer(await sendAct(dataFolderOf(args), { op: 'acknowledge' }), args);
}

/** Runs `isobar tighten`. The bot checks the value. */
export async function tighten(args: ViewArgs & { readonly limit: string; readonly value: string; readonly why: string }): Promise<void> {
  const { limit, value, why } = args;
  const keys = LIMITS.map(({ key }) => key as string);
  if (!keys.includes(limit)) {
    const nearest = nearestName(limit, keys);
    throw new ConfigError(
      `limit: expected a risk limit, got '${limit}'`,
      nearest === null ? `name one of ${keys.join(', ')}` : `did you mean ${nearest}?`,
    );
  }
  if (value.trim() === '') throw new ConfigError('value: expected a value, got nothing', 'write it as in the config, such as 1000 or 0.02');
  printAnswer(await sendAct(dataFolderOf(args), { op: 'tighten', key: limit, value, why }), args);
}

/**
 * Runs `isobar resume`. If the bot does not answer after a kill, its process has usually ended. The command then re-arms the kill switch on
 * disk.
 */
export async function resume(
  args: ViewArgs & { readonly scope: string; readonly code?: string | undefined; readonly why: string },
): Promise<void> {
  const { scope, code, why } = args;
  const folder = dataFolderOf(args);
  try {
    printAnswer(await sendAct(folder, { op: 'resume', scope, code: code ?? null, why }), args);
  } catch (error) {
    const mayRearm = error instanceof BotSilentError && code === 'KILLED' && readKillSwitch(folder) !== null;
    if (!mayRearm) throw error;
    requireStopped(folder);
    const record = rearm(folder, userInfo().username, why);
    const message = `the kill switch of ${record.who} (${record.why}) is cleared: start the bot, which audits before it trades`;
    printAnswer({ done: true, message }, args);
  }
}

/** Throws ConfigError while a process has the journal of the bot, or closes its positions. Without the kill switch it could send orders. */
function requireStopped(folder: string): void {
  const journal = join(folder, 'journal');
  const killer = killerOf(journal);
  if (killer !== null)
    throw new ConfigError(`${folder}: process ${killer.pid} closes the positions of this bot`, 're-arm the bot when that kill has ended');
  const holder = holderIn(journal);
  if (holder === null) return;
  throw new ConfigError(
    `${folder}: process ${holder.pid} has the journal of this bot and does not answer`,
    `a bot is re-armed while it is stopped: end that process (isobar kill --flatten, or kill -9 ${holder.pid}), then re-arm it`,
  );
}

/** Runs `isobar logs`. With `--follow` it asks for new lines until a signal ends it. */
export async function printLogs(args: ViewArgs & { readonly lines: string; readonly follow: boolean }): Promise<void> {
  const lineCount = Number(args.lines);
  if (!(Number.isInteger(lineCount) && lineCount >= 1 && lineCount <= MAX_LINES)) {
    throw new ConfigError(`--lines: expected 1 to ${MAX_LINES}, got '${args.lines}'`, 'the log file of the bot has all lines');
  }
  const folder = dataFolderOf(args);
  const stop = stopOnSignal();
  try {
    let lastSeq = 0;
    for (;;) {
      const lines = await askLogs(folder, lastSeq, lastSeq === 0 ? lineCount : MAX_LINES);
      for (const line of lines) process.stdout.write(`${args.json ? JSON.stringify(line) : logText(line)}\n`);
      lastSeq = lines.at(-1)?.seq ?? lastSeq;
      if (!args.follow || stop.signal.aborted) return;
      await new Promise<void>((resolve) => void runAfter(POLL_EVERY_MS, resolve));
    }
  } finally {
    stop.release();
  }
}

/** Prints the reply of the bot. The exit code is 1 when the bot did not do the action. */
function printAnswer(answer: ActAnswer, { json }: ViewArgs): void {
  if (json) printJson(answer);
  else printLines(actReplyLines(answer));
  if (!answer.done) process.exitCode = EXIT.failed;
}
