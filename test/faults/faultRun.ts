// One fault against a real bot: the exchange process injects it during hundreds of orders, then both sides are compared.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scopeName } from '../../src/tasks/control/scopes.ts';
import { LiveControl } from '../../src/tasks/bot/botControls.ts';
import { readLiveConfig } from '../../src/tasks/bot/config/read.ts';
import { namedOf } from '../../src/tasks/bot/view/view.ts';
import type { AuditResult } from '../../src/adapters/exchange/calls/types.ts';
import { ENDINGS } from '../../src/model/run/run.ts';
import type { BotOrder } from '../../src/orders/botOrder.ts';
import type { HaltCause } from '../../src/risk/live/halts.ts';
import { haltCauseOf } from '../../src/risk/live/haltCauses.ts';
import { compare } from './compare.ts';
import { ACTS, type FaultCase } from './faultTable.ts';
import { closeBot, openBot, type TestBot } from './openBot.ts';
import { PaperExchange } from './paperExchange.ts';
import { scripted, type Script } from './script.ts';
import { writeBot, writeExchange } from './setUp.ts';

export interface RunOptions {
  /** Folder of the built package. */
  readonly root: string;
  /** The run sends at least this many orders. */
  readonly orders: number;
  readonly seed: number;
  /** Ms of the exchange in one of this computer. */
  readonly speed: number;
  /** Takes what the bot says. */
  readonly notify?: (line: string) => void;
  /** Called now and then with the number of orders sent. */
  readonly sent?: (orders: number) => void;
}

export interface FaultResult {
  readonly fault: string;
  readonly orders: number;
  readonly lost: number;
  readonly duplicated: number;
  readonly unresolved: number;
  readonly ledgerEqual: boolean;
  /** How often an outcome was not known. */
  readonly unknown: number;
  readonly fills: number;
  /** Halts that only a person can clear, and that one has cleared. */
  readonly halts: readonly string[];
  readonly seconds: number;
  /** The broken requirements, as text. */
  readonly wrong: readonly string[];
}

/** Ms of this computer's clock. A bot that has not begun by then, or a script that sends no order for this time, is stuck. */
const STUCK_MS = 300_000;
/** Ms of the exchange's clock: by then every unknown outcome is proved, and every cancel has ended. */
const PEACE_MS = 3_600_000;
/** Lists that have shown themselves to be so old: three times that is waited for four times in a proof. */
const PEACE_AFTER_LAG = 12;
const LOOK_MS = 100;
const STAYED = new Set([ENDINGS.indexOf('denied'), ENDINGS.indexOf('notSent')]);

export async function runFault(fault: FaultCase, options: RunOptions): Promise<FaultResult> {
  const { root, seed, speed } = options;
  const beganMs = performance.now();
  // The disk has tests of its own.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-faults-'));
  const exchange = await PaperExchange.open(root, writeExchange(folder, fault, seed), fault.lasts ? join(folder, 'exchange') : null, speed);
  try {
    const script: Script = { isOn: true };
    const config = readLiveConfig(writeBot(folder, fault, exchange.url, speed), {});
    // An incident stops the whole account for ten minutes; another test covers it.
    const wide = { ...config, orders: { ...config.orders, incidentCount: Number.MAX_SAFE_INTEGER } };
    const strategy = () => scripted(script, { seed, isCalm: fault.isCalm ?? false });
    const run = new FaultRun(fault, options, exchange, await openBot(wide, strategy, options.notify ?? (() => {})));
    try {
      return { ...(await run.result(script)), seconds: Math.round((performance.now() - beganMs) / 1000) };
    } finally {
      await run.close();
    }
  } finally {
    await exchange.close();
    rmSync(folder, { recursive: true });
  }
}

class FaultRun {
  readonly #fault: FaultCase;
  readonly #options: RunOptions;
  readonly #exchange: PaperExchange;
  readonly #opened: TestBot;
  readonly #control: LiveControl;
  readonly #cleared = new Map<string, number>();
  /** All of the exchange. */
  #maxUnknownMs = 0;
  #lastsMs = 0;
  #lastsUntilMs = 0;

  constructor(fault: FaultCase, options: RunOptions, exchange: PaperExchange, opened: TestBot) {
    this.#fault = fault;
    this.#options = options;
    this.#exchange = exchange;
    this.#opened = opened;
    this.#control = new LiveControl({ ...opened, loopDelayP99Ms: () => null });
  }

