// Runs a bot against an exchange process that injects one fault, then compares the books of both sides.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scopeName } from '../../src/tasks/control/scopes.ts';
import { LiveControl } from '../../src/tasks/bot/liveControl.ts';
import { readLiveConfig } from '../../src/tasks/bot/config/liveConfig.ts';
import { namedOf } from '../../src/tasks/bot/view/botViewOf.ts';
import type { AuditResult } from '../../src/adapters/exchange/calls/types.ts';
import { ENDINGS } from '../../src/model/run/run.ts';
import type { BotOrder } from '../../src/orders/botOrder.ts';
import type { HaltCause } from '../../src/risk/live/halts.ts';
import { haltCauseOf } from '../../src/risk/live/haltCauses.ts';
import { compare } from './compare.ts';
import { ACTS, type FaultCase } from './faultTable.ts';
import { closeBot, openBot, type TestBot } from './openBot.ts';
import { PaperExchange } from './paperExchange.ts';
import { scriptStrategy, type OrderSwitch } from './script.ts';
import { writeBot, writeExchange } from './setUp.ts';
import { pause } from '../fixtures/pause.ts';

/** The input of one fault run. */
export interface FaultRunOptions {
  /** Folder of the built package. */
  readonly root: string;
  /** Minimum number of orders that the run sends. */
  readonly orders: number;
  readonly seed: number;
  /** Milliseconds of venue time in one of this computer. */
  readonly speed: number;
  /** Called with each line of the bot's log. */
  readonly notify?: (line: string) => void;
  /** Called during waits with the number of orders sent. */
  readonly onProgress?: (sentOrders: number) => void;
}

/** The result of one fault. */
export interface FaultResult {
  readonly fault: string;
  readonly orders: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly unresolved: number;
  readonly ledgerEqual: boolean;
  /** Number of unknown outcomes. */
  readonly unknown: number;
  readonly fills: number;
  /** Codes of halts that the operator has cleared, each with its count. */
  readonly halts: readonly string[];
  readonly seconds: number;
  /** Violated requirements, as text. */
  readonly violations: readonly string[];
}

/** Time limit for the start of the bot and for the next order, ms of this computer. */
const STUCK_MS = 300_000;
/** Time limit for the end of all orders, ms of venue time. By then every unknown outcome is proved. */
const SETTLE_MS = 3_600_000;
/** Extra time after a list lag, as a multiple of it: a proof waits four times for three times the lag. */
const SETTLE_LAG_FACTOR = 12;
const POLL_MS = 100;
/** Endings of orders that never left the bot. */
const NEVER_LEFT = new Set([ENDINGS.indexOf('denied'), ENDINGS.indexOf('notSent')]);

/** Runs one fault on a fresh exchange and bot. */
export async function runFault(fault: FaultCase, options: FaultRunOptions): Promise<FaultResult> {
  const { root, seed, speed } = options;
  const startMs = performance.now();
  // A folder in memory is faster. Other tests cover the disk.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-faults-'));
  const exchange = await PaperExchange.open(
    root,
    writeExchange(folder, fault, seed),
    fault.isPersistent ? join(folder, 'exchange') : null,
    speed,
  );
  try {
    const script: OrderSwitch = { isOn: true };
    const config = readLiveConfig(writeBot(folder, fault, exchange.url, speed), {});
    // Switch off the incident halt, which stops the account for ten minutes. throttles.test.ts covers it.
    const withoutIncidents = { ...config, orders: { ...config.orders, incidentCount: Number.MAX_SAFE_INTEGER } };
    const strategy = () => scriptStrategy(script, { seed, isCalm: fault.isCalm ?? false });
    const run = new FaultRun(fault, options, exchange, await openBot(withoutIncidents, strategy, options.notify ?? (() => {})));
    try {
      return { ...(await run.result(script)), seconds: Math.round((performance.now() - startMs) / 1000) };
    } finally {
      await run.close();
    }
  } finally {
    await exchange.close();
    rmSync(folder, { recursive: true });
  }
}

