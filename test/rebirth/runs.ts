// Lifetimes of one strategy over the same rows, once with kills and once without: the final states of the exchange are compared.

import { rmSync } from 'node:fs';
import { openRequest } from '../../src/definition/request.ts';
import { resolveRun } from '../../src/definition/resolve.ts';
import { seededRng } from '../../src/base/number/rng.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { backtestOf, definitionOf, shortenPlan } from '../parity/parity.ts';
import { onTheWire } from '../parity/setUp.ts';
import { firstDifference, type Tables } from '../parity/tables.ts';
import type { Step } from './messages.ts';
import type { Case } from './roster.ts';
import { World, type Definition, type Kill, type Losses, type Truth } from './world.ts';

/** What one strategy did over all its lifetimes, and whether each ended like the lifetime without kills. */
export interface Rebirths {
  readonly strategy: string;
  readonly kills: number;
  readonly droppedSends: number;
  readonly orders: number;
  readonly fills: number;
  readonly equalToUnkilled: boolean;
}

/** The options of the lifetimes of one strategy. */
export interface LifetimeOptions {
  readonly kills: number;
  readonly seed: number;
  /** The seed of the one lifetime to run; null: as many as the kills need. */
  readonly lifetime: number | null;
  /** The bundled program of a bot process. */
  readonly program: string;
  /** What went wrong, and which lifetimes were run, for a reader. */
  readonly notify: (line: string) => void;
}

/** Kills of one lifetime: more would leave it little time to trade. */
const KILLS_PER_LIFETIME = 8;
const STEPS: readonly Step[] = ['before', 'torn', 'written', 'lasting'];
/** Lifetimes in a row whose bot ended before its first kill: a single one may have drawn a record that it never wrote. */
const MAX_UNHURT = 20;
/** A start that fails to trade so often in a row is stuck. */
const MAX_STARTS = 60;

interface Unkilled {
  /** With its journal. The caller removes it. */
  readonly folder: string;
  readonly truth: Truth;
  readonly tables: Pick<Tables, 'orders' | 'fills' | 'books'>;
  /** Records of the journal by kind. */
  readonly records: ReadonlyMap<string, number>;
  readonly creates: number;
}

