// Warnings about strategies that a proof refutes (docs/prove.md).

import { refutedProofs, type Proof, type RunProof } from '../../model/run/proof.ts';
import { formatMinute, parseTime } from '../../model/time.ts';
import type { Warning } from '../../model/warning.ts';

/** Returns one warning for each refuted strategy. Empty for any other verdict. */
export function proofWarnings(proof: RunProof): readonly Warning[] {
  if (proof.verdict !== 'refuted') return [];
  const source = proof.from === 'sample' ? 'a sample of the bars' : 'isobar prove';
  return refutedProofs(proof).map((refuted) => ({
    code: 'PROOF_REFUTED',
    text: `${source} refutes ${refuted.name}: ${findingText(refuted)}`,
    file: refuted.file,
    line: refuted.line,
  }));
}

/** Returns the finding of a proof with its first difference. */
function findingText({ text, first }: Proof): string {
  if (first === null) return text;
  const ms = first.time === null ? null : parseTime(first.time);
  const place = [ms === null ? null : formatMinute(ms), first.feed].filter((part) => part !== null).join(', ');
  const where = place === '' ? '' : `, first at ${place}`;
  // A forbidden use has no expected value.
  const isUse = first.what === first.actual;
  return isUse ? `${text}${where}` : `${text}${where}: expected ${first.expected}, got ${first.actual}`;
}
