// The threads of a sweep: each loads the definition once, then runs the sets that its tasks name.

import { ThreadPool } from '../research/pool.ts';
import type { TaskResult } from '../research/sweep.ts';
import type { SweepSetup } from './sweepSetup.ts';
import { fromWire, type WireError } from './worker/wireError.ts';

/** Starts `threads` threads for the sets of `setup`. */
export async function threadRunner({ run, sets }: SweepSetup, threads: number): Promise<ThreadPool> {
  const worker = new URL(import.meta.url.endsWith('.ts') ? './worker/separateWorker.ts' : './worker/separateWorker.js', import.meta.url);
  return new ThreadPool({ worker, workerData: { request: run, sets }, threads, read });
}

/** What a thread answers; see its worker. */
type Answer = TaskResult | { readonly error: WireError };

function read(answer: unknown): TaskResult {
  const given = answer as Answer;
  if ('error' in given) throw fromWire(given.error);
  return given;
}
