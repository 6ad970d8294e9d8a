// Kills the process of a live bot under load, at seeded random instants and at records of each kind, and holds its next start to what is
// true.

import { seededRng } from '../../src/base/number/rng.ts';
import { sendAct } from '../../src/tasks/control/client.ts';
import type { RecordKind } from '../../src/adapters/journal/records/records.ts';
import type { FaultRow } from '../faults/paperExchange.ts';
import { BotWorld, isFree, pause, type BotProcess, type Step } from './botWorld.ts';

/** The longest time that a bot runs under load before it is killed (ms). */
const LIFETIME_MS = 1500;
/** The share of kills that hit a bot which has only begun to start. */
const EARLY = 0.25;
/** Longest start, with audits ten seconds of the exchange apart, proofs of more than a minute, and other work on this computer. */
const START_MS = 600_000;

/** Causes a record that the bot would not write otherwise. */
interface Bring {
  readonly schedule?: readonly FaultRow[];
  /** Before the bot starts, each time. */
  readonly prepare?: (world: BotWorld) => Promise<void>;
  /** As it begins to trade. */
  readonly bring?: (world: BotWorld, kills: number) => Promise<void>;
}

const lost: readonly FaultRow[] = [{ point: 'NET.reqDrop', op: 'spot.newOrder', p: 0.3 }];
const BRINGS: Readonly<Partial<Record<RecordKind, Bring>>> = {
  EVID: { schedule: lost },
  TOMB: { schedule: lost },
  REFUSED: { schedule: [{ point: 'GW.code', op: 'spot.newOrder', p: 0.3, params: { code: -2017 } }] },
  // A limit that is lower each time: limits only tighten.
  HUMAN: {
    bring: async ({ data }, kills) =>
      void (await sendAct(data, { op: 'tighten', key: 'maxOpenOrdersTotal', value: String(900 - kills), why: 'a person was here' })),
  },
  FUNDED: { prepare: ({ exchange }) => beforeFunding(exchange) },
  RATES: { prepare: ({ exchange }) => beforeFunding(exchange) },
};
/** Record kinds that a bot under load writes several times a second: the kill comes at the first, the second or the third. */
const OFTEN: ReadonlySet<RecordKind> = new Set(['VERDICT', 'INTENT', 'SEND', 'ACK', 'FILL', 'STATE', 'CURSOR', 'INSTANT']);

const FUNDING_MS = 8 * 3_600_000;
/**
 * Time for a start, on a computer that is busy, and for the first position: a funding time that is missed comes again after eight hours.
 */
const AHEAD_MS = 2_400_000;

async function beforeFunding(exchange: BotWorld['exchange']): Promise<void> {
  const { now } = await exchange.truth();
  await exchange.clock({ stepMs: FUNDING_MS - ((now + AHEAD_MS) % FUNDING_MS) });
}

export interface BotKills {
  readonly kills: number;
  readonly orders: number;
  readonly fills: number;
  /** Orders whose outcome was not known at a start. */
  readonly unknown: number;
  /** From the start of a process to its first order allowed. */
  readonly slowestStartMs: number;
}

export class BotKiller {
  readonly world: BotWorld;
  readonly #rng: () => number;
  readonly #killedOne: () => void;
  kills = 0;
  slowestStartMs = 0;

  private constructor(world: BotWorld, killedOne: () => void) {
    this.world = world;
    this.#killedOne = killedOne;
    const rng = seededRng(world.options.seed);
    this.#rng = () => rng.next();
  }
  /** `killedOne` is called after each kill. */
  static async open(options: BotWorld['options'], killedOne: () => void): Promise<BotKiller> {
    return new BotKiller(await BotWorld.open(options), killedOne);
  }

