// Implements `isobar verify`: repeats the run in a worker, shows progress, and prints the verdict.

import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { watchVerify } from '../../tasks/backtest/thread/watchRun.ts';
import { nowMs } from '../../adapters/clock/wallClock.ts';
import { EXIT } from '../../base/errors.ts';
import { barTimeoutMs } from '../options/barTimeout.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { print, printJson } from '../terminal/print.ts';
import { stopWithSignal, PHASE_TEXT } from '../terminal/runProgress.ts';
import { verdictText } from './verifyText.ts';

/** Options of `isobar verify`. */
interface VerifyArgs {
  readonly run: string;
  readonly in?: string | undefined;
  readonly barTimeout: string;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** Runs `isobar verify`. The exit code is 3 when the repeated run differs or could not be repeated. */
export async function verify(args: VerifyArgs): Promise<void> {
  const line = progressLine('bars');
  const task = { folder: args.run, startedIn: args.in ?? null };
  const run = watchVerify(task, {
    outFolder: '',
    stagingFolder: join(tmpdir(), `isobar-verify-${process.pid}-${nowMs()}`),
    barTimeoutMs: barTimeoutMs(args.barTimeout),
    colour: false,
    hasReport: false,
    findsEnvelope: true,
    onLoaded: () => {},
    onProgress: (phase, rows, share, name) => {
      if (!args.quiet) line.show(`${name} ${phase === 'report' ? 'comparing' : PHASE_TEXT[phase]}`.trim(), rows, share);
    },
  });
  stopWithSignal(run);
  try {
    const verdict = await run.outcome;
    line.clear();
    if (args.json) printJson(verdict);
    else if (!args.quiet) print(verdictText(verdict));
    if (verdict.outcome !== 'identical') process.exitCode = EXIT.differs;
  } finally {
    line.clear();
  }
}
