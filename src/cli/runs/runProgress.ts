// What commands have in common that have a run made in a worker: its phases in words, and how it is stopped.

import type { Phase } from '../../tasks/backtest/run/progressCells.ts';
import type { WatchedRun } from '../../tasks/backtest/thread/watchRun.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';

export const PHASE_TEXT: Readonly<Record<Phase, string>> = {
  start: 'starting',
  load: 'loading',
  import: 'loading',
  setUp: 'preparing',
  bars: '',
  metrics: 'measuring',
  report: 'writing',
};

/** An interrupted run leaves nothing behind, and ends with the code that a shell expects of the signal. */
export function stopWithSignal(run: WatchedRun<unknown>): void {
  const stop = stopOnSignal();
  stop.signal.addEventListener('abort', () => void run.stop().finally(() => process.exit(stop.code())));
}
