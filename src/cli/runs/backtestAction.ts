// Implements `isobar backtest`: runs the backtest in a worker thread, shows progress, and prints the result.

import type { RunRequest } from '../../definition/request.ts';
import { checkOutFolder } from '../../adapters/disk/folders/out.ts';
import { stagingFolder } from '../../adapters/disk/folders/staging.ts';
import type { Loaded, RunOutcome } from '../../tasks/backtest/thread/messages.ts';
import { watchRun } from '../../tasks/backtest/thread/watchRun.ts';
import { isPlainDecimal } from '../../base/number/decimal.ts';
import { ConfigError } from '../../base/errors.ts';
import { shellWord } from '../../base/text/shellWord.ts';
import { wantsColour } from '../../report/terminal/lines.ts';
import { familyOf } from '../options/family.ts';
import { barTimeoutMs } from '../options/barTimeout.ts';
import { print } from '../terminal/print.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { stopWithSignal, PHASE_TEXT } from './runProgress.ts';

interface BacktestArgs {
  readonly what?: string | undefined;
  readonly set: readonly string[];
  readonly out: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly report: boolean;
  readonly barTimeout: string;
  readonly demo: boolean;
  readonly family?: string | undefined;
  readonly ledger?: string | undefined;
  readonly data?: string | undefined;
  readonly cash?: string | undefined;
  readonly symbol?: string | undefined;
  readonly interval?: string | undefined;
  readonly params: readonly string[];
}

export async function backtest(args: BacktestArgs): Promise<void> {
  const line = progressLine('bars');
  const write = (text: string) => {
    if (args.quiet) return;
    line.clear();
    process.stderr.write(`${text}\n`);
  };
  const request = requestOf(args);
  checkOutFolder('--out', args.out);
  if (args.ledger !== undefined) checkOutFolder('--ledger', args.ledger);
  const trial = { ledger: args.ledger ?? null, family: familyOf(args.family) };
  const run = watchRun(request, trial, {
    outFolder: args.out,
    stagingFolder: stagingFolder(args.out),
    barTimeoutMs: barTimeoutMs(args.barTimeout),
    hasReport: args.report,
    colour: wantsColour(args.json ? process.stderr : process.stdout, process.env),
    onLoaded: (loaded) => printLoaded(loaded, write),
    onProgress: (phase, rows, share, name) => {
      if (!args.quiet) line.show(`${name} ${PHASE_TEXT[phase]}`.trim(), rows, share);
    },
  });
  stopWithSignal(run);
  try {
    const outcome = await run.outcome;
    line.clear();
    printOutcome(outcome, args, write);
  } finally {
    line.clear();
  }
}

/** Returns the request of the command line. Throws ConfigError when its options contradict each other. */
function requestOf(args: BacktestArgs): RunRequest {
  const settings = [...args.params.map((setting) => `params.${setting}`), ...args.set];
  const { what, data } = args;
  // These options do not apply to a definition or to the demo. Ignoring them silently would mislead the user.
  const useless = (['cash', 'symbol', 'interval'] as const).find((option) => args[option] !== undefined);
  if (args.demo) {
    if (what !== undefined || data !== undefined)
      throw new ConfigError('--demo: expected no definition beside it', 'leave one of them out');
    if (useless !== undefined) throw new ConfigError(`--${useless}: expected not to stand beside --demo`, 'leave it out');
    return { kind: 'demo', settings };
  }
  if (what === undefined)
    throw new ConfigError('backtest: expected a run definition or a strategy file, got nothing', 'try isobar backtest --demo');
  if (!/\.[cm]?[jt]s$/.test(what)) {
    if (data !== undefined)
      throw new ConfigError(
        `--data: expected a strategy file (.ts) beside it, got ${what}`,
        'a definition names its bars by feeds and catalog',
      );
    if (useless !== undefined)
      throw new ConfigError(
        `--${useless}: expected a strategy file (.ts) with --data beside it, got ${what}`,
        `a key of a definition is changed by --set: ${useless === 'cash' ? '--set cash.USDT=10000' : `--set feeds.bars.${useless}=${args[useless]}`}`,
      );
    return { kind: 'file', file: what, settings };
  }
  if (data === undefined)
    throw new ConfigError(
      `${what}: expected --data FILE beside a strategy file`,
      `isobar backtest ${shellWord(what)} --data BTCUSDT-1m.csv.gz --cash 10000`,
    );
  if (args.cash === undefined)
    throw new ConfigError(`${what}: expected --cash AMOUNT beside --data`, 'for example --cash 10000, in the quote asset of the bars');
  if (!isPlainDecimal(args.cash))
    throw new ConfigError(`--cash: expected a decimal (amount of the quote asset), got '${args.cash}'`, 'for example --cash 10000');
  return {
    kind: 'options',
    values: { strategy: what, cash: args.cash },
    data: { files: [data], sets: [] },
    symbol: args.symbol,
    interval: args.interval,
    called: 'the command line',
    places: { strategy: 'the strategy file', feeds: '--data', cash: '--cash', interval: '--interval' },
    inCode: [],
    settings,
  };
}

function printLoaded({ madeDefinition, notes }: Loaded, write: (text: string) => void): void {
  if (madeDefinition !== null) write(`The definition of this run:\n\n${madeDefinition.trimEnd().replace(/^/gm, '  ')}\n`);
  for (const note of notes) write(`Note: ${note}.`);
}

function printOutcome({ folder, summary, table, timings }: RunOutcome, args: BacktestArgs, write: (text: string) => void): void {
  if (args.json) {
    write(table);
    process.stdout.write(summary);
  } else print(args.quiet ? folder : table);
  if (process.env['ISOBAR_TIMINGS'] === '1') process.stderr.write(`${JSON.stringify(timings)}\n`);
}
