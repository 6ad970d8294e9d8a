// Lines of the trial ledger: JSON with a checksum as its last member, so that a line that was cut or changed shows itself.

import { crc32 } from 'node:zlib';
import type { Axis, ParamSet } from './grid.ts';
import type { Warning } from '../../model/warning.ts';
import type { IdentityPart } from './identity.ts';

/** What trials are counted by. */
export interface TriedOn {
  /** Instruments and intervals of the feeds that a strategy sees: `spot:BTCUSDT 1h`. */
  readonly bars: readonly string[];
  /** Names work that has nothing to do with other work on the same data; absent or null: none. */
  readonly family?: string | null;
  /** Every input by name: they tell repeats of a trial apart. */
  readonly parts: readonly IdentityPart[];
}

/** A single run, a line of its own in the file of runs. */
export interface RunLine extends TriedOn {
  readonly kind: 'run';
  readonly format: 'isobar ledger 1';
  readonly name: string;
  readonly strategy: string;
  readonly figures: Readonly<Record<string, number | null>>;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

/** The first line of a ledger file: what is swept. */
export interface SweepHeader extends TriedOn {
  readonly kind: 'sweep';
  readonly format: 'isobar ledger 1';
  /** SHA-256 of all inputs. */
  readonly id: string;
  readonly name: string;
  /** The definition as it was named; for a person who looks for the sweep again. */
  readonly definition: string;
  readonly strategy: string;
  readonly grid: readonly Axis[];
  /** Sets drawn from the grid; null for all of it. */
  readonly random: number | null;
  readonly sets: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
}

/** What came of one set. */
export interface SetLine {
  readonly kind: 'set';
  /** Position in the list of sets. */
  readonly set: number;
  readonly params: ParamSet;
  /** By name, null where a figure is not defined; null when the set did not run. */
  readonly figures: Readonly<Record<string, number | null>> | null;
  /** Why the strategy refused the set; null when it ran. */
  readonly refused: string | null;
  /** Why it did not get to its end, such as a strategy that hangs. */
  readonly failed?: string;
  /** What was noticed while it and the sets of its task ran; left out where nothing was. */
  readonly warnings?: readonly Warning[];
}

export type LedgerLine = SweepHeader | SetLine | RunLine;

const CHECK = /,"crc":"([0-9a-f]{8})"\}$/;

/** The line without its end of line. */
export function encodeLine(line: LedgerLine): string {
  const body = JSON.stringify(line).slice(0, -1);
  return `${body},"crc":"${checksum(body)}"}`;
}

/** The line that `text` holds, or null when it is not whole. */
export function decodeLine(text: string): LedgerLine | null {
  const check = CHECK.exec(text);
  if (!check) return null;
  const body = text.slice(0, check.index);
  // What passes its checksum was written by encodeLine, whose types the compiler does not follow through JSON.
  return checksum(body) === check[1] ? (JSON.parse(`${body}}`) as LedgerLine) : null;
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}