  /** A kill at a random instant, of a start or of a life under load. */
  async killAtRandom(): Promise<void> {
    if (this.kills === 0 || this.#rng() >= EARLY) return this.#killUnderLoad();
    const bot = this.world.start();
    await pause(this.#rng() * 1000);
    await this.#killed(bot);
  }

  async #killUnderLoad(): Promise<void> {
    const bot = await this.#proved();
    await this.world.until(bot, 'an order', START_MS, ({ counts }) => counts.ordersSent > 0);
    await pause(this.#rng() * LIFETIME_MS);
    await this.#killed(bot);
  }

  /** Two kills: at the next record of a kind, wherever in the life of a bot that is, and of the bot that had to bear it, under load. */
  async killAt(kind: RecordKind, step: Step): Promise<void> {
    const { schedule = [], prepare, bring } = BRINGS[kind] ?? {};
    await this.world.faults(schedule);
    await prepare?.(this.world);
    const at = { kind, step, nth: OFTEN.has(kind) ? 1 + Math.floor(this.#rng() * 3) : 1 };
    let bot = this.world.start(at);
    const endMs = performance.now() + START_MS;
    let isAsked = false;
    while (!bot.isOver || bot.hasGivenUp) {
      if (performance.now() > endMs) throw new Error(`no ${kind} was written within ${START_MS} ms\n${bot.text}`);
      if (bot.isOver) {
        await prepare?.(this.world);
        bot = this.world.start(at);
      }
      if (bot.isTrading && !isAsked) {
        isAsked = true;
        // It dies while it answers.
        await bring?.(this.world, this.kills).catch(() => {});
      }
      await pause(20);
    }
    if (bot.child.signalCode !== 'SIGKILL') throw new Error(`the bot ended by itself: ${bot.text}`);
    await this.#killed(bot);
    await this.world.faults([]);
    await this.#killUnderLoad();
  }

  async #killed(bot: BotProcess): Promise<void> {
    await bot.kill();
    this.kills++;
    this.#killedOne();
    const wrong = await this.world.safety();
    if (wrong.length > 0) throw new Error(`${this.#where}: ${wrong.slice(0, 10).join('\n')}\n${bot.text}`);
  }

  /** A start after a kill, until the bot trades and both sides agree. */
  async #proved(): Promise<BotProcess> {
    const bot = await this.world.started(START_MS);
    try {
      this.slowestStartMs = Math.max(this.slowestStartMs, performance.now() - bot.startMs);
      await this.world.until(bot, 'the end of all halts', START_MS, isFree);
      await this.#agreed(bot);
      await sendAct(this.world.data, { op: 'resume', scope: 'account', code: null, why: 'it was the same' });
      // A kill before this is on the disk would find the bot halted again, as it should be.
      await this.world.until(
        bot,
        'the end of the halt',
        START_MS,
        (view) => isFree(view) && view.journal.durableSeq === view.journal.lastSeq,
      );
      return bot;
    } catch (error) {
      await bot.kill();
      throw new Error(`${this.#where}: ${error instanceof Error ? error.message : String(error)}\n${bot.text}`, { cause: error });
    }
  }

  /** Compares both sides once they are at rest: no new order is placed, and pending ones have ended. */
  async #agreed(bot: BotProcess): Promise<void> {
    await sendAct(this.world.data, { op: 'halt', scope: 'account', state: 'CANCEL_ONLY', why: 'it is compared' });
    await this.world.agreed(bot, START_MS);
  }

  /** The last start, and the total until then; a bot that has never bought anything does so first. */
  async end(): Promise<BotKills> {
    const { world } = this;
    const last = await this.#proved();
    if (world.belief().filled.size === 0) await world.until(last, 'a fill', START_MS, ({ counts }) => counts.fills > 0);
    await last.kill();
    const orders = await world.exchange.orders();
    const { state, filled } = world.belief();
    const count = (kind: RecordKind): number => state.counts.get(kind) ?? 0;
    if (filled.size === 0) throw new Error('nothing was filled: the kills have shown nothing');
    return { kills: this.kills, orders: orders.length, fills: count('FILL'), unknown: count('EVID'), slowestStartMs: this.slowestStartMs };
  }

  get #where(): string {
    return `seed ${this.world.options.seed}, kill ${this.kills}`;
  }

  close(isKept: boolean): Promise<void> {
    return this.world.close(isKept);
  }
}
