// The worker thread of `isobar why`: repeats the run, explains it, and reports each step to the main thread.

import { parentPort } from 'node:worker_threads';
import { assert } from '../../../base/assert.ts';
import { ProgressCells } from '../../backtest/run/progressCells.ts';
import { toWire } from '../../backtest/run/wireError.ts';
import { explain } from '../why.ts';
import type { FromExplainer, ExplainerInput } from './watchWhy.ts';

const port = parentPort;
assert(port !== null, 'whyWorker runs as a worker thread');
const post = (message: FromExplainer) => port.postMessage(message);

port.once('message', (input: ExplainerInput) => {
  answer(input).then(post, (error: unknown) => post({ kind: 'failed', error: toWire(error) }));
});

/** Explains the question, and returns the message with the result. */
async function answer({ task, barsFolder, memory }: ExplainerInput): Promise<FromExplainer> {
  const progress = new ProgressCells(memory);
  progress.enter('load');
  const explanation = await explain(task, {
    barsFolder,
    progressCells: progress.cells,
    importer: (url) => {
      progress.enter('import');
      return import(/* @vite-ignore */ url);
    },
    onLoaded: (name, rows) => {
      post({ kind: 'loaded', name, rows });
      progress.enter('bars');
    },
  });
  return { kind: 'done', explanation };
}
