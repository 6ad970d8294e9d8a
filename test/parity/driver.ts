// Drives a live bot over the rows of an exchange, so that it does at each row what a backtest does. Rows in which bracket legs may fill are matched
// act by act, and after each act the bot reacts as the backtest would inside the bar.

import type { LiveBot } from '../../src/tasks/bot/run/liveBot.ts';
import { RATE_LEADS_MS } from '../../src/adapters/exchange/klines/fundingRatePoller.ts';
import { closeOf, openOf } from '../../src/model/interval.ts';
import { levelOf, type Bracket } from '../../src/orders/stops/brackets.ts';
import { LIFECYCLES, STATE } from '../../src/orders/lifecycle.ts';
import type { DrivenAct, DrivenBar, DrivenRows, OpenOrderTotals } from './drivenRows.ts';
import type { SteppedTime } from './steppedTime.ts';

/** Times between the close of a row and the replies to the bot, ms of venue time. They fit between two rows. */
export interface ReplyTimes {
  /** Time until the bot first asks for the row. By then all acts of the row have ended. */
  readonly delayMs: number;
  /** Time until the bot decides without the row. */
  readonly graceMs: number;
  /** Longest time for the bot to finish its work. After that it is stuck. */
  readonly thinkMs: number;
}

/** The times of a bot that is never killed. */
export const PROMPT_TIMES: ReplyTimes = { delayMs: 40_000, graceMs: 60_000, thinkMs: 100_000 };
/** The clock may jump to this long before the bot first asks for a row, ms. */
const BEFORE_ASK_MS = 2000;
/**
 * The times of a bot that is killed inside a row. Proving the outcome of a lost order takes more than a minute, so there is time for it before
 * the bot asks for the row, and again before the next row of five minutes closes.
 */
export const KILLED_BOT_TIMES: ReplyTimes = { delayMs: 180_000, graceMs: 360_000, thinkMs: 500_000 };

/** Collaborators of a driver. */
export interface RowDriverDeps {
  readonly bot: LiveBot;
  readonly time: SteppedTime;
  readonly rows: DrivenRows;
  /** True if the exchange cancels orders without a delay. Then each cancel has ended before the next row. */
  readonly isPrompt: boolean;
  readonly times: ReplyTimes;
}

/** The stop entries that a row reaches. */
type ReachedEntries = ReturnType<LiveBot['deps']['engine']['brackets']['entries']['reachedAtOpen']>;

/** Drives one bot over the rows of its exchange. */
export class RowDriver {
  readonly #deps: RowDriverDeps;

  constructor(deps: RowDriverDeps) {
    this.#deps = deps;
  }

  /** Lets the next rows close and the bot decide on them. Returns false when there are no more rows. */
  async driveNextRows(): Promise<boolean> {
    const { rows, time } = this.#deps;
    const closeMs = await rows.nextMs();
    if (closeMs === Infinity) return false;
    await this.#readRates(closeMs);
    if (this.#mayNeedLegs()) {
      await rows.matchByActs();
      await time.stepTo(closeMs);
      for (let act = await rows.next(); act !== null; act = await rows.next()) await this.#fireReached(act);
      await rows.matchWholeRows();
    } else {
      await time.stepTo(closeMs);
      await this.#bookFills();
    }
    await this.#decide(closeMs);
    return true;
  }

  /**
   * Continues the row that closed at `closeMs`. An earlier bot process saw a part of it. `act` is the newest act that it got; null if the
   * row was matched as a whole.
   */
  async resume(closeMs: number, act: DrivenAct | null): Promise<void> {
    const { rows } = this.#deps;
    for (let nextAct = act; nextAct !== null; nextAct = await rows.next()) await this.#fireReached(nextAct);
    await rows.matchWholeRows();
    await this.#bookFills();
    await this.#decide(closeMs);
  }

