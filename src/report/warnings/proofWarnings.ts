// Warnings about strategies that a proof refutes (docs/prove.md).

import { LATER_TEXT, refutedProofs, STATE_TEXTS, TABLE_TEXTS, type Proof, type RunProof } from '../../model/run/proof.ts';
import { formatMinute, parseTime } from '../../model/time.ts';
import { warningClass, type Warning, type WarningCode } from '../../model/warning.ts';

/** Classes of warnings that say why a result depends on more than bars, parameters and seed. */
const CAUSES: ReadonlySet<string> = new Set(['lookahead', 'state', 'impure']);
const STATES: ReadonlySet<string> = new Set(Object.values(STATE_TEXTS));
const TABLES: ReadonlySet<string> = new Set(Object.values(TABLE_TEXTS));
const REMEDIES: Partial<Record<WarningCode, string>> = {
  LOOKAHEAD_ROWS: 'a decision depends on rows after its time; keep the state of an indicator inside its function',
  LOOKAHEAD_TABLE: 'the code holds data from after a bar; bring market data as a feed',
  LOOKAHEAD_SERIES: 'a value is known before its bar has closed; give the time at which it becomes known, in UTC',
  STATE_KEPT: 'a module variable, a static field or another shared object keeps a value; keep state in fields of the class',
  IMPURE_EXTERNAL: 'a decision depends on something outside the run; use what the class gives, and params',
};

/**
 * Returns the warnings of a refuted strategy; none for any other verdict. `others`: those that the run has by itself. Where none of them names
 * a cause, the first proof has a second warning, whose class is its cause.
 */
export function proofWarnings(proof: RunProof, others: readonly Warning[]): readonly Warning[] {
  if (proof.verdict !== 'refuted') return [];
  const source = proof.from === 'sample' ? 'a sample of the bars' : 'isobar prove';
  const refuted = refutedProofs(proof);
  const warnings = refuted.map((each) => warningOf(each, 'PROOF_REFUTED', `${source} refutes ${each.name}: ${findingText(each)}`));
  const isCauseNamed = others.some((other) => CAUSES.has(warningClass(other)));
  const [first] = refuted;
  if (isCauseNamed || first === undefined) return warnings;
  const cause = causeOf(first);
  return [...warnings, warningOf(first, cause, REMEDIES[cause] ?? first.text)];
}

const warningOf = ({ file, line }: Proof, code: WarningCode, text: string): Warning => ({ code, text, file, line });

function causeOf({ name, text }: Proof): WarningCode {
  if (name !== 'purity') return 'LOOKAHEAD_ROWS';
  if (TABLES.has(text)) return 'LOOKAHEAD_TABLE';
  if (text === LATER_TEXT) return 'LOOKAHEAD_SERIES';
  return STATES.has(text) ? 'STATE_KEPT' : 'IMPURE_EXTERNAL';
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
