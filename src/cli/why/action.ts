// Implements `isobar why`: repeats the run in a worker thread and prints the explanation.

import { ConfigError } from '../../base/errors.ts';
import { parseTime } from '../../model/time.ts';
import type { Question } from '../../tasks/why/model/explanation.ts';
import { watchWhy } from '../../tasks/why/thread/watchWhy.ts';
import { barTimeoutMs } from '../options/barTimeout.ts';
import { print, printJson } from '../terminal/print.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';
import { explanationText } from './explanationText.ts';

/** Options of `isobar why`. */
interface WhyArgs {
  readonly folder: string;
  readonly at?: string | undefined;
  readonly symbol?: string | undefined;
  readonly order?: string | undefined;
  readonly in?: string | undefined;
  readonly config?: string | undefined;
  readonly barTimeout: string;
  readonly json: boolean;
}

/** Runs `isobar why`. */
export async function why(args: WhyArgs): Promise<void> {
  const line = progressLine('rows');
  const task = { folder: args.folder, question: questionOf(args), startedIn: args.in ?? null, config: args.config ?? null };
  const run = watchWhy(task, {
    barTimeoutMs: barTimeoutMs(args.barTimeout),
    onProgress: (name, rows, share) => line.show(name, rows, share),
  });
  const stop = stopOnSignal();
  stop.signal.addEventListener('abort', () => void run.stop().finally(() => process.exit(stop.code())));
  try {
    const explanation = await run.outcome;
    line.clear();
    if (args.json) printJson(explanation);
    else print(explanationText(explanation));
  } finally {
    line.clear();
  }
}

/** Returns the bar or the order that the user asks about. Throws ConfigError for contradictory or invalid options. */
function questionOf({ at, symbol, order }: WhyArgs): Question {
  if ((at === undefined) === (order === undefined)) {
    const actual = at === undefined ? 'neither' : 'both';
    throw new ConfigError(`why: expected --at TIME or --order N, got ${actual}`, 'for example --order 12, or --at 2024-03-01T08:30');
  }
  if (order === undefined) return { atMs: timeOf(at ?? ''), symbol: symbol ?? null, order: null };
  if (symbol !== undefined)
    throw new ConfigError('--symbol: expected not to be given with --order', 'remove --symbol, or ask for a bar with --at TIME');
  if (!/^[1-9]\d{0,14}$/.test(order))
    throw new ConfigError(`--order: expected a whole number from 1, got '${order}'`, 'order_id in orders.csv is the number');
  return { atMs: null, symbol: null, order: Number(order) };
}

/** A time in ms since 1970, as in orders.csv, has ten digits or more. */
const MS_SINCE_1970 = /^\d{10,15}$/;

/** Returns a time in ms UTC. Throws ConfigError for an invalid time. */
function timeOf(text: string): number {
  const timeMs = MS_SINCE_1970.test(text) ? Number(text) : parseTime(text.replace(/ ?UTC$/, ''));
  if (timeMs === null) {
    throw new ConfigError(
      `--at: expected a UTC time such as 2024-01-01T08:30, or ms since 1970, got '${text}'`,
      'copy the time from the report or from orders.csv',
    );
  }
  return timeMs;
}
