// The worker thread of `isobar prove`: loads a run, makes the proofs, and reports each step to the main thread.

import { parentPort } from 'node:worker_threads';
import { assert } from '../../../base/assert.ts';
import { openRequest } from '../../../definition/request.ts';
import type { ResolvedRun } from '../../../definition/resolve.ts';
import type { StrategyVerdict } from '../../../model/run/proof.ts';
import { ledgerFolderOf } from '../../trials/identityParts.ts';
import { noteVerdict } from '../../trials/verdicts.ts';
import { ProgressCells } from '../../backtest/run/progressCells.ts';
import { toWire } from '../../backtest/run/wireError.ts';
import { proveRun } from '../prove.ts';
import type { FromProver, ProverInput } from './watchProve.ts';

const port = parentPort;
assert(port !== null, 'proveWorker runs as a worker thread');
const post = (message: FromProver) => port.postMessage(message);

port.once('message', (input: ProverInput) => {
  answer(input).then(post, (error: unknown) => post({ kind: 'failed', error: toWire(error) }));
});

/** Proves the requested run, and reports its progress to the main thread. */
async function answer({ request, barsFolder, memory, times, ledger }: ProverInput): Promise<FromProver> {
  const progress = new ProgressCells(memory);
  progress.enter('load');
  const requested = await openRequest(request, barsFolder);
  let storeFailure: string | null = null;
  const store = (resolved: ResolvedRun, strategyVerdict: StrategyVerdict): void => {
    try {
      noteVerdict(ledger ?? ledgerFolderOf(requested), resolved, strategyVerdict);
    } catch (error) {
      storeFailure = error instanceof Error ? error.message : String(error);
    }
  };
  const verdict = await proveRun(
    requested,
    { times, store },
    {
      progressCells: progress.cells,
      enter: (phase) => progress.enter(phase),
      loaded: (name) => post({ kind: 'loaded', name }),
      proving: (name, share) => post({ kind: 'proving', name, share }),
    },
  );
  return { kind: 'done', verdict, storeFailure };
}
