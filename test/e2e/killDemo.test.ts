// Tests the rehearsal of the README with the installed package: a kill from another terminal flattens a demonstration.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BotView } from '../../src/tasks/control/botView.ts';
import { installPackage, type InstalledPackage } from '../fixtures/packed.ts';

/** Maximum time from the start of `kill` to its exit, ms. */
const MAX_KILL_MS = 10_000;
/** Maximum time until the demonstration has a position, ms. */
const MAX_START_MS = 60_000;

let installed: InstalledPackage;
beforeAll(() => {
  installed = installPackage();
});
afterAll(() => installed.remove());

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
    this.#folder = join(installed.folder, name);
    mkdirSync(this.#folder);
    const stateFolder = join(installed.folder, `${name}-state`);
    this.#env = { ...process.env, XDG_STATE_HOME: stateFolder };
  }

  /** Starts a command in its own process group. */
  start(args: readonly string[]): ChildProcess {
    return spawn(process.execPath, [join(installed.modules, '.bin', 'isobar'), ...args], {
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

/** Waits until the demonstration has a position. Runs `status` only after a fill was printed, because each `status` starts a process. */
async function waitForPosition(user: NewUser, demo: ChildProcess): Promise<void> {
  let printed = '';
  demo.stdout!.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  await expect.poll(() => printed, { timeout: MAX_START_MS, interval: 50 }).toMatch(/ (?:bought|sold) /);
  await expect.poll(async () => (await user.view())?.positions.length ?? 0, { timeout: MAX_START_MS, interval: 1000 }).toBeGreaterThan(0);
}

it('the commands of the README, typed into an empty folder, end flat with exit code 0', async () => {
  const readme = readFileSync(join(installed.modules, 'isobar', 'README.md'), 'utf8');
  for (const line of ['npx isobar live --demo --seconds 60', 'npx isobar kill --flatten']) expect(readme).toContain(line);
  const user = new NewUser('rehearsal');
  const demo = user.start(['live', '--demo', '--seconds', '60']);
  let demoOutput = '';
  for (const stream of [demo.stdout!, demo.stderr!]) stream.on('data', (chunk: Buffer) => (demoOutput += chunk.toString()));
  const ended = once(demo, 'close');
  await waitForPosition(user, demo);
  const killed = await user.run(['kill', '--flatten']);
  expect(killed, killed.output + demoOutput).toMatchObject({ exitCode: 0 });
  expect(killed.output).toContain('every position is closed');
  expect(killed.durationMs).toBeLessThan(MAX_KILL_MS);
  expect(await ended).toEqual([0, null]);
  expect(demoOutput).not.toMatch(/fault of isobar|ENOTEMPTY/);
  const demoFolder = /(\S*isobar-demo-\w+)/.exec(demoOutput)?.[1] ?? '';
  expect(demoFolder).not.toBe('');
  expect(existsSync(demoFolder)).toBe(false);
});

it('status and kill find a bot whose visible command was ended by kill -9', async () => {
  const user = new NewUser('orphan');
  const demo = user.start(['live', '--demo']);
  try {
    await waitForPosition(user, demo);
    const closed = once(demo, 'exit');
    process.kill(demo.pid!, 'SIGKILL');
    await closed;
    expect(await user.view()).toMatchObject({ name: 'demo' });
    const killed = await user.run(['kill', '--flatten', '--json']);
    expect(killed, killed.output).toMatchObject({ exitCode: 0 });
    expect(await user.view()).toBeNull();
  } finally {
    // Ends the process group: the exchange of the demonstration still runs, because nothing else ends it after kill -9.
    process.kill(-demo.pid!, 'SIGKILL');
  }
});
