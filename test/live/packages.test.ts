// The process of a live bot loads few packages, none of them with an install script: the list is part of the contract.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { LiveFixture } from './liveFixture.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAX = 40;

let fixture: LiveFixture;
afterEach(async () => fixture.close());

interface Lock {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
}

/** Names of the packages that a bot has loaded from its start to its end, sorted. */
async function loadedPackages(config: string): Promise<readonly string[]> {
  const list = join(fixture.folder, 'loaded');
  const child = spawn(
    process.execPath,
    ['--import', join(ROOT, 'test/live/loadedFiles.mjs'), join(ROOT, 'dist/tasks/bot/process/main.js'), config, '--seconds', '3'],
    { env: { ...process.env, ISOBAR_LOADED: list }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let reply = '';
  child.stdout.on('data', (text) => (reply += String(text)));
  child.stderr.on('data', (text) => (reply += String(text)));
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  expect(code, reply).toBe(0);
  expect(reply).toContain('the bot trades');
  // Some packages are bundled; the build says which file has which.
  const bundled = JSON.parse(readFileSync(join(ROOT, 'dist/packages.json'), 'utf8')) as Readonly<Record<string, readonly string[]>>;
  const names = readFileSync(list, 'utf8')
    .split('\n')
    .flatMap((file) => {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
      return name ?? bundled[file.slice(file.lastIndexOf('/dist/') + '/dist/'.length)] ?? [];
    });
  return [...new Set(names)].toSorted();
}

test('the live entry loads at most 40 packages, none with an install script', async () => {
  fixture = await LiveFixture.open(60);
  const { file } = fixture.config(`strategy: ${ROOT}strategies/smaCross.ts
feeds: { bars: { symbol: BTCUSDT, interval: 1m } }
cash: { USDT: '10000' }
`);
  const names = await loadedPackages(file);
  console.log(`packages of the live entry (${names.length}): ${names.join(' ')}`);
  expect(names.length).toBeLessThanOrEqual(MAX);
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as Lock;
  expect(names.filter((name) => packages[`node_modules/${name}`]?.hasInstallScript)).toEqual([]);
  for (const banned of ['yargs', 'fastify', 'express', 'esbuild', 'piscina', 'bullmq']) expect(names).not.toContain(banned);
});