  async result(script: Script): Promise<Omit<FaultResult, 'seconds'>> {
    const { bot, counts } = this.#opened;
    const wrong: string[] = [];
    bot.start();
    await this.#until(() => bot.isTrading, STUCK_MS, 'the start', wrong);
    await this.#exchange.faults(this.#options.seed, this.#fault.schedule);
    await this.#play(wrong);
    script.isOn = false;
    await this.#exchange.faults(0, []);
    await this.#until(() => bot.driver.nowMs >= this.#lastsUntilMs, PEACE_MS / this.#options.speed, 'the end of the fault', wrong);
    const unresolved = await this.#peace(wrong);
    const { lost, duplicated, ledgerEqual, differences } = compare(
      bot,
      await this.#exchange.truth(),
      await this.#exchange.orders(),
      this.#fault.doubles ?? false,
    );
    wrong.push(...differences);
    const { person = [], perhaps = [], name } = this.#fault;
    for (const code of this.#cleared.keys()) if (![...person, ...perhaps].includes(code)) wrong.push(`${code} has halted the bot`);
    for (const code of person) if (!this.#cleared.has(code)) wrong.push(`${code} has not halted the bot`);
    const { impossibleEvents } = bot.deps.engine.orders;
    if (impossibleEvents > 0) wrong.push(`${impossibleEvents} impossible events`);
    const halts = Array.from(this.#cleared, ([code, times]) => `${code} ${times}`);
    return {
      fault: name,
      orders: this.#sent,
      lost,
      duplicated,
      unresolved,
      ledgerEqual,
      unknown: counts.unknowns,
      fills: bot.fillCount,
      halts,
      wrong,
    };
  }

  /**
   * Counts orders that have left for certain, so the count never falls. A draft may be dropped, because the order that it replaces has
   * filled. An order in `sent` may wait for its turn until it is too old.
   */
  get #sent(): number {
    const { orders } = this.#opened.bot.deps.engine;
    const { length, ending } = orders.columns();
    const waiting = orders.active().filter(({ lifecycle }) => lifecycle === 'sent').length + orders.drafts.waiting.length;
    return ending.subarray(0, length).filter((each) => !STAYED.has(each)).length - waiting;
  }

  close(): Promise<void> {
    return closeBot(this.#opened);
  }

  /** Waits until the orders are sent. The act of the fault happens at regular numbers of orders. */
  async #play(wrong: string[]): Promise<void> {
    const { orders } = this.#options;
    const { act } = this.#fault;
    const every = Math.max(1, Math.floor(orders / ACTS));
    for (let turn = 1; turn <= ACTS; turn++) {
      const goesOn = (ms: number): void => {
        this.#lastsMs = ms;
        this.#lastsUntilMs = this.#opened.bot.driver.nowMs + ms;
      };
      if (act !== undefined) await act(this.#exchange, { turn, maxUnknownMs: this.#maxUnknownMs, goesOn });
      const max = turn === ACTS ? orders : turn * every;
      await this.#until(() => this.#sent >= max, STUCK_MS, `order ${max}`, wrong);
    }
  }

  /** Until nothing is open, unknown or on its way; returns how many orders were left when that did not come. */
  async #peace(wrong: string[]): Promise<number> {
    const { bot } = this.#opened;
    const { engine, services } = bot.deps;
    const isOver = (): boolean => {
      bot.driver.step(() => {
        for (const order of engine.orders.active().toReversed())
          if (order.lifecycle === 'working') engine.orders.cancel(order, engine.nowMs);
      });
      return this.#unfinished.length === 0 && services.isIdle;
    };
    const maxMs = (PEACE_MS + PEACE_AFTER_LAG * this.#lastsMs) / this.#options.speed;
    await this.#until(isOver, maxMs, 'the end of all orders', wrong);
    const audit = await this.#audit();
    if (audit.kind !== 'ok') wrong.push(`the last audit: ${audit.kind}: ${audit.differences.map(({ what }) => what).join('; ')}`);
    for (const order of this.#unfinished) wrong.push(`order ${order.id} (${bot.deps.cidOf(order.id)}) is still ${order.lifecycle}`);
    return this.#unfinished.length;
  }

  get #unfinished(): readonly BotOrder[] {
    const { orders } = this.#opened.bot.deps.engine;
    return [...orders.active(), ...orders.drafts.orders];
  }

  /** What was late to be seen is found by it, and cancelled: hence a second one where the first is not clean. */
  async #audit(): Promise<AuditResult> {
    const { bot } = this.#opened;
    let result: AuditResult | null = null;
    for (let tries = 0; tries < 5; tries++) {
      result = await new Promise<AuditResult>((resolve) => bot.deps.services.all()[0]!.audit('full', resolve));
      this.#bePerson();
      if (result.kind === 'ok' && this.#unfinished.length === 0) break;
      await pause(30_000 / this.#options.speed);
    }
    return result!;
  }

  /** `mostMs`: without any order that has left meanwhile. */
  async #until(holds: () => boolean, limitMs: number, what: string, wrong: string[]): Promise<void> {
    let [endMs, sent] = [performance.now() + limitMs, this.#sent];
    while (!holds()) {
      const now = this.#sent;
      if (now < sent) throw new Error(`${this.#fault.name}: ${sent} orders had left, and now ${now}`);
      if (now > sent) [endMs, sent] = [performance.now() + limitMs, now];
      const { why } = this.#opened.broken;
      if (why !== null) throw new Error(`${this.#fault.name}: the bot is broken: ${why}`);
      if (performance.now() > endMs) return void wrong.push(`${what} did not come within ${Math.round(limitMs / 1000)} s`);
      this.#bePerson();
      this.#lookAtUnknown();
      this.#options.sent?.(sent);
      await pause(LOOK_MS);
    }
  }

  #lookAtUnknown(): void {
    const { engine, driver } = { engine: this.#opened.bot.deps.engine, driver: this.#opened.bot.driver };
    for (const { lifecycle, changedMs } of engine.orders.active())
      if (lifecycle === 'unknown') this.#maxUnknownMs = Math.max(this.#maxUnknownMs, driver.nowMs - changedMs);
  }

  /** Clears what only a person may clear, and remembers that one had to. */
  #bePerson(): void {
    const { engine } = this.#opened.bot.deps;
    const isHis = ({ code }: HaltCause): boolean => code !== 'STARTING' && haltCauseOf(code).needsPerson;
    for (const { scope, code, why } of engine.risk.halts.causes().filter(isHis)) {
      this.#cleared.set(code, (this.#cleared.get(code) ?? 0) + 1);
      this.#options.notify?.(`PERSON clears ${code}: ${why}\n`);
      void this.#control.resume({ scope: scopeName(scope, namedOf(engine)), code, why: 'it was ordered' }, 'faults');
    }
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));
