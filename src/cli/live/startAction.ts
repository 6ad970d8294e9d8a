// Implements `isobar live`: starts the bot as a separate process, forwards signals, and exits with its exit code.

import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { after } from '../../adapters/clock/wallClock.ts';
import { isKilling } from '../../tasks/kill/killSwitch/killing.ts';
import { inheritedEnvironment, withoutSecrets } from '../../access/environment.ts';
import { openDemo, type Demo } from '../../tasks/bot/demo.ts';
import { secondsOf } from '../../tasks/bot/config/seconds.ts';
import { ConfigError } from '../../base/errors.ts';
import { builtUrl } from '../../base/inPackage.ts';
import { noteProxies } from '../terminal/proxyNote.ts';

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

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGUSR2', 'SIGHUP'] as const;

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
  // Checks the option before anything is opened. The bot's process checks it again.
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

const KILL_POLL_MS = 50;

/**
 * Waits for a kill in progress. A kill ends the bot's process before it closes its positions, so the paper exchange must stay open until
 * then.
 */
async function waitForKill(data: string, isJson: boolean): Promise<void> {
  if (!isKilling(data)) return;
  if (!isJson) process.stderr.write('The bot has ended; the paper exchange stays open until the kill has completed.\n');
  while (isKilling(data)) await new Promise<void>((resolve) => void after(KILL_POLL_MS, resolve));
}

/** Removes the temporary folder of the demo. Files that another process still holds open are left behind. */
function removeDemo(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    process.stderr.write(`${folder}: cannot be removed (${String(error.code)})\n  remove it by hand\n`);
  }
}

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

/** Returns the exit code of the bot. */
function botProcess(
  config: string,
  { live: isLive, confirm, json, demo, seconds, acceptChanges, requireProof }: LiveArgs,
): Promise<number> {
  const entry = fileURLToPath(builtUrl('tasks/bot/process/main'));
  const options = [
    ...(isLive ? ['--live'] : []),
    ...(acceptChanges ? ['--accept-changes'] : []),
    // The demo runs a shipped strategy, and has no ledger with verdicts.
    ...(requireProof ? ['--require-proof'] : demo ? ['--unproved'] : []),
    ...(confirm === undefined ? [] : ['--confirm', confirm]),
    ...(json ? ['--json'] : demo ? ['--plain'] : []),
    ...(seconds === undefined ? [] : ['--seconds', seconds]),
  ];
  // The demo has its own keys. Any other bot uses those of its config or of the environment.
  const env = demo ? withoutSecrets(process.env) : inheritedEnvironment(process.env);
  const child = spawn(process.execPath, [entry, config, ...options], { stdio: 'inherit', env });
  const stopForwarding = forwardSignals(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      stopForwarding();
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']);
    });
  });
}

/** Forwards signals to the bot. This process must not end before the bot does. */
function forwardSignals(child: ChildProcess): () => void {
  const offs = SIGNALS.map((name) => {
    const act = (): void => {
      // A terminal sends SIGINT to the whole process group, so the bot gets it anyway.
      if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
    };
    process.on(name, act);
    return () => void process.off(name, act);
  });
  return () => offs.forEach((off) => off());
}
