// The lines of the trial ledger: JSON with a checksum as the last member, so that cut or changed lines are detected.

import { crc32 } from 'node:zlib';
import type { Axis, ParamSet } from './paramGrid.ts';
import type { ProofKey, ProvedRun, RunProof } from '../../model/run/proof.ts';
import type { Warning } from '../../model/warning.ts';
import type { IdentityPart } from './sweepIdentity.ts';

/** The data by which trials are counted. */
export interface TrialInputs {
  /** Instruments and intervals of the visible feeds: `spot:BTCUSDT 1h`. */
  readonly bars: readonly string[];
  /** The name of a group of trials, which separates unrelated work on the same data; absent or null: no family. */
  readonly family?: string | null;
  /** Every input by name. Trials with equal inputs are repeats. */
  readonly parts: readonly IdentityPart[];
}

/** A single run: a line in the file of runs. */
export interface RunLine extends TrialInputs {
  readonly kind: 'run';
  readonly format: 'isobar ledger 1';
  readonly name: string;
  readonly strategy: string;
  readonly figures: Readonly<Record<string, number | null>>;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** The verdict of the run about its strategies; absent in a line of an earlier isobar version. */
  readonly proof?: ProofKey & Pick<RunProof, 'verdict' | 'from'>;
}

/** A verdict of `isobar prove`: a line in the file of proofs. */
export interface ProofLine extends ProvedRun, ProofKey {
  readonly kind: 'proof';
  readonly format: 'isobar ledger 1';
  readonly strategy: string;
  /** Instruments and intervals of the visible feeds: `spot:BTCUSDT 1h`. */
  readonly feeds: readonly string[];
  /** First and last time of the run, ISO 8601, UTC. */
  readonly from: string;
  readonly to: string;
  /** The version of isobar that made the verdict. */
  readonly version: string;
  /** ISO 8601, UTC. */
  readonly madeAt: string;
}

/** The first line of a ledger file: the sweep. */
export interface SweepHeader extends TrialInputs {
  readonly kind: 'sweep';
  readonly format: 'isobar ledger 1';
  /** SHA-256 of all inputs. */
  readonly id: string;
  readonly name: string;
  /** The name of the definition, to find the sweep again. */
  readonly definition: string;
  readonly strategy: string;
  readonly grid: readonly Axis[];
  /** Number of sets drawn from the grid; null: all sets. */
  readonly random: number | null;
  readonly sets: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

/** The result of one set. */
export interface SetLine {
  readonly kind: 'set';
  /** Index in the list of sets. */
  readonly set: number;
  readonly params: ParamSet;
  /** Figures by name; a value of null: undefined. Null instead of the record: the set did not run. */
  readonly figures: Readonly<Record<string, number | null>> | null;
  /** Why the strategy refused the set; null: it ran. */
  readonly refused: string | null;
  /** Why the set did not complete, for example because the strategy hangs. */
  readonly failed?: string;
  /** Warnings from the run of the set; absent: none. */
  readonly warnings?: readonly Warning[];
}

/** Any line of the ledger. */
export type LedgerLine = SweepHeader | SetLine | RunLine | ProofLine;

/** Matches the checksum at the end of a line. */
const CHECKSUM_MEMBER = /,"crc":"([0-9a-f]{8})"\}$/;

/** Returns the text of `line`, without a newline. */
export function encodeLine(line: LedgerLine): string {
  const body = JSON.stringify(line).slice(0, -1);
  return `${body},"crc":"${checksum(body)}"}`;
}

/** Returns the line in `text`; null: the text is incomplete or damaged. */
export function decodeLine(text: string): LedgerLine | null {
  const check = CHECKSUM_MEMBER.exec(text);
  if (!check) return null;
  const body = text.slice(0, check.index);
  // A valid checksum means that encodeLine wrote the line. The compiler cannot follow its types through JSON.
  return checksum(body) === check[1] ? (JSON.parse(`${body}}`) as LedgerLine) : null;
}

/** Returns the CRC-32 of a text as eight hexadecimal digits. */
function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
