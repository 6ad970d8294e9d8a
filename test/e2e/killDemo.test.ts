// Tests the demo of the README with the installed package: `isobar kill --flatten` from another terminal closes the positions of `isobar live --demo`.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BotView } from '../../src/tasks/control/botView.ts';
import { installPackage, type InstalledPackage } from '../fixtures/packed.ts';

/** Maximum time from the start of `kill` to its exit, ms. */
const MAX_KILL_MS = 10_000;
/** Maximum time until the demo prints a fill, and then until `status` shows its position, ms each. */
const MAX_POSITION_MS = 60_000;
/** The demo prints one of these words for each fill. */
const FILL_PATTERN = / (?:bought|sold) /;

let installedPackage: InstalledPackage;
beforeAll(() => {
  installedPackage = installPackage();
});
afterAll(() => installedPackage.remove());

/** The exit code, the output and the duration of a finished command. */
interface TimedCommandResult {
  readonly exitCode: number | null;
  /** stdout and stderr. */
  readonly output: string;
  readonly durationMs: number;
}

/** Runs commands as a new user does, who has an empty folder and the installed package. */
class NewUser {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(name: string) {
    this.#folder = join(installedPackage.folder, name);
    mkdirSync(this.#folder);
    const stateFolder = join(installedPackage.folder, `${name}-state`);
    this.#env = { ...process.env, XDG_STATE_HOME: stateFolder };
  }

  /** Starts a command in its own process group. */
  start(args: readonly string[]): ChildProcess {
    return spawn(process.execPath, [join(installedPackage.modules, '.bin', 'isobar'), ...args], {
      cwd: this.#folder,
      env: this.#env,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** Runs a command to its end. */
  async run(args: readonly string[]): Promise<TimedCommandResult> {
    const startMs = performance.now();
    const child = this.start(args);
    let output = '';
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [exitCode] = (await once(child, 'close')) as [number | null];
    return { exitCode, output, durationMs: performance.now() - startMs };
  }

  /** Returns the view of the running bot; null if no bot runs. */
  async view(): Promise<BotView | null> {
    const { exitCode, output } = await this.run(['status', '--json']);
    return exitCode === 0 ? (JSON.parse(output) as BotView) : null;
  }
}

/** Waits until the demo has a position. Runs `status` only after a fill was printed, because each `status` starts a process. */
async function waitForPosition(user: NewUser, demo: ChildProcess): Promise<void> {
  let printed = '';
  demo.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await expect.poll(() => printed, { timeout: MAX_POSITION_MS, interval: 50 }).toMatch(FILL_PATTERN);
  await expect
    .poll(async () => (await user.view())?.positions.length ?? 0, { timeout: MAX_POSITION_MS, interval: 1000 })
    .toBeGreaterThan(0);
}

it('`isobar kill --flatten` of the README closes every position of its demo, and both commands exit with 0', async () => {
  const readme = readFileSync(join(installedPackage.modules, 'isobar', 'README.md'), 'utf8');
  for (const line of ['npx isobar live --demo --seconds 60', 'npx isobar kill --flatten']) expect(readme).toContain(line);
  const user = new NewUser('readme');
  const demo = user.start(['live', '--demo', '--seconds', '60']);
  let demoOutput = '';
  for (const stream of [demo.stdout!, demo.stderr!]) stream.on('data', (chunk: Buffer) => (demoOutput += chunk.toString()));
  const demoExit = once(demo, 'close');
  await waitForPosition(user, demo);
  const killResult = await user.run(['kill', '--flatten']);
  expect(killResult, killResult.output + demoOutput).toMatchObject({ exitCode: 0 });
  expect(killResult.output).toContain('every position of the bot is closed');
  expect(killResult.durationMs).toBeLessThan(MAX_KILL_MS);
  expect(await demoExit).toEqual([0, null]);
  // The demo removes its folder.
  expect(demoOutput).not.toMatch(/fault of isobar|ENOTEMPTY/);
  const demoFolder = /(\S*isobar-demo-\w+)/.exec(demoOutput)?.[1] ?? '';
  expect(demoFolder).not.toBe('');
  expect(existsSync(demoFolder)).toBe(false);
});

it('status and kill find the bot of a demo whose `isobar live` process was ended by kill -9', async () => {
  const user = new NewUser('killed');
  const demo = user.start(['live', '--demo']);
  try {
    await waitForPosition(user, demo);
    const demoExit = once(demo, 'exit');
    process.kill(demo.pid!, 'SIGKILL');
    await demoExit;
    expect(await user.view()).toMatchObject({ name: 'demo' });
    const killResult = await user.run(['kill', '--flatten', '--json']);
    expect(killResult, killResult.output).toMatchObject({ exitCode: 0 });
    expect(await user.view()).toBeNull();
  } finally {
    // Ends the process group: the exchange of the demo still runs, because nothing else ends it after kill -9.
    process.kill(-demo.pid!, 'SIGKILL');
  }
});
