// Runs the simulated days of one worker process, and prints each result as a line of JSON.

import { DAY_MS, faultText, scheduleOf } from './schedule.ts';
import { shrink } from './shrink.ts';
import { runDay } from './runDay.ts';

/** Maximum number of days that are run to shorten one failing schedule. */
const MAX_SHRINK_RUNS = 60;

const HOUR_MS = 3_600_000;

// Arguments: mode, first seed, seed after the last one, step between seeds, hours of a day, and `futures` for days of contracts.
// Modes for all seeds: `days` runs them, `search` stops at the first violation. Modes for the first seed: `shrink` shortens its schedule if it
// fails, `loud` prints every event.
const [mode = '', ...dayArgs] = process.argv.slice(2);
const [fromSeed = 1, endSeed = 2, seedStep = 1, hours = 24] = dayArgs.filter((text) => text !== 'futures').map(Number);
const lengthMs = Math.min(DAY_MS, hours * HOUR_MS);
const terms = { lengthMs, futures: dayArgs.includes('futures') };

/** Prints a line for a person, on stderr. The results go to stdout. */
function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}

function printResult(dayResult: Awaited<ReturnType<typeof runDay>>): void {
  process.stdout.write(`${JSON.stringify(dayResult)}\n`);
}

if (mode === 'days') {
  for (let seed = fromSeed; seed < endSeed; seed += seedStep) printResult(await runDay(seed, scheduleOf(seed, lengthMs), terms));
} else if (mode === 'search') {
  for (let seed = fromSeed; seed < endSeed; seed += seedStep) {
    const dayResult = await runDay(seed, scheduleOf(seed, lengthMs), { ...terms, untilViolation: true });
    printResult(dayResult);
    if (dayResult.violations.length > 0) break;
  }
} else {
  const schedule = scheduleOf(fromSeed, lengthMs);
  const dayResult = await runDay(fromSeed, schedule, { ...terms, ...(mode === 'loud' ? { print: printLine } : {}) });
  printResult(dayResult);
  if (dayResult.violations.length > 0 && mode === 'shrink') {
    const shrunk = await shrink(fromSeed, schedule, dayResult, { maxRuns: MAX_SHRINK_RUNS, ...terms });
    printLine(`seed ${fromSeed}: ${shrunk.result.violations[0]}`);
    printLine(`${shrunk.schedule.length} of ${schedule.length} events are enough, found in ${shrunk.runs} runs:`);
    for (const event of shrunk.schedule) printLine(`  ${faultText(event)}`);
  }
}
