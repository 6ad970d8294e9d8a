// Tests the rehearsal of the README with the installed package: a kill from another terminal flattens a demonstration.

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { BotView } from '../../src/tasks/control/botView.ts';
import { installPackage, type InstalledPackage } from '../fixtures/packed.ts';

/** Maximum time from the start of `kill` to its exit. */
const MAX_KILL_MS = 10_000;

let installed: InstalledPackage;
beforeAll(() => {
  installed = installPackage();
});
afterAll(() => installed.remove());

/** The end of a command, and how long it ran. */
interface TimedCommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly ms: number;
}

/** An empty folder of a user who has only the package. */
class Newcomer {
  readonly #folder: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(name: string) {
    this.#folder = join(installed.folder, name);
    mkdirSync(this.#folder);
    const state = join(installed.folder, `${name}-state`);
    this.#env = { ...process.env, XDG_STATE_HOME: state };
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

  async run(args: readonly string[]): Promise<TimedCommandResult> {
    const beganMs = performance.now();
    const child = this.start(args);
    let output = '';
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, out: output, ms: performance.now() - beganMs };
  }

  async view(): Promise<BotView | null> {
    const { code, out } = await this.run(['status', '--json']);
    return code === 0 ? (JSON.parse(out) as BotView) : null;
  }
}

/** Resolves when the demonstration has a position. `status` runs only after a fill was printed, because each one starts a command. */
async function holdsSomething(newcomer: Newcomer, demo: ChildProcess): Promise<void> {
  let text = '';
  demo.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await expect.poll(() => text, { timeout: 60_000, interval: 50 }).toMatch(/ (?:bought|sold) /);
  await expect.poll(async () => (await newcomer.view())?.positions.length ?? 0, { timeout: 60_000, interval: 1000 }).toBeGreaterThan(0);
}

it('the commands of the README, typed into an empty folder, end flat with exit code 0', async () => {
  const readme = readFileSync(join(installed.modules, 'isobar', 'README.md'), 'utf8');
  for (const line of ['npx isobar live --demo --seconds 60', 'npx isobar kill --flatten']) expect(readme).toContain(line);
  const newcomer = new Newcomer('rehearsal');
  const demo = newcomer.start(['live', '--demo', '--seconds', '60']);
  let text = '';
  for (const stream of [demo.stdout!, demo.stderr!]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const ended = once(demo, 'close');
  await holdsSomething(newcomer, demo);
  const killed = await newcomer.run(['kill', '--flatten']);
  expect(killed, killed.out + text).toMatchObject({ code: 0 });
  expect(killed.out).toContain('every position is closed');
  expect(killed.ms).toBeLessThan(MAX_KILL_MS);
  expect(await ended).toEqual([0, null]);
  expect(text).not.toMatch(/fault of isobar|ENOTEMPTY/);
  const folder = /(\S*isobar-demo-\w+)/.exec(text)?.[1] ?? '';
  expect([folder === '', existsSync(folder)]).toEqual([false, false]);
});

it('status and kill find a bot whose visible command was ended by kill -9', async () => {
  const newcomer = new Newcomer('orphan');
  const demo = newcomer.start(['live', '--demo']);
  try {
    await holdsSomething(newcomer, demo);
    const closed = once(demo, 'exit');
    process.kill(demo.pid!, 'SIGKILL');
    await closed;
    expect(await newcomer.view()).toMatchObject({ name: 'demo' });
    const killed = await newcomer.run(['kill', '--flatten', '--json']);
    expect(killed, killed.out).toMatchObject({ code: 0 });
    expect(await newcomer.view()).toBeNull();
  } finally {
    // The exchange of the demonstration, which this test has to end.
    process.kill(-demo.pid!, 'SIGKILL');
  }
});
