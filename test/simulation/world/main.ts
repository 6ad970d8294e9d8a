// One worker of a simulation: days of the seeds that it is given, each result as a line of JSON.

import { DAY_MS, happeningText, scheduleOf } from './schedule.ts';
import { shrink } from './shrink.ts';
import { dayOf } from './world.ts';

const SHRINK_RUNS = 60;

const [mode = '', ...numbers] = process.argv.slice(2);
const [from = 1, to = 2, step = 1, hours = 24] = numbers.map(Number);
const lengthMs = Math.min(DAY_MS, hours * 3_600_000);

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

if (mode === 'days')
  for (let seed = from; seed < to; seed += step)
    process.stdout.write(`${JSON.stringify(await dayOf(seed, scheduleOf(seed, lengthMs), { lengthMs }))}\n`);
else if (mode === 'search')
  for (let seed = from, found = false; seed < to && !found; seed += step) {
    const result = await dayOf(seed, scheduleOf(seed, lengthMs), { lengthMs, untilViolation: true });
    found = result.violations.length > 0;
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
else {
  const schedule = scheduleOf(from, lengthMs);
  const result = await dayOf(from, schedule, { lengthMs, ...(mode === 'loud' ? { print: printLine } : {}) });
  process.stdout.write(`${JSON.stringify(result)}\n`);
  if (result.violations.length > 0 && mode === 'shrink') {
    const shrunk = await shrink(from, schedule, result, { maxRuns: SHRINK_RUNS, lengthMs });
    printLine(`seed ${from}: ${shrunk.result.violations[0]}`);
    printLine(`${shrunk.schedule.length} of ${schedule.length} events are enough, found in ${shrunk.runs} runs:`);
    for (const one of shrunk.schedule) printLine(`  ${happeningText(one)}`);
  }
}
