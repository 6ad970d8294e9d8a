// What `isobar live` does: starts the bot as a process of its own, hands on signals, and ends with its exit code.

import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';
import { after } from '../../adapters/clock/wallClock.ts';
import { isKilling } from '../../tasks/kill/killSwitch/killing.ts';
import { handedOn, withoutSecrets } from '../../access/environment.ts';
import { openDemo, type Demo } from '../../tasks/bot/demo.ts';
import { secondsOf } from '../../tasks/bot/config/seconds.ts';
import { ConfigError } from '../../base/errors.ts';
import { noteProxies } from '../terminal/proxyNote.ts';

interface LiveArgs {
  readonly config?: string | undefined;
  readonly live: boolean;
  readonly confirm?: string | undefined;
  readonly demo: boolean;
  readonly json: boolean;
  readonly seconds?: string | undefined;
  readonly acceptChanges: boolean;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGUSR2', 'SIGHUP'] as const;

export async function live(args: LiveArgs): Promise<void> {
  noteProxies();
  if (args.demo === (args.config !== undefined)) {
    throw new ConfigError(
      `isobar live: expected a config file or --demo, got ${args.demo ? `both: ${args.config}` : 'neither'}`,
      'config/bot.paper-spot.example.yaml is one to begin with',
    );
  }
  if (!args.demo) {
    process.exitCode = await botProcess(args.config!, args);
    return;
  }
  if (args.live || args.confirm !== undefined) throw new ConfigError('--demo: trades on paper alone', 'leave --live and --confirm out');
  // Before anything is opened; the bot's own process looks at it again.
  secondsOf(args.seconds);
  const demo = await openDemo(fileURLToPath(new URL('../isobar.js', import.meta.url)));
  try {
    if (!args.json) process.stderr.write(demoText(demo));
    process.exitCode = await botProcess(demo.config, args);
    await killOver(demo.data, args.json);
  } finally {
    demo.close();
    removeDemo(demo.folder);
  }
}

const KILL_LOOK_MS = 50;

/** A kill ends the bot's process first, and closes its positions then: until it is through the exchange has to stay. */
async function killOver(data: string, isJson: boolean): Promise<void> {
  if (!isKilling(data)) return;
  if (!isJson) process.stderr.write('The bot has ended; the paper exchange stays open until the kill is through.\n');
  while (isKilling(data)) await new Promise<void>((resolve) => void after(KILL_LOOK_MS, resolve));
}

/** What another process still holds there stays behind: it is a temporary folder. */
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
    `A paper exchange is open at ${url}; it lives ${speed} times as fast as the clock on the wall.`,
    `The bot trades ${strategy} on ${interval} bars of BTCUSDT there, with 10000 USDT of play money. Ctrl-C ends both.`,
    `Look at it from another terminal: isobar status --data ${data}`,
    `Close everything it holds from there: isobar kill --flatten --data ${data}`,
    'While it is the only bot of yours that runs, both work without --data.',
    '',
    '',
  ].join('\n');
}

/** Resolves with the exit code of the bot. */
function botProcess(config: string, { live: isLive, confirm, json, demo, seconds, acceptChanges }: LiveArgs): Promise<number> {
  const entry = fileURLToPath(new URL('../../tasks/bot/process/main.js', import.meta.url));
  const options = [
    ...(isLive ? ['--live'] : []),
    ...(acceptChanges ? ['--accept-changes'] : []),
    ...(confirm === undefined ? [] : ['--confirm', confirm]),
    ...(json ? ['--json'] : demo ? ['--plain'] : []),
    ...(seconds === undefined ? [] : ['--seconds', seconds]),
  ];
  // The demonstration has keys of its own; any other bot trades with those of its config, or of the environment.
  const env = demo ? withoutSecrets(process.env) : handedOn(process.env);
  const child = spawn(process.execPath, [entry, config, ...options], { stdio: 'inherit', env });
  const off = forwardSignals(child);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      off();
      resolve(code ?? 128 + constants.signals[signal ?? 'SIGKILL']);
    });
  });
}

/** A signal of the terminal reaches both processes anyway; this one must not end before the bot has. */
function forwardSignals(child: ChildProcess): () => void {
  const offs = SIGNALS.map((name) => {
    const act = (): void => {
      // What a terminal sends, it sends to the whole group.
      if (name !== 'SIGINT' || !process.stdin.isTTY) child.kill(name);
    };
    process.on(name, act);
    return () => void process.off(name, act);
  });
  return () => offs.forEach((off) => off());
}
