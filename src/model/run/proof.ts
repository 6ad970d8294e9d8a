// What `isobar prove`, or the sample of a backtest, says about a strategy: a verdict, and the proofs that it follows from.

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

/** What was proved, or refuted, about the strategies of a run. */
export interface ProvedRun {
  readonly verdict: DecidingVerdict;
  /** Why no proof could be made; null: the proofs say it. */
  readonly why: string | null;
  readonly proofs: readonly Proof[];
  /** Bars of all feeds together that the proofs looked at. */
  readonly bars: number;
}

/** The hashes of what a verdict is about. */
export interface ProofKey {
  /** The strategies: the SHA-256 of the only one as in the manifest of its run; of several, the SHA-256 of their hashes, one a line. */
  readonly code: string;
  /** The bars of all feeds, with marks and funding of contracts; in the same way. */
  readonly data: string;
  /** The rest of the definition: parameters, dates, cash, costs, risk, models. Paths and the name of the run are left out. */
  readonly settings: string;
}

/** The verdict as it stands in summary.json. */
export interface RunProof extends ProvedRun, ProofKey {
  /** `sample`: purity and blocks over some rows of this run. `prove`: of `isobar prove`, made for the same code, data and settings. */
  readonly from: 'sample' | 'prove';
  /** When `isobar prove` was made, ISO 8601, UTC; null for a sample, which belongs to its run. */
  readonly madeAt: string | null;
}

/** Returns `refuted` if a deciding proof is, `proved` if all of them are, else `not-proved`. `wanted`: the names of those that decide. */
export function verdictOf(proofs: readonly Proof[], wanted: readonly ProofName[] = DECIDING): DecidingVerdict {
  const deciding = proofs.filter(({ name }) => wanted.includes(name));
  if (deciding.some(({ verdict }) => verdict === 'refuted')) return 'refuted';
  return deciding.length === wanted.length && deciding.every(({ verdict }) => verdict === 'proved') ? 'proved' : 'not-proved';
}

/** Returns a proof without a difference. */
export function plainProof(name: ProofName, verdict: Proof['verdict'], text: string): Proof {
  return { name, verdict, text, first: null, file: null, line: null };
}

/** Returns the proofs that found a difference. */
export function refutedProofs({ proofs }: Pick<ProvedRun, 'proofs'>): readonly Proof[] {
  return proofs.filter(({ verdict }) => verdict === 'refuted');
}

/** Texts of the proof of purity, by what was found. */
export const STATE_TEXTS = {
  again: 'a later run in one process decides otherwise than the first: a module variable or a static field keeps a value',
  beside:
    'two runs that take turns in one process decide otherwise than one alone: a module variable or a static field keeps a value of the other run',
  otherBars:
    'a run over other bars decides otherwise after an earlier run of its process: a module variable or a static field keeps values of the earlier bars',
} as const;
export const TABLE_TEXTS = {
  prices: 'a file of the strategy holds prices of these data, which show data from after a bar',
  moves: 'a file of the strategy holds the moves of these data, which show data from after a bar',
} as const;
