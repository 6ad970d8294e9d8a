// Implements `isobar breakeven`: searches in a worker thread, shows progress, and prints the result.

import { stagingFolder } from '../../adapters/disk/folders/stagingFolder.ts';
import { watchBreakEven } from '../../tasks/backtest/thread/watchRun.ts';
import { breakEvenLines } from '../../report/terminal/breakEvenTable.ts';
import { barTimeoutMs } from '../options/barTimeout.ts';
import { runRequestOf, type RunRequestArgs } from '../options/runRequest.ts';
import { printJson, printLines } from '../terminal/print.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { stopWithSignal, PHASE_TEXT } from '../terminal/runProgress.ts';

interface BreakevenArgs extends RunRequestArgs {
  readonly json: boolean;
  readonly barTimeout: string;
}

/** Runs `isobar breakeven`. */
export async function breakeven(args: BreakevenArgs): Promise<void> {
  const line = progressLine('bars');
  const search = watchBreakEven(runRequestOf('breakeven', args), {
    // The search writes no run folder, so these two folders stay unused.
    outFolder: '.',
    stagingFolder: stagingFolder('.'),
    barTimeoutMs: barTimeoutMs(args.barTimeout),
    hasReport: false,
    findsEnvelope: false,
    colour: false,
    onLoaded: ({ notes }) => {
      for (const note of notes) {
        line.clear();
        process.stderr.write(`Note: ${note}.\n`);
      }
    },
    onProgress: (phase, rows, share, name) => line.show(`${name} ${PHASE_TEXT[phase]}`.trim(), rows, share),
  });
  stopWithSignal(search);
  try {
    const { name, asset, breakEven } = await search.outcome;
    line.clear();
    if (args.json) printJson(breakEven);
    else printLines([`  ${name}`, '', ...breakEvenLines(breakEven, asset)]);
  } finally {
    line.clear();
  }
}
