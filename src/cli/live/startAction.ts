// Implements `isobar live`: starts the bot as a separate process, forwards signals, and exits with its exit code.

import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { runAfter } from '../../adapters/clock/wallClock.ts';
import { isKilling } from '../../tasks/kill/killSwitch/killMark.ts';
import { inheritedEnvironment, withoutSecrets } from '../../access/environment.ts';
import { openDemo, type Demo } from '../../tasks/bot/demo.ts';
import { secondsOf } from '../../tasks/bot/config/secondsOption.ts';
import { ConfigError } from '../../base/errors.ts';
import { builtUrl } from '../../base/inPackage.ts';
import { reportedExitCode } from '../../tasks/bot/exitReport.ts';
import { noteProxies } from '../terminal/proxyNote.ts';

/** Options of `isobar live`. */
interface LiveArgs {
  readonly config?: string | undefined;
  readonly live: boolean;
  readonly confirm?: string | undefined;
  readonly demo: boolean;
  readonly json: boolean;
  readonly seconds?: string | undefined;
  readonly acceptChanges: boolean;
  readonly requireProof: boolean;
}

/** The signals that are forwarded to the bot. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGUSR2', 'SIGHUP'] as const;

/** Runs `isobar live` until the bot exits. The exit code is that of the bot. */
export async function live(args: LiveArgs): Promise<void> {
  noteProxies();
  if (args.demo === (args.config !== undefined)) {
    throw new ConfigError(
      `isobar live: expected a config file or --demo, got ${args.demo ? `both: ${args.config}` : 'neither'}`,
      'start from config/bot.paper-spot.example.yaml',
    );
  }
  if (!args.demo) {
    process.exitCode = await botProcess(args.config!, args);
    return;
  }
  if (args.live || args.confirm !== undefined)
    throw new ConfigError(
      '--demo: expected not to be given with --live or --confirm, because it trades on paper',
      'remove --live and --confirm',
    );
  if (args.requireProof)
    throw new ConfigError(
      '--demo: expected not to be given with --require-proof, because no verdict about its strategy is kept',
      'remove --require-proof',
    );
  // An invalid option must fail before the paper exchange opens.
  secondsOf(args.seconds);
  const demo = await openDemo(fileURLToPath(builtUrl('cli/isobar')));
  try {
    if (!args.json) process.stderr.write(demoText(demo));
    process.exitCode = await botProcess(demo.config, args);
    await waitForKill(demo.data, args.json);
  } finally {
    demo.close();
    removeDemo(demo.folder);
  }
}

/** Interval at which the demo checks whether a kill has completed. */
const KILL_POLL_MS = 50;

/**
 * Waits until a kill in progress has completed. A kill closes the positions after the bot has exited, so the paper exchange must stay open.
 */
async function waitForKill(data: string, isJson: boolean): Promise<void> {
  if (!isKilling(data)) return;
  if (!isJson) process.stderr.write('The bot has ended; the paper exchange stays open until the kill has completed.\n');
  while (isKilling(data)) await new Promise<void>((resolve) => void runAfter(KILL_POLL_MS, resolve));
}

/** Removes the temporary folder of the demo. If another process holds a file open, prints the path for the user to remove. */
function removeDemo(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    process.stderr.write(`${folder}: cannot be removed (${String(error.code)})\n  remove it by hand\n`);
  }
}

/** Returns the text that a demo prints first. */
function demoText({ url, speed, strategy, interval, data }: Demo): string {
  return [
    `A paper exchange is open at ${url}; its clock runs ${speed} times as fast as real time.`,
    `The bot trades ${strategy} on ${interval} bars of BTCUSDT there, with 10000 USDT of play money. Ctrl-C ends both.`,
    `Look at it from another terminal: isobar status --data ${data}`,
    `Close all its positions from there: isobar kill --flatten --data ${data}`,
    'If no other bot of yours runs, both commands work without --data.',
    '',
    '',
  ].join('\n');
}

/** Runs the bot in its own process. Returns its exit code. */
function botProcess(
  config: string,
  { live: isLive, confirm, json, demo, seconds, acceptChanges, requireProof }: LiveArgs,
): Promise<number> {
  const entry = fileURLToPath(builtUrl('tasks/bot/process/main'));
  // The demo runs a strategy of isobar, and has no trial ledger with verdicts.
  const proofOptionOfDemo = demo ? ['--unproved'] : [];
  const outputOptionOfDemo = demo ? ['--plain'] : [];
  const options = [
    ...(isLive ? ['--live'] : []),
    ...(acceptChanges ? ['--accept-changes'] : []),
    ...(requireProof ? ['--require-proof'] : proofOptionOfDemo),
    ...(confirm === undefined ? [] : ['--confirm', confirm]),
    ...(json ? ['--json'] : outputOptionOfDemo),
    ...(seconds === undefined ? [] : ['--seconds', seconds]),
  ];
  // The demo has its own keys. Any other bot uses those of its config or of the environment.
  const env = demo ? withoutSecrets(process.env) : inheritedEnvironment(process.env);
  const child = spawn(process.execPath, [entry, config, ...options], { stdio: ['inherit', 'inherit', 'inherit', 'ipc'], env });
  const stopForwarding = forwardSignals(child);
  let reportedCode: number | null = null;
  child.on('message', (message) => (reportedCode = reportedExitCode(message)));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      stopForwarding();
      const finish = (): void => resolve(code ?? exitCodeAfter(signal ?? 'SIGKILL', reportedCode));
      // What the bot has reported arrives before the channel closes.
      if (code === null && child.connected) child.once('disconnect', finish);
      else finish();
    });
  });
}

/**
 * Returns the exit code of a bot that a signal has ended. If the bot had reported its exit code, that code counts. The bot had
 * finished, and the forwarded signal came while Node was removing the signal handlers.
 */
export function exitCodeAfter(signal: NodeJS.Signals, reportedCode: number | null): number {
  const isForwarded = SIGNALS.some((name) => name === signal);
  if (isForwarded && reportedCode !== null) return reportedCode;
  // Shells add the number of the signal to 128.
  return 128 + constants.signals[signal];
}

/** Forwards signals to the bot, so that this process exits after the bot. Returns a function that stops the forwarding. */
function forwardSignals(child: ChildProcess): () => void {
  const removeListeners = SIGNALS.map((name) => {
    const onSignal = (): void => {
      // A terminal sends SIGINT to the whole process group, so the bot gets it anyway.
      if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
    };
    process.on(name, onSignal);
    return () => void process.off(name, onSignal);
  });
  return () => removeListeners.forEach((remove) => remove());
}
