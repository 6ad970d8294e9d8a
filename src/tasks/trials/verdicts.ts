// Writes the verdicts of isobar prove to the ledger, and finds them again for the same code, data and settings.

import { nowMs } from '../../adapters/clock/wallClock.ts';
import { packageVersion } from '../../adapters/runtime/version.ts';
import type { ResolvedRun } from '../../definition/resolve.ts';
import type { DecidingVerdict, ProofKey, RunProof, StrategyVerdict } from '../../model/run/proof.ts';
import { formatTime } from '../../model/time.ts';
import { appendLine, readProofs, readRuns } from './trialLedger.ts';
import { proofKeyOf, visibleFeedsOf } from './identityParts.ts';

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
    feeds: visibleFeedsOf(plan),
    from: formatTime(plan.fromMs),
    to: formatTime(plan.toMs),
    version: packageVersion(),
    madeAt: formatTime(nowMs()),
  });
}

/** Returns the newest verdict of `isobar prove` about the same code, data and settings; null: none. */
export function verdictFor(folder: string, { code, data, settings }: ProofKey): RunProof | null {
  const newest = readProofs(folder).findLast((line) => line.code === code && line.data === data && line.settings === settings);
  if (newest === undefined) return null;
  const { verdict, why, proofs, bars, madeAt } = newest;
  return { verdict, from: 'prove', why, proofs, bars, code, data, settings, madeAt };
}

/** The verdict about the code of strategies, for any data and settings. */
export interface CodeVerdict {
  readonly verdict: 'proved' | 'refuted';
  readonly from: RunProof['from'];
  /** Instruments and intervals of the visible feeds that the verdict is about: `spot:BTCUSDT 1h`. */
  readonly feeds: readonly string[];
  /** ISO 8601, UTC. */
  readonly madeAt: string;
}

/**
 * Returns the verdict of the ledger about strategies with the hash `code` (see ProofKey); null: nothing proved and nothing refuted. For the
 * same data and settings the newest verdict of `isobar prove` counts, else that of the newest run. Among different data and settings,
 * 'refuted' counts more than 'proved', and a verdict of `isobar prove` more than a sample.
 */
export function codeVerdict(folder: string, code: string): CodeVerdict | null {
  const byDataAndSettings = new Map<string, CodeVerdict | null>();
  const add = (key: ProofKey, verdict: DecidingVerdict, details: Omit<CodeVerdict, 'verdict'>): void => {
    if (key.code !== code) return;
    byDataAndSettings.set(`${key.data} ${key.settings}`, verdict === 'not-proved' ? null : { verdict, ...details });
  };
  for (const { proof, bars, startedAt } of readRuns(folder)) {
    if (proof?.from === 'sample') add(proof, proof.verdict, { from: 'sample', feeds: bars, madeAt: startedAt });
  }
  for (const line of readProofs(folder)) add(line, line.verdict, { from: 'prove', feeds: line.feeds, madeAt: line.madeAt });
  const decided = [...byDataAndSettings.values()].filter((verdict) => verdict !== null);
  const newestFirst = decided.toSorted((a, b) => (a.madeAt < b.madeAt ? 1 : -1));
  const newestOf = (verdict: CodeVerdict['verdict'], from: CodeVerdict['from']): CodeVerdict | undefined =>
    newestFirst.find((candidate) => candidate.verdict === verdict && candidate.from === from);
  const refuted = newestOf('refuted', 'prove') ?? newestOf('refuted', 'sample');
  return refuted ?? newestOf('proved', 'prove') ?? newestOf('proved', 'sample') ?? null;
}
