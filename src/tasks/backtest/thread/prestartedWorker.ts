// Starts the worker thread of a backtest early: it loads its modules while the command line is parsed.

import { Worker } from 'node:worker_threads';
import { moduleUrl } from '../../../base/inPackage.ts';

let early: Worker | null = null;

/** Starts a worker for the next `takeWorker`. It does not keep the process alive until it is taken. */
export function startEarly(): void {
  early = start();
  early.unref();
}

/** Returns the worker that was started early, or a new one. */
export function takeWorker(): Worker {
  const worker = early ?? start();
  early = null;
  return worker;
}

function start(): Worker {
  return new Worker(moduleUrl('tasks/backtest/thread/backtestWorker'), { stdout: true });
}
