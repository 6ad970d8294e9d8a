// Warnings about strategies that a proof refutes (docs/prove.md).

import { LATER_TEXTS, refutedProofs, STATE_TEXTS, TABLE_TEXTS, type Proof, type RunProof } from '../../model/run/proof.ts';
import { formatMinute, parseTime } from '../../model/time.ts';
import { warningClass, type Warning, type WarningCode } from '../../model/warning.ts';

/** Classes of warnings that say why a result depends on more than bars, parameters and seed. */
const CAUSES: ReadonlySet<string> = new Set(['lookahead', 'state', 'impure']);
/** Findings about state that a strategy keeps outside its fields, and about data from after a bar in its code. */
const STATE_FINDINGS: ReadonlySet<string> = new Set(Object.values(STATE_TEXTS));
const LATER_FINDINGS: ReadonlySet<string> = new Set(Object.values(LATER_TEXTS));
const TABLE_FINDINGS: ReadonlySet<string> = new Set(Object.values(TABLE_TEXTS));
/** Matches the finding about an object of the process that the strategy changes. It names the object, so its warning needs no other text. */
const SHARED_OBJECT = /^the strategy (?:replaces|adds|writes) /;
/** What is wrong in words, and what to do, by the cause of a refuted proof. */
const REMEDIES: Partial<Record<WarningCode, string>> = {
  LOOKAHEAD_ROWS: 'a decision depends on rows after its time; keep the state of an indicator inside its function',
  LOOKAHEAD_TABLE: 'the code holds data from after a bar; bring market data as a feed',
  LOOKAHEAD_SERIES: 'a value is known before its bar has closed; give the time at which it becomes known, in UTC',
  STATE_KEPT: 'a module variable, a static field or another shared object keeps a value; keep state in fields of the class',
  IMPURE_EXTERNAL: 'a decision depends on something outside the run; use what the class gives, and params',
};

/**
 * Returns the warnings of a refuted strategy. Empty for any other verdict. `others` are the warnings that the run has by itself. If none of
 * them names a cause, the first proof has a second warning, whose class is its cause.
 */
export function proofWarnings(proof: RunProof, others: readonly Warning[]): readonly Warning[] {
  if (proof.verdict !== 'refuted') return [];
  const source = proof.from === 'sample' ? 'a sample of the bars' : 'isobar prove';
  const refuted = refutedProofs(proof);
  const warnings = refuted.map((refutation) =>
    warningOf(refutation, 'PROOF_REFUTED', `${source} refutes ${refutation.name}: ${findingText(refutation)}`),
  );
  const isCauseNamed = others.some((other) => CAUSES.has(warningClass(other)));
  const [firstRefutation] = refuted;
  if (isCauseNamed || firstRefutation === undefined) return warnings;
  const cause = causeOf(firstRefutation);
  return [...warnings, warningOf(firstRefutation, cause, REMEDIES[cause] ?? firstRefutation.text)];
}

/** Returns a warning at the place in the code that a proof names. */
const warningOf = ({ file, line }: Proof, code: WarningCode, text: string): Warning => ({ code, text, file, line });

/** Returns the code of the cause for which a proof was refuted. */
function causeOf({ name, text }: Proof): WarningCode {
  if (name !== 'purity') return 'LOOKAHEAD_ROWS';
  if (TABLE_FINDINGS.has(text)) return 'LOOKAHEAD_TABLE';
  if (LATER_FINDINGS.has(text)) return 'LOOKAHEAD_SERIES';
  if (SHARED_OBJECT.test(text)) return 'STATE_GLOBAL';
  return STATE_FINDINGS.has(text) ? 'STATE_KEPT' : 'IMPURE_EXTERNAL';
}

/** Returns the finding of a proof with its first difference. */
function findingText({ text, first }: Proof): string {
  if (first === null) return text;
  const timeMs = first.time === null ? null : parseTime(first.time);
  const timeAndFeed = [timeMs === null ? null : formatMinute(timeMs), first.feed].filter((part) => part !== null);
  const placeText = timeAndFeed.length === 0 ? '' : `, first at ${timeAndFeed.join(', ')}`;
  // A forbidden use has no expected value.
  const isForbiddenUse = first.what === first.actual;
  return isForbiddenUse ? `${text}${placeText}` : `${text}${placeText}: expected ${first.expected}, got ${first.actual}`;
}