  /** Lets the bot decide on the bars that close at `closeMs`, and waits until its orders are answered. */
  async #decide(closeMs: number): Promise<void> {
    const { time, times } = this.#deps;
    const askMs = closeMs + times.delayMs - BEFORE_ASK_MS;
    // Until then only the check of the limits is due, once a second.
    if (time.nowMs < askMs && this.#isAtRest()) await time.stepTo(askMs);
    // Finer bars close between those of the bot: they fill its orders, but it decides nothing.
    if (this.#decidesAt(closeMs)) await this.#until(closeMs, 'its decision', () => this.#hasDecided(closeMs));
    await this.#until(closeMs, 'the answers to its orders', () => this.#isSettled());
  }

  /** Stops the clock before each funding time, because the bot reads the rate shortly before it is charged. */
  async #readRates(closeMs: number): Promise<void> {
    const { bot, time } = this.#deps;
    const { fundingMs, markets } = bot.deps.config;
    if (!markets.includes('futures')) return;
    const firstMs = Math.ceil((time.nowMs + 1) / fundingMs) * fundingMs;
    for (let chargedMs = firstMs; chargedMs <= closeMs; chargedMs += fundingMs) {
      await time.stepTo(chargedMs - RATE_LEADS_MS.at(-1)!);
    }
  }