/** One run with its bot, its exchange and its fault. */
class FaultRun {
  readonly #fault: FaultCase;
  readonly #options: FaultRunOptions;
  readonly #exchange: PaperExchange;
  readonly #opened: TestBot;
  readonly #control: LiveControl;
  /** Number of halts that the operator has cleared, by code. */
  readonly #clearedHalts = new Map<string, number>();
  /** Longest time that an outcome was unknown, ms of venue time. */
  #maxUnknownMs = 0;
  /** Duration and end of the last act's effect, ms of venue time. */
  #effectMs = 0;
  #effectEndMs = 0;

  constructor(fault: FaultCase, options: FaultRunOptions, exchange: PaperExchange, opened: TestBot) {
    this.#fault = fault;
    this.#options = options;
    this.#exchange = exchange;
    this.#opened = opened;
    this.#control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  }

  /** Runs the fault to its end and returns the result. */
  async result(script: OrderSwitch): Promise<Omit<FaultResult, 'seconds'>> {
    const { bot, counts } = this.#opened;
    const violations: string[] = [];
    bot.start();
    await this.#until(() => bot.isTrading, STUCK_MS, 'the start', violations);
    await this.#exchange.faults(this.#options.seed, this.#fault.schedule);
    await this.#sendOrders(violations);
    script.isOn = false;
    await this.#exchange.faults(0, []);
    await this.#until(() => bot.driver.nowMs >= this.#effectEndMs, SETTLE_MS / this.#options.speed, 'the end of the fault', violations);
    const unresolved = await this.#settle(violations);
    const { lost, duplicated, ledgerEqual, differences } = compare(
      bot,
      await this.#exchange.truth(),
      await this.#exchange.orders(),
      this.#fault.mayDuplicate ?? false,
    );
    violations.push(...differences);
    violations.push(...this.#haltViolations());
    const { impossibleEvents } = bot.deps.engine.orders;
    if (impossibleEvents > 0) violations.push(`${impossibleEvents} impossible events`);
    const halts = Array.from(this.#clearedHalts, ([code, times]) => `${code} ${times}`);
    return {
      fault: this.#fault.name,
      orders: this.#sentCount,
      lost,
      duplicated,
      unresolved,
      ledgerEqual,
      unknown: counts.unknowns,
      fills: bot.fillCount,
      halts,
      violations,
    };
  }

  /** Returns the halts that the fault may not cause, and those that it must cause and did not. */
  #haltViolations(): readonly string[] {
    const { requiredHalts = [], possibleHalts = [] } = this.#fault;
    const allowedHalts = [...requiredHalts, ...possibleHalts];
    const surplus = [...this.#clearedHalts.keys()].filter((code) => !allowedHalts.includes(code));
    const absent = requiredHalts.filter((code) => !this.#clearedHalts.has(code));
    return [...surplus.map((code) => `${code} has halted the bot`), ...absent.map((code) => `${code} has not halted the bot`)];
  }

  /**
   * Returns the number of orders that have certainly left, so it never falls. A draft may be dropped because the order that it replaces
   * has filled. An order in state `sent` may wait for the rate limit until it is too old.
   */
  get #sentCount(): number {
    const { orders } = this.#opened.bot.deps.engine;
    const { length, ending } = orders.columns();
    const waiting = orders.active().filter(({ lifecycle }) => lifecycle === 'sent').length + orders.drafts.waiting.length;
    return ending.subarray(0, length).filter((orderEnding) => !NEVER_LEFT.has(orderEnding)).length - waiting;
  }

  close(): Promise<void> {
    return closeBot(this.#opened);
  }

  /** Waits until all orders are sent, and lets the fault act at regular numbers of orders. */
  async #sendOrders(violations: string[]): Promise<void> {
    const { orders } = this.#options;
    const { act } = this.#fault;
    const ordersPerAct = Math.max(1, Math.floor(orders / ACTS));
    for (let turn = 1; turn <= ACTS; turn++) {
      const reportDuration = (ms: number): void => {
        this.#effectMs = ms;
        this.#effectEndMs = this.#opened.bot.driver.nowMs + ms;
      };
      if (act !== undefined) await act(this.#exchange, { turn, maxUnknownMs: this.#maxUnknownMs, reportDuration });
      const max = turn === ACTS ? orders : turn * ordersPerAct;
      await this.#until(() => this.#sentCount >= max, STUCK_MS, `order ${max}`, violations);
    }
  }

  /** Cancels all orders and waits for their end. Returns the number of orders that have not ended within the time limit. */
  async #settle(violations: string[]): Promise<number> {
    const { bot } = this.#opened;
    const { engine, services } = bot.deps;
    const isOver = (): boolean => {
      bot.driver.step(() => {
        for (const order of engine.orders.active().toReversed())
          if (order.lifecycle === 'working') engine.orders.cancel(order, engine.nowMs);
      });
      return this.#unfinished.length === 0 && services.isIdle;
    };
    const maxMs = (SETTLE_MS + SETTLE_LAG_FACTOR * this.#effectMs) / this.#options.speed;
    await this.#until(isOver, maxMs, 'the end of all orders', violations);
    const audit = await this.#audit();
    if (audit.kind !== 'ok') violations.push(`the last audit: ${audit.kind}: ${audit.differences.map(({ what }) => what).join('; ')}`);
    for (const order of this.#unfinished)
      violations.push(`order ${order.id} (${bot.deps.clientOrderIdOf(order.id)}) is still ${order.lifecycle}`);
    return this.#unfinished.length;
  }

  /** Orders that have not ended, drafts among them. */
  get #unfinished(): readonly BotOrder[] {
    const { orders } = this.#opened.bot.deps.engine;
    return [...orders.active(), ...orders.drafts.orders];
  }

  /** Runs full audits until one is clean, at most five. An audit may find and cancel a late order, so the next one is cleaner. */
  async #audit(): Promise<AuditResult> {
    const { bot } = this.#opened;
    let result: AuditResult | null = null;
    for (let tries = 0; tries < 5; tries++) {
      result = await new Promise<AuditResult>((resolve) => bot.deps.services.all()[0]!.audit('full', resolve));
      this.#actAsOperator();
      if (result.kind === 'ok' && this.#unfinished.length === 0) break;
      await pause(30_000 / this.#options.speed);
    }
    return result!;
  }

  /** Waits until `condition` is true. Reports a violation after `limitMs` without a new order. */
  async #until(condition: () => boolean, limitMs: number, awaited: string, violations: string[]): Promise<void> {
    let endMs = performance.now() + limitMs;
    let sentCount = this.#sentCount;
    while (!condition()) {
      const newCount = this.#sentCount;
      if (newCount < sentCount) throw new Error(`${this.#fault.name}: ${sentCount} orders were sent, and now ${newCount}`);
      if (newCount > sentCount) {
        endMs = performance.now() + limitMs;
        sentCount = newCount;
      }
      const { why } = this.#opened.broken;
      if (why !== null) throw new Error(`${this.#fault.name}: the bot is broken: ${why}`);
      if (performance.now() > endMs) return void violations.push(`${awaited} did not come within ${Math.round(limitMs / 1000)} s`);
      this.#actAsOperator();
      this.#measureUnknown();
      this.#options.onProgress?.(sentCount);
      await pause(POLL_MS);
    }
  }

  /** Updates the longest time that an outcome was unknown. */
  #measureUnknown(): void {
    const { driver, deps } = this.#opened.bot;
    for (const { lifecycle, changedMs } of deps.engine.orders.active())
      if (lifecycle === 'unknown') this.#maxUnknownMs = Math.max(this.#maxUnknownMs, driver.nowMs - changedMs);
  }

  /** Clears the halts that only the operator may clear, and counts them. */
  #actAsOperator(): void {
    const { engine } = this.#opened.bot.deps;
    const needsOperator = ({ code }: HaltCause): boolean => code !== 'STARTING' && haltCauseOf(code).needsPerson;
    for (const { scope, code, why } of engine.risk.halts.causes().filter(needsOperator)) {
      this.#clearedHalts.set(code, (this.#clearedHalts.get(code) ?? 0) + 1);
      this.#options.notify?.(`the operator clears ${code}: ${why}\n`);
      void this.#control.resume({ scope: scopeName(scope, namedOf(engine)), code, why: 'it was ordered' }, 'faults');
    }
  }
}
