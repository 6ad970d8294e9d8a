// The verdict of `isobar prove`, or of the sample of a backtest, about a strategy, and the proofs behind it.

/** The proofs, in the order in which they are made. The first four decide the verdict. */
export const PROOFS = ['purity', 'blocks', 'prefix', 'poison', 'warm-up', 'metamorphic'] as const;
/** One of the proofs. */
export type ProofName = (typeof PROOFS)[number];
/** The proofs that decide the verdict. */
export const DECIDING: readonly ProofName[] = ['blocks', 'prefix', 'poison', 'purity'];

/** Verdicts of the proofs that decide, and of the whole. */
export type DecidingVerdict = 'proved' | 'refuted' | 'not-proved';
/** Verdicts of the proofs that never refute. */
export type InformingVerdict = 'holds' | 'depends' | 'not-applicable';

/** The first difference between two runs whose decisions must be equal. */
export interface FirstDifference {
  /** Time of the difference, ISO 8601, UTC. Null outside of the run, such as while a file is loaded. */
  readonly time: string | null;
  /** Symbol and interval, such as `BTCUSDT 1h`. Null if the difference belongs to no feed. */
  readonly feed: string | null;
  /** The call that differs, such as `buy`, or the forbidden call, such as `Math.random()`. */
  readonly what: string;
  readonly expected: string;
  readonly actual: string;
}

/** One proof and its verdict. */
export interface Proof {
  readonly name: ProofName;
  readonly verdict: DecidingVerdict | InformingVerdict;
  /** Reason for the verdict, in one sentence without a final period. */
  readonly text: string;
  /** The first difference that refutes. Null without one. */
  readonly first: FirstDifference | null;
  /** File of the user that made the differing call, relative to the working directory. Null when it is unknown. */
  readonly file: string | null;
  /** Line of the call, from 1. Null when it is unknown. */
  readonly line: number | null;
}

/** The verdict of `isobar prove`. */
export interface StrategyVerdict {
  /** Name of the strategy class, or the names of several classes. */
  readonly strategy: string;
  readonly verdict: DecidingVerdict;
  readonly proofs: readonly Proof[];
  /** Number of bars of all feeds together. */
  readonly bars: number;
  /** Duration of the proofs, s. */
  readonly seconds: number;
}

/** The verdict about the strategies of a run, with its proofs. */
export interface ProvedRun {
  readonly verdict: DecidingVerdict;
  /** Reason why no proof could be made. Null when proofs were made. */
  readonly why: string | null;
  readonly proofs: readonly Proof[];
  /** Number of bars of all feeds together that the proofs checked. */
  readonly bars: number;
}

/** The hashes of the inputs to which a verdict applies. */
export interface ProofKey {
  /** SHA-256 of the strategy, as in the manifest of its run. For several strategies, the SHA-256 of their hashes, one per line. */
  readonly code: string;
  /** SHA-256 of the bars of all feeds with the marks and funding of contracts, combined like `code`. */
  readonly data: string;
  /** SHA-256 of the other keys of the definition: parameters, dates, cash, costs, risk, models. Paths and the name of the run do not count. */
  readonly settings: string;
}

/** The verdict in summary.json. */
export interface RunProof extends ProvedRun, ProofKey {
  /** `sample` for proofs of purity and blocks over some rows of this run. `prove` for an `isobar prove` of the same code, data and settings. */
  readonly from: 'sample' | 'prove';
  /** Time of `isobar prove`, ISO 8601, UTC. Null for a sample. */
  readonly madeAt: string | null;
}

/** Returns `refuted` if a proof of `decidingNames` is refuted, `proved` if all of them are proved, else `not-proved`. */
export function verdictOf(proofs: readonly Proof[], decidingNames: readonly ProofName[] = DECIDING): DecidingVerdict {
  const deciding = proofs.filter(({ name }) => decidingNames.includes(name));
  if (deciding.some(({ verdict }) => verdict === 'refuted')) return 'refuted';
  const areAllProved = deciding.length === decidingNames.length && deciding.every(({ verdict }) => verdict === 'proved');
  return areAllProved ? 'proved' : 'not-proved';
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
/**
 * The reasons for a refutation by data of the run whose values come from later bars. The values are prices of those bars, or agree with
 * their moves.
 */
export const LATER_TEXTS = {
  prices: 'a series or a feed of the run has prices of bars that close later',
  moves: 'a series of the run agrees with the moves of bars that close later',
  scaled: 'a series of the run was scaled by all of its values, those that become known later too',
} as const;
/**
 * The reasons for a refutation by a table of the strategy. The table holds prices of the data, moves between them, or times at which they turn. Or
 * the orders show that there is such a table.
 */
export const TABLE_TEXTS = {
  prices: 'a file of the strategy holds prices of these data, which show data from after a bar',
  moves: 'a file of the strategy holds the moves of these data, which show data from after a bar',
  times:
    'orders have the same times over other bars, and know the moves of these ones: a table or a formula of the strategy shows data from after a bar',
  turns: 'a file of the strategy lists the lows and highs of these data, which show data from after a bar',
} as const;
