// Implements `isobar backtest`: runs the backtest in a worker thread, shows progress, and prints the result.

import { checkOutFolder } from '../../adapters/disk/folders/checkOutFolder.ts';
import { stagingFolder } from '../../adapters/disk/folders/stagingFolder.ts';
import type { RunDescription, RunOutcome } from '../../tasks/backtest/thread/workerMessages.ts';
import { watchRun } from '../../tasks/backtest/thread/watchRun.ts';
import { wantsColour } from '../../report/terminal/lines.ts';
import { familyOf } from '../options/family.ts';
import { barTimeoutMs } from '../options/barTimeout.ts';
import { print } from '../terminal/print.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { stopWithSignal, PHASE_TEXT } from '../terminal/runProgress.ts';
import { runRequestOf, type RunRequestArgs } from '../options/runRequest.ts';

/** Options of `isobar backtest`. */
interface BacktestArgs extends RunRequestArgs {
  readonly out: string;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly report: boolean;
  readonly breakEven: boolean;
  readonly barTimeout: string;
  readonly envelope: boolean;
  readonly family?: string | undefined;
  readonly ledger?: string | undefined;
}

/** Runs `isobar backtest`. */
export async function runBacktestCommand(args: BacktestArgs): Promise<void> {
  const line = progressLine('bars');
  const write = (text: string) => {
    if (args.quiet) return;
    line.clear();
    process.stderr.write(`${text}\n`);
  };
  const request = runRequestOf('backtest', args);
  checkOutFolder('--out', args.out);
  if (args.ledger !== undefined) checkOutFolder('--ledger', args.ledger);
  const trial = { ledger: args.ledger ?? null, family: familyOf(args.family) };
  const run = watchRun(
    { request, trial, hasBreakEven: args.breakEven },
    {
      outFolder: args.out,
      stagingFolder: stagingFolder(args.out),
      barTimeoutMs: barTimeoutMs(args.barTimeout),
      hasReport: args.report,
      findsEnvelope: args.envelope,
      colour: wantsColour(args.json ? process.stderr : process.stdout, process.env),
      onLoaded: (loaded) => printLoaded(loaded, write),
      onProgress: (phase, rows, share, name) => {
        if (!args.quiet) line.show(`${name} ${PHASE_TEXT[phase]}`.trim(), rows, share);
      },
    },
  );
  stopWithSignal(run);
  try {
    const outcome = await run.outcome;
    line.clear();
    printOutcome(outcome, args, write);
  } finally {
    line.clear();
  }
}

/** Prints the definition that the command line or the demo has made, and the notes about the run. */
function printLoaded({ madeDefinition, notes }: RunDescription, write: (text: string) => void): void {
  if (madeDefinition !== null) write(`The definition of this run:\n\n${madeDefinition.trimEnd().replace(/^/gm, '  ')}\n`);
  for (const note of notes) write(`Note: ${note}.`);
}

/** Prints the closing table, the path of the run folder with `--quiet`, or summary.json with `--json`. */
function printOutcome({ folder, summary, table, timings }: RunOutcome, args: BacktestArgs, write: (text: string) => void): void {
  if (args.json) {
    write(table);
    process.stdout.write(summary);
  } else print(args.quiet ? folder : table);
  if (process.env['ISOBAR_TIMINGS'] === '1') process.stderr.write(`${JSON.stringify(timings)}\n`);
}
