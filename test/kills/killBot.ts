// Kills a live bot under load at random times and at records of each kind, and compares each next start with the exchange.

import { seededRng } from '../../src/base/number/rng.ts';
import { sendAct } from '../../src/tasks/control/controlClient.ts';
import type { RecordKind } from '../../src/adapters/journal/records/records.ts';
import type { FaultRow } from '../faults/paperExchange.ts';
import { BotWorld, isFree, type BotProcess, type Step } from './botWorld.ts';
import { pause } from '../fixtures/pause.ts';

/** Longest time that a bot runs under load before it is killed, ms. */
const LIFETIME_MS = 1500;
/** Fraction of kills that hit a bot during its start. */
const EARLY_FRACTION = 0.25;
/** Time limit of a start, ms. It covers audits, proofs of more than a minute, and other work on this computer. */
const MAX_START_MS = 600_000;

/** How to make the bot write a record that it would not write by itself. */
interface RecordTrigger {
  readonly schedule?: readonly FaultRow[];
  /** Called before each start of the bot. */
  readonly prepare?: (world: BotWorld) => Promise<void>;
  /** Called once the bot trades. */
  readonly trigger?: (world: BotWorld, kills: number) => Promise<void>;
}

const LOST_REQUESTS: readonly FaultRow[] = [{ point: 'NET.reqDrop', op: 'spot.newOrder', p: 0.3 }];
const RECORD_TRIGGERS: Readonly<Partial<Record<RecordKind, RecordTrigger>>> = {
  EVID: { schedule: LOST_REQUESTS },
  TOMB: { schedule: LOST_REQUESTS },
  REFUSED: { schedule: [{ point: 'GW.code', op: 'spot.newOrder', p: 0.3, params: { code: -2017 } }] },
  // The limit is lower after each kill, because limits can only be tightened.
  HUMAN: {
    trigger: async ({ data }, kills) =>
      void (await sendAct(data, { op: 'tighten', key: 'maxOpenOrdersTotal', value: String(900 - kills), why: 'a person was here' })),
  },
  FUNDED: { prepare: ({ exchange }) => moveBeforeFunding(exchange) },
  RATES: { prepare: ({ exchange }) => moveBeforeFunding(exchange) },
};
/** Record kinds that a bot under load writes several times a second. The bot is killed at the first, second or third of them. */
const FREQUENT_KINDS: ReadonlySet<RecordKind> = new Set(['VERDICT', 'INTENT', 'SEND', 'ACK', 'FILL', 'STATE', 'CURSOR', 'INSTANT']);

const FUNDING_MS = 8 * 3_600_000;
/**
 * Time that is left before the next funding time, for a start on a busy computer and for the first position. A missed funding time comes
 * again only after eight hours.
 */
const BEFORE_FUNDING_MS = 2_400_000;

/** Moves the clock of the exchange to BEFORE_FUNDING_MS before the next funding time. */
async function moveBeforeFunding(exchange: BotWorld['exchange']): Promise<void> {
  const { now } = await exchange.truth();
  await exchange.clock({ stepMs: FUNDING_MS - ((now + BEFORE_FUNDING_MS) % FUNDING_MS) });
}

/** Totals of a series of kills. */
export interface BotKills {
  readonly kills: number;
  readonly orders: number;
  readonly fills: number;
  /** Number of orders whose outcome was unknown at a start. */
  readonly unknown: number;
  /** Longest time from the start of a process until it may trade, ms. */
  readonly slowestStartMs: number;
}

/** Kills one bot again and again, and counts the kills. */
export class BotKiller {
  readonly world: BotWorld;
  readonly #rng: () => number;
  readonly #onKill: () => void;
  kills = 0;
  slowestStartMs = 0;

  private constructor(world: BotWorld, onKill: () => void) {
    this.world = world;
    this.#onKill = onKill;
    const rng = seededRng(world.options.seed);
    this.#rng = () => rng.next();
  }
  /** Opens a world with a bot. `onKill` is called after each kill. */
  static async open(options: BotWorld['options'], onKill: () => void): Promise<BotKiller> {
    return new BotKiller(await BotWorld.open(options), onKill);
  }

