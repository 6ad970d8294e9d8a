// Simulates days of the production bot and the production exchange, and reports violations: npm run sim
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fail, readArguments } from '../../fixtures/runBuilt.mjs';
import { bundleWorld } from './bundle.mjs';

const usage =
  'npm run sim -- [--days N] [--from SEED] [--workers N] [--hours N] [--seed SEED [--loud]] [--without GUARD] [--futures] [--json]';
const text = { type: 'string' };
const flag = { type: 'boolean', default: false };
const args = readArguments({
  options: { days: text, from: text, workers: text, hours: text, seed: text, without: text, loud: flag, futures: flag, json: flag },
  usage,
  whole: ['days', 'from', 'workers', 'hours', 'seed', 'without'],
});
const hours = Number(args.hours ?? 24);
/** Last argument of a worker: nothing, or the word for days of contracts. */
const market = args.futures ? ['futures'] : [];
if (hours < 2 || hours > 24) fail(`--hours: expected 2 to 24, got ${hours}`, usage);
const cache = new URL('../../../node_modules/.cache/isobar/', import.meta.url);
const [simulationProgram, plantedProgram] = ['sim', 'guards'].map((name) => fileURLToPath(new URL(`${name}-${process.pid}.mjs`, cache)));
mkdirSync(dirname(simulationProgram), { recursive: true });

/** Returns the changes that remove the guard of this row. */
async function changesOf(row) {
  await bundleWorld(new URL('plantedFaults.ts', import.meta.url), plantedProgram);
  const { plantedFaultOf } = await import(pathToFileURL(plantedProgram).href);
  const planted = plantedFaultOf(row);
  if (planted === null) fail(`--without: there is no guard ${row}`, usage);
  console.error(`without: ${planted.name}`);
  return planted.changes;
}

/** Runs one worker process and passes each result to `onResult`. Throws when the worker fails. */
async function runWorker(workerArgs, onResult) {
  const child = spawn(process.execPath, ['--max-semi-space-size=64', simulationProgram, ...workerArgs.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  for await (const line of createInterface({ input: child.stdout })) onResult(JSON.parse(line));
  const code = await ended;
  if (code !== 0) throw new Error(`a worker ended with code ${code}`);
}

/** Runs the days in worker processes and prints the report. Returns the exit code: 0 without violations. */
async function simulate() {
  const startMs = performance.now();
  const isSingleDay = args.seed !== undefined;
  const firstSeed = Number(args.seed ?? args.from ?? 1);
  const days = isSingleDay ? 1 : Number(args.days ?? 10);
  const workers = isSingleDay ? 1 : Math.min(days, Number(args.workers ?? 2));
  const results = [];
  const onResult = (result) => {
    results.push(result);
    for (const violation of result.violations) console.error(`seed ${result.seed}: ${violation}`);
  };
  if (isSingleDay) await runWorker([args.loud ? 'loud' : 'shrink', firstSeed, firstSeed + 1, 1, hours, ...market], onResult);
  else {
    // Worker i runs every `workers`-th seed, beginning with its own.
    const workerArgs = Array.from({ length: workers }, (_, index) => [
      'days',
      firstSeed + index,
      firstSeed + days,
      workers,
      hours,
      ...market,
    ]);
    await Promise.all(workerArgs.map((dayArgs) => runWorker(dayArgs, onResult)));
  }
  const seconds = (performance.now() - startMs) / 1000;
  results.sort((a, b) => a.seed - b.seed);
  const sum = (name) => results.reduce((total, result) => total + result[name], 0);
  const hash = createHash('sha256')
    .update(results.map((result) => result.hash).join(' '))
    .digest('hex')
    .slice(0, 16);
  const failedSeeds = results.filter(({ violations }) => violations.length > 0).map(({ seed }) => seed);
  const report = {
    days: (results.length * hours) / 24,
    seeds: `${firstSeed}-${firstSeed + days - 1}`,
    orders: sum('orders'),
    unknown: sum('unknown'),
    restarts: sum('restarts'),
    kills: sum('kills'),
    violations: results.reduce((total, { violations }) => total + violations.length, 0),
    hash,
    daysPerSecondPerCore: Number(((results.length * hours) / 24 / seconds / workers).toFixed(3)),
  };
  if (args.without !== undefined) console.error(`duplicate orders: ${sum('duplicates')}; forgotten orders: ${sum('forgotten')}`);
  if (args.json) console.log(JSON.stringify(report));
  else for (const [name, value] of Object.entries(report)) console.log(`${name}: ${value}`);
  if (failedSeeds.length > 0 && !isSingleDay)
    console.error(
      `repeat and shrink a failing day: npm run sim -- --seed ${failedSeeds[0]}${hours === 24 ? '' : ` --hours ${hours}`}${args.futures ? ' --futures' : ''}`,
    );
  return failedSeeds.length === 0 ? 0 : 1;
}

try {
  await bundleWorld(
    new URL('main.ts', import.meta.url),
    simulationProgram,
    args.without === undefined ? [] : await changesOf(Number(args.without)),
  );
  process.exitCode = await simulate();
} finally {
  for (const program of [simulationProgram, plantedProgram]) rmSync(program, { force: true });
}
