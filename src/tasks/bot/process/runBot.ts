// Runs the process of a bot from its config to its exit code: signals, the control socket and the kill file.

import { dirname, join } from 'node:path';
import { runAfter, monotonicMs, repeatEvery } from '../../../adapters/clock/wallClock.ts';
import { readOwnFile, replaceFile } from '../../../adapters/disk/ownFile.ts';
import { ConfigError, EXIT } from '../../../base/errors.ts';
import { isSource } from '../../../base/inPackage.ts';
import type { Market } from '../../../model/instrument.ts';
import { formatTime } from '../../../model/time.ts';
import { hasBotFile, readBotFile, writeBotFile } from '../../control/folder/botFile.ts';
import { prepareDataFolder } from '../../control/folder/ownFolder.ts';
import { noteBot } from '../../control/folder/runningBots.ts';
import { readKillFile, readKillSwitch } from '../../kill/killSwitch/killSwitch.ts';
import { LossKill } from '../../kill/lossKill.ts';
import { lockAccount } from '../account/accountLock.ts';
import { botFileOf } from '../botFile.ts';
import { LiveControl } from '../liveControl.ts';
import { readLiveConfig, type LiveConfig } from '../config/liveConfig.ts';
import { LiveLog } from '../run/liveLog.ts';
import type { ProofDemand } from '../safety/provedCode.ts';
import { openHeartbeat } from '../safety/heartbeat.ts';
import { checkMode } from '../config/mode.ts';
import { openLiveBot, type OpenedBot } from '../openLiveBot.ts';
import { checkOutFolder } from '../../../adapters/disk/folders/checkOutFolder.ts';
import { bundleInChildProcess, bundleInProcess } from '../../../adapters/plugins/bundler.ts';
import { exitSummary } from './exitSummary.ts';
import { LoopDelay } from '../../../adapters/runtime/loopDelay.ts';
import { openControl } from './controlServer.ts';
import { openMonitoring } from './monitoring.ts';
import { LogOutput, writeLine } from './logOutput.ts';

/** Arguments of a bot's process. */
export interface ProcessOptions {
  readonly file: string;
  readonly isLive: boolean;
  /** `isJson`: log JSON lines, also to a terminal. `isPlain`: log plain sentences, also to a file or pipe. */
  readonly isJson: boolean;
  readonly isPlain: boolean;
  /** True when the operator accepts the changes of code, parameters or bars that the start reports. */
  readonly acceptChanges: boolean;
  /** Whether proofs of the strategies are required or only logged; null: neither. */
  readonly proof: ProofDemand | null;
  /** Fingerprint of the account, typed by the operator; null: not given. */
  readonly confirm: string | null;
  /** Ends the bot after this time, s; null: it runs until it is stopped. */
  readonly seconds: number | null;
}

/** File in the data folder with the fingerprint of the account that the operator has confirmed. */
const CONFIRMED_NAME = 'account.confirmed';
/** Interval of checks for the kill file and the kill switch. */
const POLL_MS = 200;
/** Interval of checks whether a loss requires a kill. */
const LOSS_POLL_MS = 1000;
/**
 * Signals within this time count as one. A signal to the process group reaches the bot twice: directly, and through the command that
 * started it. The command is late on a busy machine.
 */
const SAME_SIGNAL_MS = 3000;
/** Exit codes of a process that a signal has ended: 128 and the number of the signal. */
const SIGNAL_EXIT = { SIGINT: 130, SIGTERM: 143 } as const;
/** Time limit for the end of the bot after an unhandled error, which may block it. */
const MAX_ENDING_MS = 10_000;
/** Time from the end of a kill that closed positions to the exit of the process. */
const KILL_EXIT_DELAY_MS = 5000;

/** Runs a bot. Resolves with the exit code. Throws ConfigError and StrategyError if the bot cannot start. */
export async function runBot(options: ProcessOptions): Promise<number> {
  const config = readLiveConfig(options.file);
  checkOutFolder('data', config.data);
  prepareDataFolder(config.data);
  checkStart(config, options);
  const account = lockAccount(config);
  const removeBotNote = noteBot(dirname(config.accounts), config.data);
  try {
    return await runLocked(config, options, account.unavailableReason);
  } finally {
    removeBotNote();
    account.release();
  }
}