  /** True while the fill of a working order may cause a bracket leg, or a stop waits for its price or may come back. */
  #mayNeedLegs(): boolean {
    const { engine } = this.#deps.bot.deps;
    // Stops that are set aside for an exit come back in the row in which the exit ends without closing everything.
    if (engine.brackets.total > 0 || engine.brackets.aside.count > 0) return true;
    return engine.orders
      .active()
      .some(({ parent, takeProfit, stopLoss, trailing }) => parent > 0 || takeProfit > 0 || stopLoss > 0 || trailing > 0);
  }

  /** Books what an act of the row has filled, and fires the stops and stop entries that it reaches. */
  async #fireReached(act: DrivenAct): Promise<void> {
    if (act.act === 'closed') return;
    await this.#bookFills();
    const { bar } = act;
    const { open, high, low, closeMs } = bar;
    const checkedBrackets = new Set<Bracket>();
    if (act.act === 'open') {
      await this.#fireStops(bar, checkedBrackets, ({ isLong }, level) => {
        const isReachedAtOpen = isLong ? open <= level : open >= level;
        return isReachedAtOpen ? open : null;
      });
      await this.#fireEntriesAtOpen(bar);
      // What a capped stop has left is protected from the next row on.
      await this.#fireStops(bar, checkedBrackets, ({ isLong, armedMs }, level) =>
        armedMs < closeMs ? stopPrice(isLong, level, high, low) : null,
      );
      await this.#fireEntriesMidBar(bar);
      return;
    }
    // The stop of an entry that filled inside this row counts if the row has reached it. Trailing stops move later, when the bot has the bar.
    await this.#fireStops(bar, checkedBrackets, ({ isLong, armedMs, entryTicks }, level) => {
      const isArmedInRow = armedMs >= closeMs;
      const price = isArmedInRow ? stopPrice(isLong, level, high, low) : null;
      if (price === null) return null;
      return isLong ? Math.min(price, entryTicks) : Math.max(price, entryTicks);
    });
  }

  /**
   * Fires the stops of an instrument for which `priceOf` returns a price, in the order in which they were armed. A bracket in `checkedBrackets`
   * has fired in this act and is left out.
   */
  async #fireStops(
    bar: DrivenBar,
    checkedBrackets: Set<Bracket>,
    priceOf: (bracket: Bracket, level: number) => number | null,
  ): Promise<void> {
    const { bot, rows } = this.#deps;
    const { brackets, bracketManager } = bot.deps.engine;
    const hits: { readonly bracket: Bracket; readonly price: number }[] = [];
    const instrumentIndex = this.#indexOf(bar);
    // With this range, the engine visits every stop of the instrument: `priceOf` decides which of them are hit.
    brackets.triggerInRow(instrumentIndex, Infinity, -Infinity, -Infinity, (bracket) => {
      const price = checkedBrackets.has(bracket) ? null : priceOf(bracket, levelOf(bracket));
      if (price !== null) hits.push({ bracket, price });
    });
    for (const { bracket, price } of hits) {
      checkedBrackets.add(bracket);
      await rows.quote(price);
      const { engine } = bot.deps;
      const orderStates = (): string => [engine.orders.count, ...engine.orders.active().map(({ state }) => state)].join(' ');
      const { triedMs } = bracket;
      const statesBefore = orderStates();
      bot.driver.step(() => bracketManager.hit(bracket, price));
      // A lost order still holds its lots, so nothing was sent or recorded. The bot tries again at the bar, as the replay of its journal does.
      if (engine.reservations.holdsAbsent && orderStates() === statesBefore) bracket.triedMs = triedMs;
      await this.#until(this.#deps.time.nowMs, 'a stop', () => !bracketManager.hasWaitingStops && this.#areOrdersAnswered());
      await this.#bookFills();
    }
  }

  /** Returns the index of the bar's instrument in the engine. */
  #indexOf({ instrument }: DrivenBar): number {
    return this.#deps.bot.deps.engine.instruments.findIndex(({ id }) => id === instrument);
  }

  /** Fires the stop entries that a row reaches at its open. Only entries that were placed at the close of an earlier row can be reached. */
  async #fireEntriesAtOpen(bar: DrivenBar): Promise<void> {
    const { entries } = this.#deps.bot.deps.engine.brackets;
    await this.#fireEntries(entries.reachedAtOpen(this.#indexOf(bar), bar.closeMs - 1, bar.open), () => bar.open);
  }

  /** Fires the stop entries that a row reaches inside it. Only entries that were placed at the close of an earlier row can be reached. */
  async #fireEntriesMidBar(bar: DrivenBar): Promise<void> {
    const { entries } = this.#deps.bot.deps.engine.brackets;
    const { open, high, low, closeMs } = bar;
    const reachedEntries = entries.reachedInRow(this.#indexOf(bar), closeMs - 1, open, high, low);
    await this.#fireEntries(reachedEntries, ({ triggerTicks }) => triggerTicks);
  }

  /** Fires stop entries one after the other, each at its price. */
  async #fireEntries(reachedEntries: ReachedEntries, priceOf: (entry: ReachedEntries[number]) => number): Promise<void> {
    const { bot, rows } = this.#deps;
    const { drafts } = bot.deps.engine;
    const { halts } = bot.deps.engine.risk;
    // The clock has jumped over audits, so risk denies orders that open until the next audit.
    const isAudited = (): boolean => !halts.hasAny || !halts.holds({ kind: 'account' }, 'STALE_ACCOUNT');
    for (const entry of reachedEntries) {
      await this.#until(this.#deps.time.nowMs, 'an audit', isAudited);
      const price = priceOf(entry);
      await rows.quote(price);
      bot.driver.step(() => drafts.entries.fire(entry, price));
      await this.#until(this.#deps.time.nowMs, 'a stop entry', () => this.#areOrdersAnswered());
      await this.#bookFills();
    }
  }

  /** Waits until the bot has booked all fills, has seen which orders have ended, and has sent the legs that the fills cause. */
  async #bookFills(): Promise<void> {
    const { bot, time } = this.#deps;
    // The bot reads everything again when it decides, so a row that changed none of its orders needs no extra read.
    if (this.#areOrdersAnswered() && (await this.#hasBooked())) return;
    const { engine, services } = bot.deps;
    for (const service of services.all()) {
      let isDone = false;
      const instruments = new Set(engine.orders.active().map(({ instrumentIndex }) => instrumentIndex));
      service.settle([...instruments], () => void (isDone = true));
      await this.#until(time.nowMs, 'the state of its orders', () => isDone);
    }
    await this.#until(time.nowMs, 'the fills and ends of its orders', async () => this.#areOrdersAnswered() && (await this.#hasBooked()));
  }

  /** True when the exchange has answered the request of every order. */
  #areOrdersAnswered(): boolean {
    const { engine, services } = this.#deps.bot.deps;
    return services.isIdle && engine.orders.active().every(({ state }) => state !== STATE.sent && state !== STATE.draft);
  }

  /** True when the bot has the same open orders and fills as the exchange. */
  async #hasBooked(): Promise<boolean> {
    const { count, filledLots }: OpenOrderTotals = await this.#deps.rows.openOrders();
    const botOrders = this.#deps.bot.deps.engine.orders.active();
    return botOrders.length === count && botOrders.reduce((lots, order) => lots + order.filledLots, 0) === filledLots;
  }

  /** True when every order is answered, no outcome is unknown, and the bot is idle. */
  #isSettled(): boolean {
    const { bot, isPrompt } = this.#deps;
    if (!bot.isIdle || !this.#areOrdersAnswered()) return false;
    // The clock must not jump over the proof of a lost order, because strategies wait for it.
    const active = bot.deps.engine.orders.active();
    return active.every(({ state }) => state !== STATE.unknown && (!isPrompt || state !== STATE.cancelSent));
  }

  /** True when no reply of the exchange is pending that would make the bot act. */
  #isAtRest(): boolean {
    const { bot } = this.#deps;
    const { orders, bracketManager } = bot.deps.engine;
    return (
      bot.isIdle &&
      this.#areOrdersAnswered() &&
      !bracketManager.hasWaitingStops &&
      orders.active().every(({ state }) => state === STATE.working)
    );
  }

  /** True if a bar of a feed that the strategies see closes at `closeMs`. */
  #decidesAt(closeMs: number): boolean {
    const { feeds } = this.#deps.bot.deps.engine;
    return feeds.some(({ bars: { interval } }) => closeOf(interval, openOf(interval, closeMs - 1)) === closeMs);
  }

  /** True when the bot has delivered the bars that close at `closeMs`. */
  #hasDecided(closeMs: number): boolean {
    const { bot } = this.#deps;
    return bot.isIdle && bot.deps.engine.feeds.some(({ bars, cursor }) => bars.closeMs[cursor.row] === closeMs);
  }

  /** Returns the state of bot and exchange, for an error. */
  #stateText(): string {
    const { bot, time } = this.#deps;
    const { engine, services } = bot.deps;
    const orders = engine.orders.active().map(({ id, role, state }) => `order ${id} (${role}) ${LIFECYCLES[state]}`);
    const rowsText = engine.execution.map(({ cursor }) => cursor.row).join(' ');
    const dueText = time.nextMs === Infinity ? 'nothing' : new Date(time.nextMs).toISOString();
    const idleText = `idle: bot ${bot.isIdle}, services ${services.isIdle}`;
    return `${orders.join(', ') || 'no order'}; ${idleText}; rows ${rowsText}; due ${dueText}`;
  }

  /** Moves time from one due callback to the next until `isDone`. Throws when the bot is stuck: `thinkMs` after `sinceMs` it still is not. */
  async #until(sinceMs: number, awaited: string, isDone: () => boolean | Promise<boolean>): Promise<void> {
    const { time } = this.#deps;
    await time.quiet();
    while (!(await isDone())) {
      const { nextMs } = time;
      if (nextMs > sinceMs + this.#deps.times.thinkMs)
        throw new Error(`at ${new Date(time.nowMs).toISOString()} the bot waits for ${awaited} and is stuck: ${this.#stateText()}`);
      await time.stepTo(nextMs);
    }
  }
}

/** Returns the price at which a stop fills inside a row, or null if the row does not reach it. */
const stopPrice = (isLong: boolean, level: number, high: number, low: number): number | null => {
  if (isLong) return low <= level ? Math.min(level, high) : null;
  return high >= level ? Math.max(level, low) : null;
};
