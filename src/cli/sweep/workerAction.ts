// Implements `isobar sweep-worker`: runs parameter sets of shared sweeps until a signal, and prints the names of the sweeps.

import { joinSweeps } from '../../tasks/sweep/distributedSweep.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';
import { threadOptions } from './threadOptions.ts';

/** Options of `isobar sweep-worker`. */
interface WorkerArgs {
  readonly queue: string;
  readonly catalog?: string | undefined;
  readonly workers?: string | undefined;
  readonly memory?: string | undefined;
  readonly barTimeout: string;
  readonly once: boolean;
}

/** Runs `isobar sweep-worker`. */
export async function sweepWorker({ queue, catalog, once, ...threadArgs }: WorkerArgs): Promise<void> {
  const threads = threadOptions(threadArgs);
  const stop = stopOnSignal();
  try {
    const onMessage = (text: string) => void process.stderr.write(`${text}\n`);
    await joinSweeps({ url: queue, threads, catalog: catalog ?? null, isOnce: once, onMessage, signal: stop.signal });
    process.exitCode = stop.code();
  } finally {
    stop.release();
  }
}
