// Removes each guard of the order path in turn and checks that the simulation finds the fault: npm run sim:guards
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fail, readArguments } from '../../fixtures/runBuilt.mjs';
import { bundleWorld } from './bundle.mjs';

const usage = 'npm run sim:guards -- [--rows 1,2,...] [--search [--from SEED] [--days N] [--hours N] [--futures]] [--json]';
const text = { type: 'string' };
const flag = { type: 'boolean', default: false };
const args = readArguments({
  options: { rows: text, from: text, days: text, hours: text, search: flag, futures: flag, json: flag },
  usage,
  whole: ['from', 'days', 'hours'],
});
/** Time limit of one search, seconds. */
const MAX_SECONDS = 60;
/** Guards with a seed that finds their removal (`caught`), and guards with a reason why none does (`notCaught`). */
const guardSeeds = JSON.parse(readFileSync(new URL('guardSeeds.json', import.meta.url), 'utf8'));
const cache = new URL('../../../node_modules/.cache/isobar/', import.meta.url);
const [searchProgram, plantedProgram] = ['search', 'planted'].map((name) => fileURLToPath(new URL(`${name}-${process.pid}.mjs`, cache)));

/** Returns the seed and text of the first violation in these days. Both are absent if there is none within the time limit. */
async function firstViolation(days) {
  const startMs = performance.now();
  const child = spawn(process.execPath, ['--max-semi-space-size=64', searchProgram, 'search', ...days.map(String)], {
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

/** Removes the guards one after the other and prints the results. Returns the exit code: 0 if every removal was found. */
async function run() {
  await bundleWorld(new URL('plantedFaults.ts', import.meta.url), plantedProgram);
  const { plantedFaultOf } = await import(pathToFileURL(plantedProgram).href);
  const rows = args.rows === undefined ? guardSeeds.caught.map(({ row }) => row) : args.rows.split(',').map(Number);
  const hours = Number(args.hours ?? 2);
  const results = [];
  for (const row of rows) {
    const plantedFault = plantedFaultOf(row);
    if (plantedFault === null) fail(`--rows: there is no guard ${row}`, usage);
    const knownSeed = guardSeeds.caught.find((guardSeed) => guardSeed.row === row);
    if (knownSeed === undefined && !args.search) fail(`--rows: no seed is known for ${row}; search for one: --search`, usage);
    await bundleWorld(new URL('main.ts', import.meta.url), searchProgram, plantedFault.changes);
    const from = args.search ? Number(args.from ?? 1) : knownSeed.seed;
    const isFutures = args.search ? args.futures : knownSeed.futures === true;
    const afterFirstSeed = args.search ? [from + Number(args.days ?? 16), 1, hours] : [from + 1, 1, knownSeed.hours];
    const days = [from, ...afterFirstSeed, ...(isFutures ? ['futures'] : [])];
    const { seed = null, first = null, seconds } = await firstViolation(days);
    const rule = first === null ? null : first.slice(0, first.indexOf(' '));
    const isCaught = first !== null && (args.search || rule === knownSeed.rule);
    results.push({ row, seed, hours: days[3], ...(isFutures ? { futures: true } : {}), rule, isCaught, seconds });
    console.error(`${isCaught ? 'found' : 'NOT FOUND'}  ${plantedFault.name}: seed ${seed}, ${seconds} s: ${first}`);
  }
  const caught = results.filter(({ isCaught }) => isCaught).length;
  if (args.json) console.log(JSON.stringify({ guards: results.length, caught, results }));
  else console.log(`${caught} of ${results.length} guards that were taken out were found`);
  return caught === results.length ? 0 : 1;
}

mkdirSync(dirname(searchProgram), { recursive: true });
try {
  process.exitCode = await run();
} finally {
  for (const program of [searchProgram, plantedProgram]) rmSync(program, { force: true });
}
