// What `isobar sweep-worker` does: works on shared sweeps until it is stopped, and says on which.

import { joinSweeps } from '../app/sweepShared.ts';
import { defaultThreads } from '../research/pool.ts';
import { MAX_THREADS, stopOnSignal, wholeNumber } from './sweepOptions.ts';

interface WorkerArgs {
  readonly queue: string;
  readonly catalog?: string | undefined;
  readonly workers?: string | undefined;
  readonly once: boolean;
}

export async function sweepWorker({ queue, catalog, workers, once }: WorkerArgs): Promise<void> {
  const threads = wholeNumber('--workers', workers, MAX_THREADS) ?? defaultThreads();
  const stop = stopOnSignal();
  try {
    const say = (text: string) => void process.stderr.write(`${text}\n`);
    await joinSweeps({ url: queue, threads, catalog: catalog ?? null, isOnce: once, say, signal: stop.signal });
    process.exitCode = stop.code();
  } finally {
    stop.release();
  }
}
