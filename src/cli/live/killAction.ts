// Implements `isobar kill`: sets the kill switch, then cancels through the bot. If the bot does not answer, this process cancels.

import { userInfo } from 'node:os';
import { runAfter, monotonicMs, nowMs } from '../../adapters/clock/wallClock.ts';
import { stateFolderOf } from '../../access/settings.ts';
import { hasBotFile, readBotFile, type BotFile } from '../../tasks/control/folder/botFile.ts';
import { runningBots } from '../../tasks/control/folder/runningBots.ts';
import type { KillView } from '../../tasks/control/botView.ts';
import { sendAct, askView, BotSilentError } from '../../tasks/control/controlClient.ts';
import { dataFolderOf } from '../../tasks/control/folder/dataFolderOf.ts';
import type { KillReport } from '../../tasks/kill/kill.ts';
import { markKilling } from '../../tasks/kill/killSwitch/killMark.ts';
import { engageKillSwitch } from '../../tasks/kill/killSwitch/killSwitch.ts';
import { standaloneKill } from '../../tasks/kill/separate/standaloneKill.ts';
import { ConfigError, EXIT } from '../../base/errors.ts';
import { sanitizeText } from '../../base/text/untrustedText.ts';
import type { KillArgs } from './killOptions.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';
import { printJson, printLines } from '../terminal/print.ts';
import { indentText, wrapText } from '../terminal/wrapText.ts';

/** How long to wait for a reply, ms. A bot with a working event loop answers within milliseconds. */
const BOT_REPLY_MS = 1000;
const POLL_EVERY_MS = 250;
/** Maximum length of one text that is printed, in characters. */
const MAX_TEXT_LENGTH = 400;

/** The result of the kill, as `--json` prints it. */
interface KillOutcome {
  /** Who cancelled the orders: the bot, or this process. */
  readonly by: 'bot' | 'separate';
  readonly report: KillReport | null;
  readonly residuals: readonly string[];
}

/** Runs `isobar kill`. The exit code is 4 when an order or a position is not settled. */
export async function kill(args: KillArgs): Promise<void> {
  const giveUpSeconds = giveUpSecondsOf(args['give-up']);
  const folder = dataFolderOf(args);
  const stopPrinting = markKilling(folder);
  try {
    await killIn(folder, args, giveUpSeconds);
  } finally {
    stopPrinting();
  }
}

/** Kills the bot whose data folder is `folder`, and prints the report. */
async function killIn(folder: string, args: KillArgs, giveUpSeconds: number): Promise<void> {
  const { flatten, why } = args;
  printPhase(args, `the bot of ${folder}`);
  let writeFailure: string | null = null;
  await engageKillSwitch(folder, { sinceMs: nowMs(), who: userInfo().username, why, flatten }).catch((error: unknown) => {
    // Orders must be cancelled even if the switch cannot be written. The report names the failure.
    const reason = error instanceof Error ? error.message : String(error);
    writeFailure = `the kill switch could not be written: ${reason}`;
  });
  printPhase(args, writeFailure ?? 'the kill switch is set: no order is sent any more');
  const outcomeOfBot = args.separate || args.all ? null : await killThroughBot(folder, args, giveUpSeconds);
  const outcome = outcomeOfBot ?? (await killWithoutBot(folder, args, giveUpSeconds));
  const residuals = writeFailure === null ? outcome.residuals : [writeFailure, ...outcome.residuals];
  printReport(args, { ...outcome, residuals });
}

/**
 * Returns the outcome when the bot did the kill. Null when the bot does not answer, or stops answering before it has finished. Also null for
 * `--flatten`: the bot then cancels its orders and exits, and this process takes over its journal to close the positions.
 */
async function killThroughBot(folder: string, args: KillArgs, giveUpSeconds: number): Promise<KillOutcome | null> {
  try {
    const answer = await sendAct(folder, { op: 'kill', flatten: false, why: args.why }, BOT_REPLY_MS);
    printPhase(args, `the bot: ${answer.message}`);
    if (!answer.done || args.flatten) return null;
    return { by: 'bot', report: null, residuals: await residualsOfBot(folder, args, giveUpSeconds) };
  } catch (error) {
    // Whatever the bot answers, the kill continues from this process.
    if (!(error instanceof ConfigError)) throw error;
    const problem = error instanceof BotSilentError ? 'the bot does not answer' : 'the bot refuses';
    printPhase(args, `${problem} (${error.message}): killing from here`);
    return null;
  }
}

