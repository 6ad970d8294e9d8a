// Writes the proof of a run's strategies in words: one short line, and a sentence with the reasons.

import { counted, joinedByAnd } from '../../base/text/format.ts';
import { refutedProofs, type RunProof } from '../../model/run/proof.ts';

/** The proofs that a sample makes. */
const SAMPLE_PROOFS = 'purity and blocks';
/** Maximum length of a reason, so that the line fits into 100 columns. */
const MAX_REASON_LENGTH = 64;

/** Returns one short line: `proved on a sample of 2,048 bars (purity and blocks)`. */
export function proofLine(proof: RunProof): string {
  const { verdict, from, bars, madeAt } = proof;
  const isSample = from === 'sample';
  const basis = isSample ? `on a sample of ${counted(bars, 'bar')}` : `by isobar prove over ${counted(bars, 'bar')}`;
  const dayText = madeAt === null ? '' : `, ${madeAt.slice(0, 10)}`;
  if (verdict === 'proved') return isSample ? `proved ${basis} (${SAMPLE_PROOFS})` : `proved ${basis}${dayText}`;
  if (verdict === 'refuted') {
    const names = refutedProofs(proof).map(({ name }) => name);
    return `refuted ${basis}: ${joinedByAnd(names)}${dayText}`;
  }
  return `not proved: ${shortenedReason(reasonOf(proof))}${dayText}`;
}

/** Returns the sentence that explains the line: the finding of each proof. */
export function proofNote(proof: RunProof): string {
  const { proofs, from } = proof;
  const texts = proofs.filter(({ verdict }) => verdict !== 'not-applicable').map(({ name, text }) => `${name}: ${text}`);
  const findings = texts.length === 0 ? [reasonOf(proof)] : texts;
  const hint = from === 'sample' ? ' isobar prove makes all six proofs over all bars.' : '';
  return `${capitalized(findings.join('; '))}.${hint}`;
}

/** Returns why the strategies are not proved. */
function reasonOf({ why, proofs }: RunProof): string {
  return why ?? proofs.find(({ verdict }) => verdict === 'not-proved')?.text ?? 'no proof was made';
}

const shortenedReason = (text: string): string => (text.length <= MAX_REASON_LENGTH ? text : `${text.slice(0, MAX_REASON_LENGTH - 1)}…`);
const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