/** Runs the bot while it holds the account lock. `lockProblem`: why the lock could not be taken; null: the bot holds it. */
async function runLocked(config: LiveConfig, options: ProcessOptions, lockProblem: string | null): Promise<number> {
  let log: LiveLog | null = null;
  const isPretty = !options.isJson && (options.isPlain || process.stdout.isTTY);
  const ending = new Ending();
  // The handlers of the output stay until the process exits, because the bot also logs while it ends.
  const output = new LogOutput(process.stdout, [process.stderr], {
    onClosed: (code) => log?.warn(`stdout is closed (${code}); run isobar logs to read the log`),
    onLinesMissed: (lines) =>
      log?.warn(`${lines} lines before this one were not printed, because stdout was not read: isobar logs shows the newest`),
    onDiskFull(code) {
      const message = `the log cannot be written (${code}): the bot continues, and writes again once it can`;
      writeLine(process.stderr, `${message}\n  free disk space; isobar logs shows the newest lines\n`);
      log?.warn(message);
    },
    onDiskFree: (lines) => log?.warn(`the log can be written again, ${lines} lines are missing from it: isobar logs shows the newest`),
  });
  const opened = await openLiveBot(config, {
    log: (nowMs) =>
      (log = new LiveLog({
        write: (line) => output.write(line),
        isPretty,
        nowMs,
        formatTime,
        removeSecrets: (text) => config.signer.maskText(text),
      })),
    // When run from source, in tests, everything runs in one process.
    bundler: isSource ? bundleInProcess : bundleInChildProcess,
    broken: (why) => ending.end(EXIT.failed, why),
    acceptChanges: options.acceptChanges,
    tradedInstruments: () => (hasBotFile(config.data) ? readBotFile(config.data).instruments : []),
    ...(options.proof === null ? {} : { proof: options.proof }),
  });
  if (lockProblem !== null) log!.warn(`another bot of this account on this computer would not be noticed (${lockProblem})`);
  return runOpened(config, options, opened, log!, ending);
}

/** Runs an opened bot with its control socket, heartbeat and monitoring. */
async function runOpened(config: LiveConfig, options: ProcessOptions, opened: OpenedBot, log: LiveLog, ending: Ending): Promise<number> {
  const loopDelay = new LoopDelay();
  // Close everything, also after an error: an open handle keeps the process alive.
  const closers: (() => Promise<void> | void)[] = [() => opened.close(), () => loopDelay.stop()];
  try {
    const control = new LiveControl({
      ...opened,
      loopDelayP99Ms: () => loopDelay.p99Ms,
      onFlattened: (openPositions) => exitAfterDelay(openPositions, ending),
    });
    writeBotFile(config.data, botFileOf(opened));
    const server = await openControl(config.data, control);
    closers.push(() => server.close());
    const { exchange } = opened.bot.deps;
    closers.push(openHeartbeat(config.access.socketUrl, exchange.scheduler, () => exchange.random(), log));
    const noteAlarm = (): void => opened.bot.operatorPresence.noteAlarm(opened.bot.deps.venueMs());
    const monitoring = await openMonitoring(
      control,
      { ...config, notifiers: opened.notifiers, folder: dirname(config.file), onAlarm: noteAlarm },
      log,
    );
    closers.push(() => monitoring.close());
    const { code, why } = await runUntilEnd(config, options.seconds, opened, control, log, ending);
    if (code !== EXIT.ok) monitoring.announceEnd(why);
    return code;
  } finally {
    for (const closePart of closers.toReversed()) await closePart();
  }
}

/** Ends the bot after a delay in which clients can show the result. The next start reads the closed positions from the exchange. */
function exitAfterDelay(openPositions: number, ending: Ending): void {
  const code = openPositions === 0 ? EXIT.ok : EXIT.unknown;
  runAfter(KILL_EXIT_DELAY_MS, () => ending.end(code, 'the kill has closed positions: the next start builds new books'));
}

/** Exit code of the bot, and the reason why it ends. */
interface End {
  readonly code: number;
  readonly why: string;
}

/** Runs the bot from the first audit to the last record. */
async function runUntilEnd(
  config: LiveConfig,
  seconds: number | null,
  { bot }: OpenedBot,
  control: LiveControl,
  log: LiveLog,
  ending: Ending,
): Promise<End> {
  const removeSignalHandlers = onSignals(ending, control, log);
  const removeErrorHandlers = onUnhandledErrors(bot);
  const stopKillFileChecks = repeatEvery(POLL_MS, () => checkKillFiles(config, control));
  const lossKill = new LossKill({ risk: bot.deps.engine.risk, equityUnits: () => bot.equity.currentTotal() });
  const stopLossChecks = repeatEvery(LOSS_POLL_MS, () => killOnLossLimit(control, bot, lossKill));
  const stopTimer = seconds === null ? () => {} : repeatEvery(seconds * 1000, () => ending.end(EXIT.ok, `${seconds} s have passed`));
  const names = bot.deps.plan.strategies.map(({ record }) => record.name).join(', ');
  log.info(`${config.mode} on account ${config.fingerprint}, time scale ${config.timeScale}: ${names}`);
  bot.start();
  const { code, why } = await ending.promise;
  stopTimer();
  stopKillFileChecks();
  stopLossChecks();
  log.info(`stopping: ${why}`);
  await new Promise<void>((resolve) => bot.stop(resolve));
  removeSignalHandlers(code);
  removeErrorHandlers();
  log.info(exitSummary(control.view()));
  return { code, why };
}

