// Implements `isobar sim`: simulates days with faults, shows progress, and prints the days as a table or as JSON.

import { formatTime } from '../../model/time.ts';
import { ConfigError, EXIT } from '../../base/errors.ts';
import { dayText } from '../../base/text/format.ts';
import { simulate, type SimReport } from '../../worlds/simulate.ts';
import { wholeNumber } from '../options/values.ts';
import { print, printError, printJson } from '../terminal/print.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';
import { repeatCommand, simText } from './simText.ts';

/** Options of `isobar sim`. */
interface SimArgs {
  readonly what: string;
  readonly days?: string | undefined;
  readonly from?: string | undefined;
  readonly seed?: string | undefined;
  readonly loud: boolean;
  readonly json: boolean;
}

const DEFAULT_DAYS = 10;
const MAX_DAYS = 100_000;
const MAX_SEED = 1_000_000_000;

/** Runs `isobar sim`. The exit code is 3 when a rule was broken on a day. */
export async function sim({ what, days, from, seed, loud, json }: SimArgs): Promise<void> {
  const onlySeed = wholeNumber('--seed', seed, MAX_SEED);
  const fromOption = from === undefined ? null : '--from';
  const rangeOption = days === undefined ? fromOption : '--days';
  if (onlySeed !== null && rangeOption !== null)
    throw new ConfigError(`${rangeOption}: expected not to be given with --seed`, 'remove one of them');
  if (loud && onlySeed === null) throw new ConfigError('--loud: expected only with --seed', 'give the seed of one day: --seed 7 --loud');
  const dayCount = onlySeed === null ? (wholeNumber('--days', days, MAX_DAYS) ?? DEFAULT_DAYS) : 1;
  const line = progressLine('days');
  const stop = stopOnSignal();
  stop.signal.addEventListener('abort', () => process.exit(stop.code()));
  try {
    const report = await simulate({
      file: what,
      fromSeed: onlySeed ?? wholeNumber('--from', from, MAX_SEED) ?? 1,
      days: dayCount,
      print: loud ? printError : null,
      onProgress: (done) => {
        if (!loud) line.show(`day ${Math.min(dayCount, Math.floor(done) + 1)} of ${dayCount}`, done, done / dayCount);
      },
    });
    line.clear();
    if (json) printJson(reportJson(report, what));
    else print(simText(report, what));
    if (report.days.some(({ violations }) => violations.length > 0)) process.exitCode = EXIT.differs;
  } finally {
    stop.release();
    line.clear();
  }
}

/** Returns the report as `--json` prints it. */
function reportJson({ name, asset, notes, days, worst, hash }: SimReport, file: string): object {
  const sum = (valueOf: (day: SimReport['days'][number]) => number): number => days.reduce((total, day) => total + valueOf(day), 0);
  return {
    name,
    days: days.length,
    seeds: `${days[0]!.seed}-${days.at(-1)!.seed}`,
    orders: sum(({ orders }) => orders),
    fills: sum(({ fills }) => fills),
    unknown: sum(({ unknown }) => unknown),
    restarts: sum(({ restarts }) => restarts),
    violations: sum(({ violations }) => violations.length),
    asset,
    cost: days.reduce((total, { cost }) => total.plus(cost), worst.cost.times(0)).toFixed(),
    worst: { seed: worst.seed, date: dayText(worst.startMs), cost: worst.cost.toFixed(), replay: repeatCommand(file, worst.seed) },
    notes,
    hash,
    each: days.map((day) => ({
      seed: day.seed,
      date: dayText(day.startMs),
      startEquity: day.startEquity.toFixed(),
      withFaults: day.withFaults.toFixed(),
      withoutFaults: day.withoutFaults.toFixed(),
      cost: day.cost.toFixed(),
      orders: day.orders,
      fills: day.fills,
      unknown: day.unknown,
      restarts: day.restarts,
      cleared: day.cleared,
      nakedMinutes: day.naked,
      violations: day.violations.map(({ rule, timeMs, text, isWithoutFaults }) => ({
        rule,
        time: formatTime(timeMs),
        text,
        withFaults: !isWithoutFaults,
      })),
      hash: day.hash,
    })),
  };
}