  /** Kills the bot at a random time, during its start or under load. */
  async killAtRandom(): Promise<void> {
    if (this.kills === 0 || this.#rng() >= EARLY_FRACTION) return this.#killUnderLoad();
    const bot = this.world.start();
    await pause(this.#rng() * 1000);
    await this.#killAndCheck(bot);
  }

  async #killUnderLoad(): Promise<void> {
    const bot = await this.#startAndCompare();
    await this.world.until(bot, 'an order', MAX_START_MS, ({ counts }) => counts.ordersSent > 0);
    await pause(this.#rng() * LIFETIME_MS);
    await this.#killAndCheck(bot);
  }

  /** Kills the bot twice: at the next record of a kind, and the bot that starts after that under load. */
  async killAt(kind: RecordKind, step: Step): Promise<void> {
    const { schedule = [], prepare, trigger } = RECORD_TRIGGERS[kind] ?? {};
    await this.world.faults(schedule);
    await prepare?.(this.world);
    const killPoint = { kind, step, nth: FREQUENT_KINDS.has(kind) ? 1 + Math.floor(this.#rng() * 3) : 1 };
    let bot = this.world.start(killPoint);
    const endMs = performance.now() + MAX_START_MS;
    let isTriggered = false;
    while (!bot.isOver || bot.hasGivenUp) {
      if (performance.now() > endMs) throw new Error(`no ${kind} was written within ${MAX_START_MS} ms\n${bot.text}`);
      if (bot.isOver) {
        await prepare?.(this.world);
        bot = this.world.start(killPoint);
      }
      if (bot.isTrading && !isTriggered) {
        isTriggered = true;
        // The bot may be killed before it replies.
        await trigger?.(this.world, this.kills).catch(() => {});
      }
      await pause(20);
    }
    if (bot.child.signalCode !== 'SIGKILL') throw new Error(`the bot ended by itself: ${bot.text}`);
    await this.#killAndCheck(bot);
    await this.world.faults([]);
    await this.#killUnderLoad();
  }

  async #killAndCheck(bot: BotProcess): Promise<void> {
    await bot.kill();
    this.kills++;
    this.#onKill();
    const violations = await this.world.safety();
    if (violations.length > 0) throw new Error(`${this.#where}: ${violations.slice(0, 10).join('\n')}\n${bot.text}`);
  }

  /** Starts a bot after a kill, and waits until it trades and agrees with the exchange. */
  async #startAndCompare(): Promise<BotProcess> {
    const bot = await this.world.startBot(MAX_START_MS);
    try {
      this.slowestStartMs = Math.max(this.slowestStartMs, performance.now() - bot.startMs);
      await this.world.until(bot, 'the end of all halts', MAX_START_MS, isFree);
      await this.#compareAtRest(bot);
      await sendAct(this.world.data, { op: 'resume', scope: 'account', code: null, why: 'it was the same' });
      // Wait until the resume is durable: after an earlier kill the bot would be halted again.
      await this.world.until(
        bot,
        'the end of the halt',
        MAX_START_MS,
        (view) => isFree(view) && view.journal.durableSeq === view.journal.lastSeq,
      );
      return bot;
    } catch (error) {
      await bot.kill();
      throw new Error(`${this.#where}: ${error instanceof Error ? error.message : String(error)}\n${bot.text}`, { cause: error });
    }
  }

  /** Compares both sides once they are at rest: no new order is placed, and pending ones have ended. */
  async #compareAtRest(bot: BotProcess): Promise<void> {
    await sendAct(this.world.data, { op: 'halt', scope: 'account', state: 'CANCEL_ONLY', why: 'it is compared' });
    await this.world.agreed(bot, MAX_START_MS);
  }

  /** Starts a last bot and returns the totals. A bot that has never had a fill waits for one first. */
  async end(): Promise<BotKills> {
    const { world } = this;
    const lastBot = await this.#startAndCompare();
    if (world.belief().filledQty.size === 0) await world.until(lastBot, 'a fill', MAX_START_MS, ({ counts }) => counts.fills > 0);
    await lastBot.kill();
    const orders = await world.exchange.orders();
    const { state, filledQty } = world.belief();
    const count = (kind: RecordKind): number => state.counts.get(kind) ?? 0;
    if (filledQty.size === 0) throw new Error('nothing was filled: the kills have shown nothing');
    return { kills: this.kills, orders: orders.length, fills: count('FILL'), unknown: count('EVID'), slowestStartMs: this.slowestStartMs };
  }

  get #where(): string {
    return `seed ${this.world.options.seed}, kill ${this.kills}`;
  }

  close(isKept: boolean): Promise<void> {
    return this.world.close(isKept);
  }
}
