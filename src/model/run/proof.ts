// The result of `isobar prove`: a verdict about a strategy, and the proofs that it follows from.

/** The proofs, in the order in which they are made. The first four decide the verdict. */
export const PROOFS = ['purity', 'blocks', 'prefix', 'poison', 'warm-up', 'metamorphic'] as const;
export type ProofName = (typeof PROOFS)[number];
export const DECIDING: readonly ProofName[] = ['blocks', 'prefix', 'poison', 'purity'];

export type DecidingVerdict = 'proved' | 'refuted' | 'not-proved';
/** Verdicts of the proofs that never refute. */
export type InformingVerdict = 'holds' | 'depends' | 'not-applicable';

/** Where two runs that must decide alike first differ. */
export interface FirstDifference {
  /** ISO 8601, UTC; null where no time can be known, such as while a file is loaded. */
  readonly time: string | null;
  /** Symbol and interval, such as `BTCUSDT 1h`; null where no feed belongs to it. */
  readonly feed: string | null;
  /** What differs: a call such as `buy`, or what was used, such as `Math.random()`. */
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
}

export interface Proof {
  readonly name: ProofName;
  readonly verdict: DecidingVerdict | InformingVerdict;
  /** Why, in one sentence without a final point. */
  readonly text: string;
  readonly first: FirstDifference | null;
  /** The author's file that made the differing call, relative to the working directory, and its line from 1; null: not known. */
  readonly file: string | null;
  readonly line: number | null;
}

export interface StrategyVerdict {
  /** Name of its class; of several strategies, all names. */
  readonly strategy: string;
  readonly verdict: DecidingVerdict;
  readonly proofs: readonly Proof[];
  /** Bars of all feeds together. */
  readonly bars: number;
  /** Wall time of the proofs. */
  readonly seconds: number;
}

/** Returns `refuted` if a deciding proof is, `proved` if all of them are, else `not-proved`. */
export function verdictOf(proofs: readonly Proof[]): DecidingVerdict {
  const deciding = proofs.filter(({ name }) => DECIDING.includes(name));
  if (deciding.some(({ verdict }) => verdict === 'refuted')) return 'refuted';
  return deciding.length === DECIDING.length && deciding.every(({ verdict }) => verdict === 'proved') ? 'proved' : 'not-proved';
}

/** Returns a proof without a difference. */
export function plainProof(name: ProofName, verdict: Proof['verdict'], text: string): Proof {
  return { name, verdict, text, first: null, file: null, line: null };
}