/** Runs lifetimes of a strategy until it has had all its kills, and compares each with the lifetime without kills. */
export async function rebirthsOf({ name, file, settings, bars }: Case, options: LifetimeOptions): Promise<Rebirths> {
  const { kills: killCount, seed, lifetime: only, notify } = options;
  const { source } = await openRequest({ kind: 'file', file, settings });
  const plan = onTheWire(shortenPlan((await resolveRun(source)).plan, bars));
  const fixture = new Fixture(plan, definitionOf(source.data), options);
  const backtest = await backtestOf(plan);
  const unkilled = await fixture.unkilled();
  rmSync(unkilled.folder, { recursive: true });
  const { orders, fills, books } = unkilled.tables;
  const difference = firstDifference(backtest, { orders, fills, books, balances: backtest.balances });
  if (difference !== null) notify(`${name}: without a kill the live bot differs from its backtest: ${JSON.stringify(difference)}`);
  let kills = 0;
  let droppedSends = 0;
  let unhurt = 0;
  let isEqual = difference === null;
  for (let lifetime = 0; kills < killCount; lifetime++) {
    const lifetimeSeed = only ?? seed * 1000 + lifetime;
    const result = await fixture.killed(lifetimeSeed, Math.min(KILLS_PER_LIFETIME, killCount - kills), unkilled);
    if (!result.isComparable) {
      notify(`${name}, lifetime of seed ${lifetimeSeed}: ${result.why}, which happens to no bot that keeps running; left out`);
      if (only !== null) break;
      continue;
    }
    kills += result.kills;
    droppedSends += result.dropped;
    if (result.wrong !== null) {
      isEqual = false;
      notify(`${name}, lifetime of seed ${lifetimeSeed}: ${result.wrong}`);
    }
    unhurt = result.kills === 0 ? unhurt + 1 : 0;
    if (only !== null || unhurt === MAX_UNHURT) break;
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

interface Lifetime {
  /** There is a lifetime without kills that it should be like. */
  readonly isComparable: boolean;
  /** What makes it incomparable. */
  readonly why?: string;
  readonly kills: number;
  readonly dropped: number;
  /** Null: the exchange has what it has without kills. */
  readonly wrong: string | null;
}

class Fixture {
  readonly #plan: RunPlan;
  readonly #definition: Definition;
  readonly #options: LifetimeOptions;

  constructor(plan: RunPlan, definition: Definition, options: LifetimeOptions) {
    this.#plan = plan;
    this.#definition = definition;
    this.#options = options;
  }

  /** Runs one process from the first row to the last. */
  async unkilled(losses?: Losses): Promise<Unkilled> {
    const world = await World.open(this.#plan, this.#options.program, this.#definition, losses);
    try {
      const outcome = await world.start(null);
      if (outcome.kind !== 'over') throw new Error(outcome.kind === 'failed' ? outcome.why : 'the bot was killed by another process');
      const records = new Map<string, number>();
      for (const { k } of world.journal()) records.set(k, (records.get(k) ?? 0) + 1);
      return { folder: world.folder, truth: world.truth(), tables: outcome.tables, records, creates: world.creates };
    } finally {
      await world.close(true);
    }
  }

  async killed(seed: number, kills: number, unkilled: Unkilled): Promise<Lifetime> {
    const rng = seededRng(seed);
    const world = await World.open(this.#plan, this.#options.program, this.#definition);
    const struck: string[] = [];
    let isKept = true;
    try {
      for (let starts = 0; ; starts++) {
        if (starts > MAX_STARTS) return { isComparable: true, kills: struck.length, dropped: 0, wrong: `no end after ${starts} starts` };
        const kill = struck.length < kills ? chosen(() => rng.next(), kills, unkilled) : null;
        const outcome = await world.start(kill);
        if (outcome.kind === 'failed')
          return { isComparable: true, kills: struck.length, dropped: 0, wrong: `${struck.join(', ')}; ${outcome.why}\n${world.folder}` };
        if (outcome.kind === 'over') {
          const leftOut = (why: string): Lifetime => {
            isKept = false;
            return { isComparable: false, why, kills: struck.length, dropped: 0, wrong: null };
          };
          if (world.hasLostJoint()) return leftOut('two orders of one side were lost together');
          const books = await this.#compared(world, unkilled, outcome.tables.books);
          if (books.wrong !== null && world.hasCreateMidRow) {
            if (books.folder !== null) rmSync(books.folder, { recursive: true });
            return leftOut('an order was sent inside a row after a wait');
          }
          isKept = books.wrong !== null;
          const wrong = books.wrong === null ? null : `killed at ${struck.join(', ')}: ${books.wrong}\n${world.folder}`;
          return { isComparable: true, kills: struck.length, dropped: books.dropped, wrong };
        }
        struck.push(textOf(kill!));
      }
    } finally {
      await world.close(isKept);
    }
  }

  /** `folder`: of the other lifetime, which is kept where they differ; null without one. */
  async #compared(
    world: World,
    unkilled: Unkilled,
    books: Tables['books'],
  ): Promise<{ readonly dropped: number; readonly wrong: string | null; readonly folder: string | null }> {
    const losses = world.losses();
    // What was lost is lost in the other lifetime, too: by a network, not by a kill.
    const other = losses.requests.size + losses.answers.size === 0 ? unkilled : await this.unkilled(losses);
    const wrong = firstWrong(world.truth(), other.truth) ?? differs('books', JSON.stringify(books), JSON.stringify(other.tables.books));
    if (other === unkilled) return { dropped: 0, wrong, folder: null };
    if (wrong === null) rmSync(other.folder, { recursive: true });
    return {
      dropped: losses.requests.size,
      wrong: wrong === null ? null : `${wrong}\nunkilled: ${other.folder}`,
      folder: wrong === null ? null : other.folder,
    };
  }
}

/** Returns the first difference between two runs, or null. */
function firstWrong(killed: Truth, other: Truth): string | null {
  for (const table of ['orders', 'fills'] as const)
    for (let row = 0; row < Math.max(killed[table].length, other[table].length); row++) {
      const wrong = differs(`${table} ${row}`, JSON.stringify(killed[table][row] ?? null), JSON.stringify(other[table][row] ?? null));
      if (wrong !== null) return wrong;
    }
  return differs('money', killed.money, other.money);
}

const differs = (subject: string, killed: string, other: string): string | null =>
  killed === other ? null : `${subject}: killed ${killed}, unkilled ${other}`;

/** Draws a kill of any kind; records and creates come about as often as in a lifetime without kills. */
function chosen(random: () => number, kills: number, { records, creates }: Unkilled): Kill {
  const sort = random();
  const soon = (count: number): number => 1 + Math.floor((random() * 2 * count) / (kills + 1));
  if (sort < 0.5) {
    const kinds = [...records.keys()];
    const kind = kinds[Math.floor(random() * kinds.length)]!;
    return { at: 'record', kind, step: STEPS[Math.floor(random() * STEPS.length)]!, nth: soon(records.get(kind)!) };
  }
  const lost = random() < 0.5 ? 'loseRequest' : 'loseAnswer';
  if (sort < 0.8) return { at: 'request', lost, of: 'create', nth: soon(creates) };
  if (sort < 0.9) return { at: 'request', lost, of: 'any', nth: 1 + Math.floor(random() * 300) };
  return { at: 'time', ms: 300 + Math.floor(random() * 1500) };
}

function textOf(kill: Kill): string {
  if (kill.at === 'record') return `${kill.kind} ${kill.nth} ${kill.step}`;
  if (kill.at === 'request') return `${kill.lost} ${kill.of} ${kill.nth}`;
  return `${kill.ms} ms`;
}
