// Takes each guard of the order path out and lets the world find it: npm run sim:guards -- [--rows LIST] [--from SEED] [--days N] [--hours N] [--search] [--json]
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fail, readArguments } from '../../fixtures/runBuilt.mjs';
import { bundleWorld } from './bundle.mjs';

const usage = 'npm run sim:guards -- [--rows 1,2,...] [--search [--from SEED] [--days N] [--hours N]] [--json]';
const text = { type: 'string' };
const flag = { type: 'boolean', default: false };
const given = readArguments({
  options: { rows: text, from: text, days: text, hours: text, search: flag, json: flag },
  usage,
  whole: ['from', 'days', 'hours'],
});
const MAX_SECONDS = 60;
const table = JSON.parse(readFileSync(new URL('guardSeeds.json', import.meta.url), 'utf8'));
const cache = new URL('../../../node_modules/.cache/isobar/', import.meta.url);
const programs = ['search', 'planted'].map((name) => fileURLToPath(new URL(`${name}-${process.pid}.mjs`, cache)));

/** The first violation of the first of these days that has one; null: none, or not within the time. */
async function firstOf(days) {
  const startMs = performance.now();
  const child = spawn(process.execPath, ['--max-semi-space-size=64', programs[0], 'search', ...days.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), MAX_SECONDS * 1000);
  const ended = new Promise((resolve) => child.once('close', resolve));
  let found = null;
  for await (const line of createInterface({ input: child.stdout })) {
    const { seed, violations } = JSON.parse(line);
    if (violations.length > 0) found = { seed, first: violations[0] };
  }
  await ended;
  clearTimeout(timer);
  return { ...found, seconds: Number(((performance.now() - startMs) / 1000).toFixed(1)) };
}

async function run() {
  await bundleWorld(new URL('planted.ts', import.meta.url), programs[1]);
  const { plantedBy } = await import(pathToFileURL(programs[1]).href);
  const rows = given.rows === undefined ? table.caught.map(({ row }) => row) : given.rows.split(',').map(Number);
  const hours = Number(given.hours ?? 2);
  const results = [];
  for (const row of rows) {
    const planted = plantedBy(row);
    if (planted === null) fail(`--rows: there is no guard ${row}`, usage);
    const known = table.caught.find((each) => each.row === row);
    if (known === undefined && !given.search) fail(`--rows: no seed is known for ${row}; search for one: --search`, usage);
    await bundleWorld(new URL('main.ts', import.meta.url), programs[0], planted.changes);
    const from = given.search ? Number(given.from ?? 1) : known.seed;
    const days = given.search ? [from, from + Number(given.days ?? 16), 1, hours] : [from, from + 1, 1, known.hours];
    const { seed = null, first = null, seconds } = await firstOf(days);
    const rule = first === null ? null : first.slice(0, first.indexOf(' '));
    const isCaught = first !== null && (given.search || rule === known.rule);
    results.push({ row, seed, hours: days[3], rule, isCaught, seconds });
    console.error(`${isCaught ? 'found' : 'NOT FOUND'}  ${planted.name}: seed ${seed}, ${seconds} s: ${first}`);
  }
  const caught = results.filter(({ isCaught }) => isCaught).length;
  if (given.json) console.log(JSON.stringify({ guards: results.length, caught, results }));
  else console.log(`${caught} of ${results.length} guards that were taken out were found`);
  return caught === results.length ? 0 : 1;
}

mkdirSync(dirname(programs[0]), { recursive: true });
try {
  process.exitCode = await run();
} finally {
  for (const program of programs) rmSync(program, { force: true });
}
