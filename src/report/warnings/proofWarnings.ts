// The warnings of a run whose strategies a proof refutes.

import { refutedProofs, type Proof, type RunProof } from '../../model/run/proof.ts';
import { formatMinute, parseTime } from '../../model/time.ts';
import type { Warning } from '../../model/warning.ts';

/** Returns the warning of a refuted strategy; none for any other verdict. */
export function proofWarnings(proof: RunProof): readonly Warning[] {
  if (proof.verdict !== 'refuted') return [];
  const by = proof.from === 'sample' ? 'a sample of the bars' : 'isobar prove';
  return refutedProofs(proof).map((each) => ({
    code: 'PROOF_REFUTED',
    text: `${by} refutes ${each.name}: ${findingOf(each)}`,
    file: each.file,
    line: each.line,
  }));
}

/** Returns what was found, with the first difference. */
function findingOf({ text, first }: Proof): string {
  if (first === null) return text;
  const ms = first.time === null ? null : parseTime(first.time);
  const when = [ms === null ? null : formatMinute(ms), first.feed].filter((part) => part !== null).join(', ');
  const at = when === '' ? '' : `, first at ${when}`;
  const isUse = first.what === first.actual;
  return isUse ? `${text}${at}` : `${text}${at}: expected ${first.expected}, got ${first.actual}`;
}
