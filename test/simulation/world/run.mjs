// Simulates days of the production bot and the production exchange: npm run sim -- [--days N] [--from SEED] [--workers N] [--hours N] [--seed SEED [--loud]] [--without GUARD] [--json]
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fail, readArguments } from '../../fixtures/runBuilt.mjs';
import { bundleWorld } from './bundle.mjs';

const usage = 'npm run sim -- [--days N] [--from SEED] [--workers N] [--hours N] [--seed SEED [--loud]] [--without GUARD] [--json]';
const text = { type: 'string' };
const flag = { type: 'boolean', default: false };
const given = readArguments({
  options: { days: text, from: text, workers: text, hours: text, seed: text, without: text, loud: flag, json: flag },
  usage,
  whole: ['days', 'from', 'workers', 'hours', 'seed', 'without'],
});
const hours = Number(given.hours ?? 24);
if (hours < 2 || hours > 24) fail(`--hours: expected 2 to 24, got ${hours}`, usage);
const cache = new URL('../../../node_modules/.cache/isobar/', import.meta.url);
const programs = ['sim', 'guards'].map((name) => fileURLToPath(new URL(`${name}-${process.pid}.mjs`, cache)));
mkdirSync(dirname(programs[0]), { recursive: true });

/** The lines that take the guard of this row out. */
async function changesOf(row) {
  await bundleWorld(new URL('planted.ts', import.meta.url), programs[1]);
  const { plantedBy } = await import(pathToFileURL(programs[1]).href);
  const found = plantedBy(row);
  if (found === null) fail(`--without: there is no guard ${row}`, usage);
  console.error(`without: ${found.name}`);
  return found.changes;
}

async function work(args, take) {
  const child = spawn(process.execPath, ['--max-semi-space-size=64', programs[0], ...args.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  for await (const line of createInterface({ input: child.stdout })) take(JSON.parse(line));
  const code = await ended;
  if (code !== 0) throw new Error(`a worker ended with code ${code}`);
}

async function simulate() {
  const startMs = performance.now();
  const isOne = given.seed !== undefined;
  const first = Number(given.seed ?? given.from ?? 1);
  const days = isOne ? 1 : Number(given.days ?? 10);
  const workers = isOne ? 1 : Math.min(days, Number(given.workers ?? 2));
  const results = [];
  const take = (result) => {
    results.push(result);
    for (const violation of result.violations) console.error(`seed ${result.seed}: ${violation}`);
  };
  if (isOne) await work([given.loud ? 'loud' : 'shrink', first, first + 1, 1, hours], take);
  else await Promise.all(Array.from({ length: workers }, (_, at) => work(['days', first + at, first + days, workers, hours], take)));
  const seconds = (performance.now() - startMs) / 1000;
  results.sort((a, b) => a.seed - b.seed);
  const sum = (name) => results.reduce((total, result) => total + result[name], 0);
  const hash = createHash('sha256')
    .update(results.map((result) => result.hash).join(' '))
    .digest('hex')
    .slice(0, 16);
  const failed = results.filter(({ violations }) => violations.length > 0).map(({ seed }) => seed);
  const report = {
    days: (results.length * hours) / 24,
    seeds: `${first}-${first + days - 1}`,
    orders: sum('orders'),
    unknown: sum('unknown'),
    restarts: sum('restarts'),
    kills: sum('kills'),
    violations: results.reduce((total, { violations }) => total + violations.length, 0),
    hash,
    daysPerSecondPerCore: Number(((results.length * hours) / 24 / seconds / workers).toFixed(3)),
  };
  if (given.without !== undefined) console.error(`duplicate orders: ${sum('duplicates')}; forgotten orders: ${sum('forgotten')}`);
  if (given.json) console.log(JSON.stringify(report));
  else for (const [name, value] of Object.entries(report)) console.log(`${name}: ${value}`);
  if (failed.length > 0 && !isOne)
    console.error(`each again, and shrunk: npm run sim -- --seed ${failed[0]}${hours === 24 ? '' : ` --hours ${hours}`}`);
  return failed.length === 0 ? 0 : 1;
}

try {
  await bundleWorld(
    new URL('main.ts', import.meta.url),
    programs[0],
    given.without === undefined ? [] : await changesOf(Number(given.without)),
  );
  process.exitCode = await simulate();
} finally {
  for (const program of programs) rmSync(program, { force: true });
}
