// The phases of a run in words, and the reaction to signals, for all commands that run in a worker.

import type { Phase } from '../../tasks/backtest/run/progressCells.ts';
import type { WatchedRun } from '../../tasks/backtest/thread/watchRun.ts';
import { stopOnSignal } from './stopOnSignal.ts';

/** Text of the progress line in each phase of a run. */
export const PHASE_TEXT: Readonly<Record<Phase, string>> = {
  start: 'starting',
  load: 'loading',
  import: 'loading',
  setUp: 'preparing',
  bars: '',
  metrics: 'measuring',
  proof: 'proving',
  report: 'writing',
};

/** Stops the run on a signal. The run leaves no files, and the process exits with the code that shells expect for the signal. */
export function stopWithSignal(run: WatchedRun<unknown>): void {
  const stop = stopOnSignal();
  stop.signal.addEventListener('abort', () => void run.stop().finally(() => process.exit(stop.code())));
}
