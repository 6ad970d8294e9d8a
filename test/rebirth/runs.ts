// Lifetimes of one strategy over the same rows, once with kills and once without: the final states of the exchange are compared.

import { rmSync } from 'node:fs';
import { openRequest } from '../../src/definition/request.ts';
import { resolveRun } from '../../src/definition/resolve.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { backtestOf, definitionOf, shortenPlan } from '../parity/parity.ts';
import { liveComparablePlan } from '../parity/setUp.ts';
import { firstDifference, type Tables } from '../parity/tables.ts';
import type { WriteMoment } from './messages.ts';
import type { KilledStrategy } from './roster.ts';
import { World, type Definition, type Kill, type Losses, type Truth } from './world.ts';

/** The counts of all lifetimes of one strategy, and whether each ended like the lifetime without kills. */
export interface Rebirths {
  readonly strategy: string;
  readonly kills: number;
  /** Create requests that were lost with a killed process. */
  readonly droppedSends: number;
  /** Orders and fills of the lifetime without kills. */
  readonly orders: number;
  readonly fills: number;
  readonly equalToUnkilled: boolean;
}

/** The options of the lifetimes of one strategy. */
export interface LifetimeOptions {
  /** Number of kills in all lifetimes together. */
  readonly kills: number;
  readonly seed: number;
  /** The seed of the only lifetime to run; null for as many lifetimes as the kills need. */
  readonly lifetime: number | null;
  /** The bundled program of a bot process. */
  readonly program: string;
  /** Reports differences, and lifetimes that cannot be compared. */
  readonly notify: (line: string) => void;
  /** False if only lifetimes are compared with each other, and none with the backtest. By default true. */
  readonly comparesBacktest?: boolean;
}

/** Largest number of kills of one lifetime. More of them would leave it little time to trade. */
const KILLS_PER_LIFETIME = 8;
const MOMENTS: readonly WriteMoment[] = ['before', 'torn', 'written', 'durable'];
/** Largest number of lifetimes in a row in which no kill happened. A single lifetime may have drawn a record that its bot never wrote. */
const MAX_WITHOUT_KILL = 20;
/** Largest number of starts of one lifetime. A bot that needs more makes no progress. */
const MAX_STARTS = 60;

/** A lifetime without kills. */
interface UnkilledLifetime {
  /** The folder with its journal. The caller removes it. */
  readonly folder: string;
  readonly truth: Truth;
  readonly tables: Pick<Tables, 'orders' | 'fills' | 'books'>;
  /** Records of the journal by kind. */
  readonly records: ReadonlyMap<string, number>;
  /** Number of create requests. */
  readonly creates: number;
}

/** Runs lifetimes of a strategy until it has had all its kills, and compares each with the lifetime without kills. */
export async function rebirthsOf({ name, file, settings, bars }: KilledStrategy, options: LifetimeOptions): Promise<Rebirths> {
  const { kills: killCount, seed, lifetime: onlySeed, notify } = options;
  const { source } = await openRequest({ kind: 'file', file, settings });
  const plan = liveComparablePlan(shortenPlan((await resolveRun(source)).plan, bars));
  const lifetimes = new Lifetimes(plan, definitionOf(source.data), options);
  const backtest = await backtestOf(plan);
  const unkilled = await lifetimes.runUnkilled();
  rmSync(unkilled.folder, { recursive: true });
  const { orders, fills, books } = unkilled.tables;
  const difference = firstDifference(backtest, { orders, fills, books, balances: backtest.balances });
  if (difference !== null && options.comparesBacktest !== false)
    notify(`${name}: without a kill the live bot differs from its backtest: ${JSON.stringify(difference)}`);
  let kills = 0;
  let droppedSends = 0;
  let lifetimesWithoutKill = 0;
  let isEqual = difference === null || options.comparesBacktest === false;
  for (let lifetime = 0; kills < killCount; lifetime++) {
    const lifetimeSeed = onlySeed ?? seed * 1000 + lifetime;
    const killedLifetime = await lifetimes.runKilled(lifetimeSeed, Math.min(KILLS_PER_LIFETIME, killCount - kills), unkilled);
    if (!killedLifetime.isComparable) {
      notify(
        `${name}, lifetime of seed ${lifetimeSeed}: ${killedLifetime.reason}, which happens to no bot that keeps running; not compared`,
      );
      if (onlySeed !== null) break;
      continue;
    }
    kills += killedLifetime.kills;
    droppedSends += killedLifetime.lostRequests;
    if (killedLifetime.difference !== null) {
      isEqual = false;
      notify(`${name}, lifetime of seed ${lifetimeSeed}: ${killedLifetime.difference}`);
    }
    lifetimesWithoutKill = killedLifetime.kills === 0 ? lifetimesWithoutKill + 1 : 0;
    if (onlySeed !== null || lifetimesWithoutKill === MAX_WITHOUT_KILL) break;
  }
  return {
    strategy: name,
    kills,
    droppedSends,
    orders: unkilled.truth.orders.length,
    fills: unkilled.truth.fills.length,
    equalToUnkilled: isEqual,
  };
}

