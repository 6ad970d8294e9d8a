// Takes a live bot over the rows of a stepped exchange: row by row, and act by act where legs of brackets may come about inside one.

import type { LiveBot } from '../../src/tasks/bot/run/liveBot.ts';
import { RATE_LEADS_MS } from '../../src/adapters/exchange/klines/fundingPoller.ts';
import { closeOf, openOf } from '../../src/model/interval.ts';
import { levelOf, type Bracket } from '../../src/orders/stops/brackets.ts';
import { LIFECYCLES, STATE } from '../../src/orders/lifecycle.ts';
import type { DrivenAct, DrivenBar, DrivenRows, OpenOrders } from './drivenRows.ts';
import type { SteppedTime } from './steppedTime.ts';

/** How the time of the exchange passes from the close of a row to the answers of the bot, in ms. All of it fits between two rows. */
export interface RowTimes {
  /** Until the bot first asks for the row: by then its acts are over. */
  readonly delayMs: number;
  /** Until the bot takes it that the row does not come. */
  readonly graceMs: number;
  /** What an answer of the bot may take: more, and it is stuck. */
  readonly thinkMs: number;
}
export const PROMPT_TIMES: RowTimes = { delayMs: 40_000, graceMs: 60_000, thinkMs: 100_000 };
/** How far the clock may jump before the bot first asks for a row, in ms. */
const AHEAD_MS = 2000;
/**
 * For a bot that is killed inside a row: what became of an order whose request was lost takes it more than a minute to prove. There is time for
 * that before the row is asked for, and after it before a row of five minutes closes.
 */
export const TARGET_TIMES: RowTimes = { delayMs: 180_000, graceMs: 360_000, thinkMs: 500_000 };

export interface DriverParts {
  readonly bot: LiveBot;
  readonly time: SteppedTime;
  readonly rows: DrivenRows;
  /** Cancels act at once: those that are sent are over before the next row. */
  readonly isPrompt: boolean;
  readonly times: RowTimes;
}

export class RowDriver {
  readonly #parts: DriverParts;

  constructor(parts: DriverParts) {
    this.#parts = parts;
  }

  /** Lets the next rows close, and the bot decide on them; false: there are none. */
  async next(): Promise<boolean> {
    const { rows, time } = this.#parts;
    const closeMs = await rows.nextMs();
    if (closeMs === Infinity) return false;
    await this.#readRates(closeMs);
    if (this.#mayNeedLegs()) {
      await rows.goByActs();
      await time.stepTo(closeMs);
      for (let act = await rows.next(); act !== null; act = await rows.next()) await this.#act(act);
      await rows.goWhole();
    } else {
      await time.stepTo(closeMs);
      await this.#book();
    }
    await this.#decide(closeMs);
    return true;
  }

  /**
   * Continues the row that closed at `closeMs`. Another bot process has seen a part of it: `act` is the newest act that it was given, null
   * where the row was matched whole.
   */
  async resume(closeMs: number, act: DrivenAct | null): Promise<void> {
    const { rows } = this.#parts;
    for (let next = act; next !== null; next = await rows.next()) await this.#act(next);
    await rows.goWhole();
    await this.#book();
    await this.#decide(closeMs);
  }

  async #decide(closeMs: number): Promise<void> {
    const { time, times } = this.#parts;
    const askMs = closeMs + times.delayMs - AHEAD_MS;
    // All that is due until then is the look at the limits, second after second.
    if (time.nowMs < askMs && this.#isAtRest()) await time.stepTo(askMs);
    // Bars finer than those of the bot close in between: they fill its orders, and it is not asked.
    if (this.#decidesAt(closeMs)) await this.#until(closeMs, 'its decision', () => this.#hasDecided(closeMs));
    await this.#until(closeMs, 'the answers to its orders', () => this.#isSettled());
  }

  /** Rates are read shortly before they are charged: the clock must not jump over that. */
  async #readRates(closeMs: number): Promise<void> {
    const { bot, time } = this.#parts;
    const { fundingMs, markets } = bot.deps.config;
    if (!markets.includes('futures')) return;
    for (let at = Math.ceil((time.nowMs + 1) / fundingMs) * fundingMs; at <= closeMs; at += fundingMs) {
      await time.stepTo(at - RATE_LEADS_MS.at(-1)!);
    }
  }

