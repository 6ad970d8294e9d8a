// The verdicts of isobar prove, kept beside the trials: written when they are made, found again for the same code, data and settings.

import { nowMs } from '../../adapters/clock/wallClock.ts';
import { packageVersion } from '../../adapters/runtime/version.ts';
import type { ResolvedRun } from '../../definition/resolve.ts';
import type { ProofKey, RunProof, StrategyVerdict } from '../../model/run/proof.ts';
import { formatTime } from '../../model/time.ts';
import { appendLine, readProofs } from './ledger.ts';
import { proofKeyOf, seenBars } from './parts.ts';

/** Adds a verdict of `isobar prove` to the ledger. Throws the system's error if it cannot be written. */
export function noteVerdict(folder: string, resolved: ResolvedRun, { strategy, verdict, proofs, bars }: StrategyVerdict): void {
  const { plan } = resolved;
  appendLine(folder, {
    kind: 'proof',
    format: 'isobar ledger 1',
    strategy,
    verdict,
    why: null,
    proofs,
    bars,
    ...proofKeyOf(resolved),
    feeds: seenBars(plan),
    from: formatTime(plan.fromMs),
    to: formatTime(plan.toMs),
    version: packageVersion(),
    madeAt: formatTime(nowMs()),
  });
}

/** Returns the newest verdict of `isobar prove` about exactly this code, data and settings; null: none. */
export function verdictFor(folder: string, { code, data, settings }: ProofKey): RunProof | null {
  const found = readProofs(folder).findLast((line) => line.code === code && line.data === data && line.settings === settings);
  if (found === undefined) return null;
  const { verdict, why, proofs, bars, madeAt } = found;
  return { verdict, from: 'prove', why, proofs, bars, code, data, settings, madeAt };
}