/** The result of one lifetime with kills. */
interface KilledLifetime {
  /** False when no lifetime without kills can be like it. */
  readonly isComparable: boolean;
  /** Why it cannot be compared. */
  readonly reason?: string;
  readonly kills: number;
  readonly lostRequests: number;
  /** The first difference to the lifetime without kills, or null. */
  readonly difference: string | null;
}

/** Runs lifetimes of one plan, with and without kills. */
class Lifetimes {
  readonly #plan: RunPlan;
  readonly #definition: Definition;
  readonly #options: LifetimeOptions;

  constructor(plan: RunPlan, definition: Definition, options: LifetimeOptions) {
    this.#plan = plan;
    this.#definition = definition;
    this.#options = options;
  }

  /** Runs one process from the first row to the last. The network loses `losses`. */
  async runUnkilled(losses?: Losses): Promise<UnkilledLifetime> {
    const world = await World.open(this.#plan, this.#options.program, this.#definition, losses);
    try {
      const outcome = await world.start(null);
      if (outcome.kind !== 'over') throw new Error(outcome.kind === 'failed' ? outcome.why : 'the bot was killed by another process');
      const records = new Map<string, number>();
      for (const { k } of world.journal()) records.set(k, (records.get(k) ?? 0) + 1);
      return { folder: world.folder, truth: world.truth(), tables: outcome.tables, records, creates: world.createCount };
    } finally {
      await world.close({ keepsFolder: true });
    }
  }

  /** Runs one process after the other until one comes to the last row, and compares the exchange with that of a lifetime without kills. */
  async runKilled(seed: number, kills: number, unkilled: UnkilledLifetime): Promise<KilledLifetime> {
    const rng = seededRng(seed);
    const world = await World.open(this.#plan, this.#options.program, this.#definition);
    const doneKills: string[] = [];
    let keepsFolder = true;
    const failedWith = (difference: string): KilledLifetime => ({
      isComparable: true,
      kills: doneKills.length,
      lostRequests: 0,
      difference,
    });
    try {
      for (let starts = 0; ; starts++) {
        if (starts > MAX_STARTS) return failedWith(`no end after ${starts} starts`);
        const kill = doneKills.length < kills ? drawKill(() => rng.next(), kills, unkilled) : null;
        const outcome = await world.start(kill);
        if (outcome.kind === 'failed') return failedWith(`${doneKills.join(', ')}; ${outcome.why}\n${world.folder}`);
        if (outcome.kind === 'killed') {
          doneKills.push(killText(kill!));
          continue;
        }
        const lifetime = await this.#judge(world, unkilled, outcome.tables.books, doneKills);
        keepsFolder = lifetime.difference !== null;
        return lifetime;
      }
    } finally {
      await world.close({ keepsFolder });
    }
  }

  /** Compares a completed lifetime with one without kills, if that is possible. */
  async #judge(world: World, unkilled: UnkilledLifetime, books: Tables['books'], doneKills: readonly string[]): Promise<KilledLifetime> {
    const incomparable = (reason: string): KilledLifetime => {
      return { isComparable: false, reason, kills: doneKills.length, lostRequests: 0, difference: null };
    };
    if (world.hasLostPair()) return incomparable('two orders of one side were lost together');
    const comparison = await this.#compare(world, unkilled, books);
    if (comparison.difference !== null && world.hasCreateMidRow) {
      if (comparison.folder !== null) rmSync(comparison.folder, { recursive: true });
      return incomparable('an order was sent inside a row after a wait');
    }
    const { lostRequests, difference } = comparison;
    return {
      isComparable: true,
      kills: doneKills.length,
      lostRequests,
      difference: difference === null ? null : `killed at ${doneKills.join(', ')}: ${difference}\n${world.folder}`,
    };
  }

  /**
   * Returns the first difference to a lifetime without kills whose network loses what the kills have lost. `folder` is that of this lifetime
   * if there is a difference, for a reader; null otherwise.
   */
  async #compare(
    world: World,
    unkilled: UnkilledLifetime,
    books: Tables['books'],
  ): Promise<{ readonly lostRequests: number; readonly difference: string | null; readonly folder: string | null }> {
    const losses = world.losses();
    const hasLosses = losses.requests.size + losses.replies.size > 0;
    const comparedWith = hasLosses ? await this.runUnkilled(losses) : unkilled;
    const difference =
      differenceOfTruth(world.truth(), comparedWith.truth) ??
      differenceOf('books', JSON.stringify(books), JSON.stringify(comparedWith.tables.books));
    if (!hasLosses) return { lostRequests: 0, difference, folder: null };
    if (difference === null) rmSync(comparedWith.folder, { recursive: true });
    return {
      lostRequests: losses.requests.size,
      difference: difference === null ? null : `${difference}\nunkilled: ${comparedWith.folder}`,
      folder: difference === null ? null : comparedWith.folder,
    };
  }
}