/** Prints the phases of a kill by the bot until it has ended, at most `giveUpSeconds`. Returns what is not settled then. */
async function residualsOfBot(folder: string, args: KillArgs, giveUpSeconds: number): Promise<readonly string[]> {
  const endMs = monotonicMs() + giveUpSeconds * 1000;
  let lastMessage = '';
  for (;;) {
    const { kill: killView, open, unknown } = await askView(folder);
    const message = killView === null ? '' : `${killView.phase}: ${killView.message}`;
    if (message !== lastMessage) printPhase(args, message);
    lastMessage = message;
    if (killView?.phase === 'done') return killView.residuals;
    if (monotonicMs() > endMs) {
      const openOrders = [...open, ...unknown].map(({ instrument, cid }) => `${instrument}: order ${cid} is not proved to be cancelled`);
      return [`given up after ${giveUpSeconds} s: ${message}; the bot keeps trying`, ...openOrders];
    }
    await pollPause();
  }
}

/** Resolves when the bot should be asked again. */
function pollPause(): Promise<void> {
  return new Promise<void>((resolve) => void runAfter(POLL_EVERY_MS, resolve));
}

/** How long to wait for the bot file of a starting bot, ms. The bot writes it after it has opened its exchange. */
const STARTING_MS = 15_000;

/** Returns the bot file. Waits for it while the bot is starting. Throws ConfigError when no such file exists. */
async function botFileOf(folder: string): Promise<BotFile> {
  const endMs = monotonicMs() + STARTING_MS;
  const isStarting = (): boolean => runningBots(stateFolderOf(process.env)).includes(folder);
  while (!hasBotFile(folder) && isStarting() && monotonicMs() < endMs) await pollPause();
  return readBotFile(folder);
}

/** Cancels all orders from this process, and closes the positions with `--flatten`. */
async function killWithoutBot(folder: string, args: KillArgs, giveUpSeconds: number): Promise<KillOutcome> {
  const stop = stopOnSignal();
  try {
    const report = await standaloneKill(await botFileOf(folder), {
      flatten: args.flatten,
      all: args.all,
      onPhase: (phase: KillView['phase'], message) => printPhase(args, `${phase}: ${message}`),
      signal: stop.signal,
      giveUpSeconds,
    });
    return { by: 'separate', report, residuals: report.residuals };
  } finally {
    stop.release();
  }
}

/** Seconds in each unit of `--give-up`. A number without a unit means seconds. */
const UNIT_SECONDS: Readonly<Record<string, number>> = { '': 1, s: 1, m: 60, h: 3600 };

/** Returns the seconds of `--give-up`, such as `30s`, `10m` or `1h`. Throws ConfigError for an invalid time. */
function giveUpSecondsOf(text: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([smh]?)$/.exec(text) ?? [];
  const seconds = Number(number) * UNIT_SECONDS[unit]!;
  if (seconds > 0 && seconds <= 86_400) return seconds;
  throw new ConfigError(`--give-up: expected a time above 0, up to 24h, got '${text}'`, 'for example --give-up 30s or --give-up 10m');
}

/** Prints progress on stderr, unless the user wants JSON. */
function printPhase({ json }: KillArgs, text: string): void {
  if (!json && text !== '') process.stderr.write(`${wrapText(sanitizeText(text, MAX_TEXT_LENGTH)).join('\n  ')}\n`);
}

/** Prints the result, and sets the exit code when something is left. */
function printReport({ json, flatten }: KillArgs, outcome: KillOutcome): void {
  const { report, residuals } = outcome;
  if (residuals.length > 0) process.exitCode = EXIT.unknown;
  if (json) {
    printJson(outcome);
    return;
  }
  const success = flatten
    ? 'killed: all orders of the bot are cancelled, and every position of the bot is closed'
    : 'killed: all orders of the bot are cancelled; positions are unchanged';
  const residualLines = residuals.flatMap((residual) => indentText(sanitizeText(residual, MAX_TEXT_LENGTH), 2));
  const verdictLines = residuals.length === 0 ? [success] : ['NOT SETTLED:', ...residualLines];
  printLines([
    ...verdictLines,
    ...(report === null ? [] : countLines(report)),
    'The bot starts again once the operator has re-armed it: isobar resume account --code KILLED --why ...',
  ]);
}

/** Returns the counts of a kill by this process, and the quantities that are too small to sell. */
function countLines({ cancelled, triggersCancelled, slices, dust }: KillReport): readonly string[] {
  return [
    `orders cancelled: ${cancelled}, triggers: ${triggersCancelled}, slices: ${slices.length}`,
    ...dust.flatMap((remainder) => wrapText(sanitizeText(remainder, MAX_TEXT_LENGTH))),
  ];
}
