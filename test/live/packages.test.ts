// Tests that the process of a live bot loads at most 40 packages, and none with an install script.

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { LiveFixture } from './liveFixture.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MAX_PACKAGES = 40;

let fixture: LiveFixture;
afterEach(async () => fixture.close());

interface PackageLock {
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
}

/** Runs a bot for three seconds. Returns the sorted names of the packages that it loaded. */
async function loadedPackages(config: string): Promise<readonly string[]> {
  const listFile = join(fixture.folder, 'loaded');
  const child = spawn(
    process.execPath,
    ['--import', join(ROOT, 'test/live/loadedFiles.mjs'), join(ROOT, 'dist/tasks/bot/process/main.js'), config, '--seconds', '3'],
    { env: { ...process.env, ISOBAR_LOADED: listFile }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  child.stdout.on('data', (text) => (output += String(text)));
  child.stderr.on('data', (text) => (output += String(text)));
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve));
  expect(code, output).toBe(0);
  expect(output).toContain('the bot trades');
  // Some packages are bundled. The build lists the packages of each bundled file.
  const bundled = JSON.parse(readFileSync(join(ROOT, 'dist/packages.json'), 'utf8')) as Readonly<Record<string, readonly string[]>>;
  const names = readFileSync(listFile, 'utf8')
    .split('\n')
    .flatMap((file) => {
      const packageName = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
      return packageName ?? bundled[file.slice(file.lastIndexOf('/dist/') + '/dist/'.length)] ?? [];
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
  expect(names.length).toBeLessThanOrEqual(MAX_PACKAGES);
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as PackageLock;
  expect(names.filter((name) => packages[`node_modules/${name}`]?.hasInstallScript)).toEqual([]);
  for (const banned of ['yargs', 'fastify', 'express', 'esbuild', 'piscina', 'bullmq']) expect(names).not.toContain(banned);
});
