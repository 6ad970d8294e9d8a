// Starts the worker thread of a backtest early: it loads its modules while the command line is parsed.

import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../../base/inPackage.ts';

/** The worker that was started early; null: none is waiting. */
let earlyWorker: Worker | null = null;

/** Starts a worker for the next `takeWorker`. It does not keep the process alive until it is taken. */
export function startEarly(): void {
  const worker = createWorker();
  worker.unref();
  // If it fails before it is taken, `takeWorker` starts another one, whose failure its caller reports.
  worker.once('error', () => {
    if (earlyWorker === worker) earlyWorker = null;
  });
  earlyWorker = worker;
}

/** Returns the worker that was started early, or a new one. */
export function takeWorker(): Worker {
  const worker = earlyWorker ?? createWorker();
  earlyWorker = null;
  return worker;
}

function createWorker(): Worker {
  return new Worker(moduleUrl('tasks/backtest/thread/backtestWorker'), { stdout: true });
}
