// Implements `isobar parity`: compares a bot with a backtest over its time and prints the bridge of money.

import { EXIT } from '../../base/errors.ts';
import { compareBot } from '../../tasks/parity/parity.ts';
import { print, printJson } from '../terminal/print.ts';
import { progressLine } from '../terminal/progressLine.ts';
import { parityText } from './parityText.ts';

/** Options of `isobar parity`. */
interface ParityArgs {
  readonly folder: string;
  readonly config?: string | undefined;
  readonly latency?: number | 'measured' | undefined;
  readonly json: boolean;
}

/** Runs `isobar parity`. The exit code is 3 when bot and backtest differ. */
export async function parity({ folder, config, latency, json }: ParityArgs): Promise<void> {
  const line = progressLine('steps');
  try {
    const report = await compareBot(folder, {
      config: config ?? null,
      ...(latency === undefined ? {} : { latency }),
      onStep: (name, step, steps) => line.show(name, step, step / steps),
    });
    line.clear();
    if (json) printJson(report);
    else print(parityText(report));
    if (!report.equal) process.exitCode = EXIT.differs;
  } finally {
    line.clear();
  }
}