  /** Something works whose fill calls for a leg, or a stop waits for its price. */
  #mayNeedLegs(): boolean {
    const { engine } = this.#parts.bot.deps;
    if (engine.brackets.total > 0) return true;
    return engine.orders
      .active()
      .some(({ parent, takeProfit, stopLoss, trailing }) => parent > 0 || takeProfit > 0 || stopLoss > 0 || trailing > 0);
  }

  async #act(act: DrivenAct): Promise<void> {
    if (act.act === 'closed') return;
    await this.#book();
    const { bar } = act;
    const { open, high, low, closeMs } = bar;
    const tried = new Set<Bracket>();
    if (act.act === 'open') {
      await this.#stops(bar, tried, ({ isLong }, level) => ((isLong ? open <= level : open >= level) ? open : null));
      await this.#entries(bar, true);
      await this.#stops(bar, tried, ({ isLong }, level) => reached(isLong, level, high, low));
      await this.#entries(bar, false);
      return;
    }
    // Entries that filled inside this row: their stop counts if the row has reached it. Trailing stops follow it when the bot has the bar.
    await this.#stops(bar, tried, ({ isLong, armedMs, entryPrice }, level) => {
      const price = armedMs >= closeMs ? reached(isLong, level, high, low) : null;
      return price === null ? null : isLong ? Math.min(price, entryPrice) : Math.max(price, entryPrice);
    });
  }

  /** Fills the stops of an instrument that trigger, in the order in which they were armed; `priceOf`: the price, or null for none. */
  async #stops(bar: DrivenBar, tried: Set<Bracket>, priceOf: (bracket: Bracket, level: number) => number | null): Promise<void> {
    const { bot, rows } = this.#parts;
    const { brackets, bracketManager } = bot.deps.engine;
    const hits: { readonly bracket: Bracket; readonly price: number }[] = [];
    const index = bot.deps.engine.instruments.findIndex(({ id }) => id === bar.instrument);
    brackets.triggerInRow(index, Infinity, -Infinity, -Infinity, (bracket) => {
      const price = tried.has(bracket) ? null : priceOf(bracket, levelOf(bracket));
      if (price !== null) hits.push({ bracket, price });
    });
    for (const { bracket, price } of hits) {
      tried.add(bracket);
      await rows.quote(price);
      const { engine } = bot.deps;
      const recorded = (): string => [engine.orders.count, ...engine.orders.active().map(({ state }) => state)].join(' ');
      const [{ triedMs }, before] = [bracket, recorded()];
      bot.driver.step(() => bracketManager.hit(bracket, price));
      // A lost order holds its lots, so nothing was sent or recorded. The bot tries again at the bar, as the replay of its journal does.
      if (engine.reservations.holdsAbsent && recorded() === before) bracket.triedMs = triedMs;
      await this.#until(this.#parts.time.nowMs, 'a stop', () => !bracketManager.hasWaitingStops && this.#isSent());
      await this.#book();
    }
  }

  /** The stop entries that a row sends, at its open or inside it. */
  async #entries({ instrument, open, high, low, closeMs }: DrivenBar, isAtOpen: boolean): Promise<void> {
    const { bot, rows } = this.#parts;
    const { brackets, drafts, instruments } = bot.deps.engine;
    const index = instruments.findIndex(({ id }) => id === instrument);
    // Those that wait were placed at the close of an earlier row.
    const reaches = isAtOpen
      ? brackets.entries.reachedAtOpen(index, closeMs - 1, open)
      : brackets.entries.reachedInRow(index, closeMs - 1, open, high, low);
    const { halts } = bot.deps.engine.risk;
    // The clock has jumped over audits: risk would refuse what opens, until the next one.
    const isAudited = (): boolean => !halts.hasAny || !halts.holds({ kind: 'account' }, 'STALE_ACCOUNT');
    for (const entry of reaches) {
      await this.#until(this.#parts.time.nowMs, 'an audit', isAudited);
      const price = isAtOpen ? open : entry.triggerTicks;
      await rows.quote(price);
      bot.driver.step(() => drafts.entries.fire(entry, price));
      await this.#until(this.#parts.time.nowMs, 'a stop entry', () => this.#isSent());
      await this.#book();
    }
  }

  /** The bot learns of what has filled and what has ended, and sends the legs that are called for. */
  async #book(): Promise<void> {
    const { bot, time } = this.#parts;
    // The bot reads all of it again when it decides: a row that did nothing to its orders is not a reason to ask before that.
    if (this.#isSent() && (await this.#hasLearnt())) return;
    const { engine, services } = bot.deps;
    for (const service of services.all()) {
      let isDone = false;
      const instruments = new Set(engine.orders.active().map(({ instrumentIndex }) => instrumentIndex));
      service.settle([...instruments], () => void (isDone = true));
      await this.#until(time.nowMs, 'what its orders have become', () => isDone);
    }
    await this.#until(time.nowMs, 'the end of orders that are over', async () => this.#isSent() && (await this.#hasLearnt()));
  }

  /** Nothing that it has sent is without an answer. */
  #isSent(): boolean {
    const { engine, services } = this.#parts.bot.deps;
    return services.isIdle && engine.orders.active().every(({ state }) => state !== STATE.sent && state !== STATE.draft);
  }

  async #hasLearnt(): Promise<boolean> {
    const { count, filledLots }: OpenOrders = await this.#parts.rows.openOrders();
    const own = this.#parts.bot.deps.engine.orders.active();
    return own.length === count && own.reduce((lots, order) => lots + order.filledLots, 0) === filledLots;
  }

  #isSettled(): boolean {
    const { bot, isPrompt } = this.#parts;
    if (!bot.isIdle || !this.#isSent()) return false;
    // The clock must not jump over the proof of an order whose answer was lost: strategies wait for it.
    const active = bot.deps.engine.orders.active();
    return active.every(({ state }) => state !== STATE.unknown && (!isPrompt || state !== STATE.cancelSent));
  }

  /** Nothing is asked of the exchange whose answer makes the bot act. */
  #isAtRest(): boolean {
    const { bot } = this.#parts;
    const { orders, bracketManager } = bot.deps.engine;
    return bot.isIdle && this.#isSent() && !bracketManager.hasWaitingStops && orders.active().every(({ state }) => state === STATE.working);
  }

  #decidesAt(closeMs: number): boolean {
    const { feeds } = this.#parts.bot.deps.engine;
    return feeds.some(({ bars: { interval } }) => closeOf(interval, openOf(interval, closeMs - 1)) === closeMs);
  }

  #hasDecided(closeMs: number): boolean {
    const { bot } = this.#parts;
    return bot.isIdle && bot.deps.engine.feeds.some(({ bars, cursor }) => bars.closeMs[cursor.row] === closeMs);
  }

  #state(): string {
    const { bot, time } = this.#parts;
    const { engine, services } = bot.deps;
    const orders = engine.orders.active().map(({ id, role, state }) => `order ${id} (${role}) ${LIFECYCLES[state]}`);
    const row = engine.execution.map(({ cursor }) => cursor.row);
    const next = time.nextMs === Infinity ? 'nothing' : new Date(time.nextMs).toISOString();
    return `${orders.join(', ') || 'no order'}; idle: bot ${bot.isIdle}, services ${services.isIdle}; rows ${row.join(' ')}; due ${next}`;
  }

  /** Lets time pass, from one due callback to the next, until `isDone`. */
  async #until(sinceMs: number, what: string, isDone: () => boolean | Promise<boolean>): Promise<void> {
    const { time } = this.#parts;
    await time.quiet();
    while (!(await isDone())) {
      const { nextMs } = time;
      if (nextMs > sinceMs + this.#parts.times.thinkMs)
        throw new Error(`at ${new Date(time.nowMs).toISOString()} the bot waits for ${what} and does not go on: ${this.#state()}`);
      await time.stepTo(nextMs);
    }
  }
}

const reached = (isLong: boolean, level: number, high: number, low: number): number | null => {
  if (isLong) return low <= level ? Math.min(level, high) : null;
  return high >= level ? Math.max(level, low) : null;
};