/** Checks everything that can be checked before anything is opened. */
function checkStart(config: LiveConfig, { isLive, confirm }: ProcessOptions): void {
  const path = join(config.data, CONFIRMED_NAME);
  const confirmedEarlier = readOwnFile(path)?.trim() ?? null;
  const confirmed = confirm ?? confirmedEarlier;
  const { mode, timeScale, fingerprint, access, markets } = config;
  const urls: Partial<Record<Market, string>> = {};
  for (const market of markets) {
    const url = access.baseUrls[market];
    if (url !== null) urls[market] = url;
  }
  checkMode({ mode, isFlagged: isLive, timeScale, urls, fingerprint, confirmed });
  if (mode === 'live' && confirm !== null) replaceFile(path, `${confirm}\n`);
  const record = readKillSwitch(config.data);
  if (record === null) return;
  throw new ConfigError(
    `${config.data}: this bot was killed by ${record.who}: ${record.why}`,
    'check every order and position, then re-arm: isobar resume account --code KILLED --why ...',
  );
}

/**
 * Handles signals. Call the returned function with the exit code once the bot has stopped: it ends the handling of SIGUSR2. The other
 * handlers stay, because the command that started the bot forwards signals that the bot has already received, perhaps while everything is
 * being closed. They no longer change the exit code.
 */
function onSignals(ending: Ending, control: LiveControl, log: LiveLog): (exitCode: number) => void {
  let firstSignalMs = NaN;
  /** The exit code once the bot has stopped; null before. */
  let finalCode: number | null = null;
  // The first signal ends the bot in order. A later one exits at once, with the code of a process that the signal has ended.
  const stopOn = (name: 'SIGTERM' | 'SIGINT', signalCode: number) =>
    process.on(name, () => {
      if (monotonicMs() - firstSignalMs < SAME_SIGNAL_MS) return;
      if (ending.isRequested) process.exit(finalCode ?? signalCode);
      firstSignalMs = monotonicMs();
      ending.end(EXIT.ok, `${name} was received`);
    });
  const kill = (): void => {
    log.warn('SIGUSR2 was received');
    void control.kill({ flatten: false, why: 'SIGUSR2' }, 'signal');
  };
  process.on('SIGUSR2', kill);
  const hangUp = (): void => {
    if (!ending.isRequested) ending.end(EXIT.ok, 'SIGHUP was received');
  };
  process.on('SIGHUP', hangUp);
  stopOn('SIGTERM', SIGNAL_EXIT.SIGTERM);
  stopOn('SIGINT', SIGNAL_EXIT.SIGINT);
  return (exitCode) => {
    finalCode = exitCode;
    process.off('SIGUSR2', kill);
  };
}

/**
 * Handles errors outside of steps, for example in a promise or timer of a strategy. Their strategy is unknown, and by default Node would
 * exit at once.
 */
function onUnhandledErrors(bot: OpenedBot['bot']): () => void {
  let cancelExit = (): void => {};
  const handleError = (error: unknown): void => {
    bot.giveUp(`an uncaught error: ${unhandledErrorText(error)}`);
    cancelExit();
    // Ending the bot may raise the same error again, so set a time limit.
    cancelExit = runAfter(MAX_ENDING_MS, () => process.exit(EXIT.failed));
  };
  process.on('uncaughtException', handleError).on('unhandledRejection', handleError);
  return () => {
    cancelExit();
    process.off('uncaughtException', handleError).off('unhandledRejection', handleError);
  };
}

/** Returns the message with the place of the error, if there is one. */
function unhandledErrorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const place = error.stack?.split('\n').find((line) => /^\s+at /.test(line));
  return `${error.message}${place === undefined ? '' : ` (${place.trim()})`}`;
}

/** Checks the kill file in the data folder, and the kill switch that a kill in another process has engaged. */
function checkKillFiles({ data }: LiveConfig, control: LiveControl): void {
  if (control.isKilled) return;
  const file = readKillFile(data);
  if (file) void control.kill({ flatten: file.flatten, why: 'the file KILL exists' }, 'kill file');
  else control.pollKillSwitch();
}

/** Kills the bot if its loss continues after a halt. */
function killOnLossLimit(control: LiveControl, bot: OpenedBot['bot'], lossKill: LossKill): void {
  // Before the first clean audits the positions are not certain.
  const reason = control.isKilled || !bot.isTrading ? null : lossKill.killReason();
  if (reason !== null) void control.kill({ flatten: true, why: reason }, 'loss limit');
}

/** The end of the bot, which several events may request. */
class Ending {
  /** Resolves when the end is requested. */
  readonly promise: Promise<End>;
  isRequested = false;
  #resolve: (end: End) => void = () => {};

  constructor() {
    this.promise = new Promise((resolve) => (this.#resolve = resolve));
  }
  /** Requests the end. Only the first call counts. */
  end(code: number, reason: string): void {
    this.isRequested = true;
    this.#resolve({ code, why: reason });
  }
}
