// The verdict about the strategies of a run in words: one short line, and a sentence with its reasons.

import { counted, joinedByAnd } from '../../base/text/format.ts';
import { refutedProofs, type RunProof } from '../../model/run/proof.ts';

const NAMES_OF_SAMPLE = 'purity and blocks';
/** The line is shown with figures in a table of at most 100 columns. */
const MAX_REASON = 64;

/** Returns one short line: `proved on a sample of 2,048 bars (purity and blocks)`. */
export function proofLine(proof: RunProof): string {
  const { verdict, from, bars, madeAt } = proof;
  const seen = from === 'sample' ? `on a sample of ${counted(bars, 'bar')}` : `by isobar prove over ${counted(bars, 'bar')}`;
  const day = madeAt === null ? '' : `, ${madeAt.slice(0, 10)}`;
  if (verdict === 'proved') return `proved ${seen}${from === 'sample' ? ` (${NAMES_OF_SAMPLE})` : day}`;
  if (verdict === 'refuted') return `refuted ${seen}: ${joinedByAnd(refutedProofs(proof).map(({ name }) => name))}${day}`;
  return `not proved: ${shortened(reasonOf(proof))}${day}`;
}

/** Returns the sentence behind the line, for a reader who asks what it means. */
export function proofNote(proof: RunProof): string {
  const { proofs, from } = proof;
  const texts = proofs.filter(({ verdict }) => verdict !== 'not-applicable').map(({ name, text }) => `${name}: ${text}`);
  const parts = texts.length === 0 ? [reasonOf(proof)] : texts;
  const more = from === 'sample' ? ' isobar prove makes all six proofs over all bars.' : '';
  return `${capital(parts.join('; '))}.${more}`;
}

function reasonOf({ why, proofs }: RunProof): string {
  return why ?? proofs.find(({ verdict }) => verdict === 'not-proved')?.text ?? 'no proof was made';
}

const shortened = (text: string): string => (text.length <= MAX_REASON ? text : `${text.slice(0, MAX_REASON - 1)}…`);
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