/** Returns the first difference between what the exchange has after two lifetimes, or null. */
function differenceOfTruth(killed: Truth, unkilled: Truth): string | null {
  for (const table of ['orders', 'fills'] as const) {
    for (let row = 0; row < Math.max(killed[table].length, unkilled[table].length); row++) {
      const rowText = ({ [table]: rows }: Truth) => JSON.stringify(rows[row] ?? null);
      const difference = differenceOf(`${table} ${row}`, rowText(killed), rowText(unkilled));
      if (difference !== null) return difference;
    }
  }
  return differenceOf('money', killed.money, unkilled.money);
}

/** Returns a sentence with both texts if they differ, or null. */
const differenceOf = (subject: string, killed: string, other: string): string | null =>
  killed === other ? null : `${subject}: killed ${killed}, unkilled ${other}`;

/**
 * Draws a kill: in half of the cases at a record, in three of ten at a create request, in one of ten at any request, else at a time. The draw
 * of `nth` spreads the kills over as many records and requests as a lifetime without kills has.
 */
function drawKill(random: () => number, kills: number, { records, creates }: UnkilledLifetime): Kill {
  const kindDraw = random();
  const drawNth = (count: number): number => 1 + Math.floor((random() * 2 * count) / (kills + 1));
  if (kindDraw < 0.5) {
    const kinds = [...records.keys()];
    const kind = kinds[Math.floor(random() * kinds.length)]!;
    return { at: 'record', kind, moment: MOMENTS[Math.floor(random() * MOMENTS.length)]!, nth: drawNth(records.get(kind)!) };
  }
  const lost = random() < 0.5 ? 'loseRequest' : 'loseReply';
  if (kindDraw < 0.8) return { at: 'request', lost, of: 'create', nth: drawNth(creates) };
  if (kindDraw < 0.9) return { at: 'request', lost, of: 'any', nth: 1 + Math.floor(random() * 300) };
  return { at: 'time', ms: 300 + Math.floor(random() * 1500) };
}

/** Returns a kill as a few words. */
function killText(kill: Kill): string {
  if (kill.at === 'record') return `${kill.kind} ${kill.nth} ${kill.moment}`;
  if (kill.at === 'request') return `${kill.lost} ${kill.of} ${kill.nth}`;
  return `${kill.ms} ms`;
}
