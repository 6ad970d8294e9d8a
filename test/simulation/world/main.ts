// Runs the simulated days of one worker process, and prints each result as a line of JSON.

import { DAY_MS, faultText, scheduleOf } from './schedule.ts';
import { shrink } from './shrink.ts';
import { runDay } from './runDay.ts';

/** Maximum number of days that are run to shorten one failing schedule. */
const MAX_SHRINK_RUNS = 60;

// Modes: `days` runs the seeds, `search` stops at the first violation, `shrink` shortens a failing schedule, `loud` prints every event.
const [mode = '', ...numbers] = process.argv.slice(2);
const [fromSeed = 1, toSeed = 2, seedStep = 1, hours = 24] = numbers.filter((text) => text !== 'futures').map(Number);
const lengthMs = Math.min(DAY_MS, hours * 3_600_000);
const terms = { lengthMs, futures: numbers.includes('futures') };

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

if (mode === 'days')
  for (let seed = fromSeed; seed < toSeed; seed += seedStep)
    process.stdout.write(`${JSON.stringify(await runDay(seed, scheduleOf(seed, lengthMs), terms))}\n`);
else if (mode === 'search')
  for (let seed = fromSeed, found = false; seed < toSeed && !found; seed += seedStep) {
    const result = await runDay(seed, scheduleOf(seed, lengthMs), { ...terms, untilViolation: true });
    found = result.violations.length > 0;
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
else {
  const schedule = scheduleOf(fromSeed, lengthMs);
  const result = await runDay(fromSeed, schedule, { ...terms, ...(mode === 'loud' ? { print: printLine } : {}) });
  process.stdout.write(`${JSON.stringify(result)}\n`);
  if (result.violations.length > 0 && mode === 'shrink') {
    const shrunk = await shrink(fromSeed, schedule, result, { maxRuns: MAX_SHRINK_RUNS, ...terms });
    printLine(`seed ${fromSeed}: ${shrunk.result.violations[0]}`);
    printLine(`${shrunk.schedule.length} of ${schedule.length} events are enough, found in ${shrunk.runs} runs:`);
    for (const event of shrunk.schedule) printLine(`  ${faultText(event)}`);
  }
}
