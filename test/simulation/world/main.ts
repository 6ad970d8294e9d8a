// One worker of a simulation: days of the seeds that it is given, each result as a line of JSON.

import { happeningText, scheduleOf } from './schedule.ts';
import { dayOf } from './world.ts';

const [mode, ...rest] = process.argv.slice(2);
if (mode === 'days') {
  const [from, to, step] = rest.map(Number) as [number, number, number];
  for (let seed = from; seed < to; seed += step) process.stdout.write(`${JSON.stringify(await dayOf(seed, scheduleOf(seed)))}\n`);
} else if (mode === 'seed') {
  const [seed, isLoud] = rest.map(Number) as [number, number];
  const schedule = process.env['NOFAULTS'] ? [] : scheduleOf(seed);
  const startMs = performance.now();
  const result = await dayOf(seed, schedule, isLoud ? { print: (line) => void process.stderr.write(`${line}\n`) } : {});
  if (result.violations.length > 0) for (const one of schedule) process.stderr.write(`  ${happeningText(one)}\n`);
  process.stderr.write(`${Math.round(performance.now() - startMs)} ms\n`);
  process.stdout.write(`${JSON.stringify(result, null, 1)}\n`);
}
