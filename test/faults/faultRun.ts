// One fault against a real bot: an exchange process that does it, hundreds of orders meanwhile, peace, and then what both sides say.

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { scopeName } from '../../src/app/control/scopes.ts';
import { LiveControl } from '../../src/app/live/control.ts';
import { NoAnswer } from '../../src/app/marketData/service.ts';
import { ConfigError } from '../../src/base/errors.ts';
import { planOf } from '../../src/app/definition/strategies.ts';
import { LiveLog } from '../../src/app/live/liveLog.ts';
import { readLiveConfig } from '../../src/app/live/liveConfig.ts';
import { openLiveBot, type LiveOptions, type OpenedBot } from '../../src/app/live/openLiveBot.ts';
import { namedOf } from '../../src/app/live/view.ts';
import type { AuditResult } from '../../src/adapters/rest/exchange/parts.ts';
import { formatTime } from '../../src/model/time.ts';
import { ENDINGS } from '../../src/model/run.ts';
import type { Cause } from '../../src/risk/halts.ts';
import { troubleOf } from '../../src/risk/troubles.ts';
import { compare } from './compare.ts';
import type { FaultCase } from './faultTable.ts';
import { PaperExchange } from './paperExchange.ts';
import { scripted, type Script } from './script.ts';
import { writeBot, writeExchange } from './setUp.ts';

export interface RunOptions {
  /** Folder of the built package. */
  readonly root: string;
  /** So many are sent at least. */
  readonly orders: number;
  readonly seed: number;
  /** Ms of the exchange in one of this computer. */
  readonly speed: number;
  /** Takes what the bot says. */
  readonly tell?: (line: string) => void;
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
  /** What is not as it must be, in words. */
  readonly wrong: readonly string[];
}

/** Of this computer: a script that has not sent its orders by then is stuck. */
const SCRIPT_MS = 900_000;
/** Of the exchange: by then whatever was unknown has come to its proof, cancels to their ends. */
const PEACE_MS = 3_600_000;
const LOOK_MS = 100;
const STARTS = 5;
const STAYED = new Set([ENDINGS.indexOf('denied'), ENDINGS.indexOf('notSent')]);
/** Orders from one act of a fault to the next. */
const ACTS = 6;

export async function runFault(fault: FaultCase, options: RunOptions): Promise<FaultResult> {
  const { root, seed, speed } = options;
  const beganMs = performance.now();
  // The disk has tests of its own.
  const folder = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'isobar-faults-'));
  const exchange = await PaperExchange.open(root, writeExchange(folder, fault, seed), fault.lasts ? join(folder, 'exchange') : null, speed);
  try {
    const script: Script = { isOn: true };
    const bot = writeBot(folder, fault, exchange.url, speed);
    const run = new FaultRun(fault, options, exchange, await patiently(() => openBot(bot, fault, script, options)));
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

/** A start is given up where the exchange is slow to answer, and on a busy computer that hurries it may be: then it is started again. */
async function patiently<T>(open: () => Promise<T>): Promise<T> {
  for (let left = STARTS; ; left--) {
    try {
      return await open();
    } catch (error) {
      if (left === 1 || !(error instanceof NoAnswer || error instanceof ConfigError)) throw error;
    }
  }
}

interface Broken {
  why: string | null;
}

async function openBot(
  file: string,
  { isCalm = false }: FaultCase,
  script: Script,
  { seed, tell = () => {} }: RunOptions,
): Promise<OpenedBot & { readonly broken: Broken }> {
  const config = readLiveConfig(file, {});
  const broken: Broken = { why: null };
  const load: LiveOptions['load'] = async (entry, source) => {
    const strategy = scripted(script, { seed, isCalm });
    return { plan: planOf(entry, { strategy, name: 'script', hash: String(seed) }, source), inputs: [], folder: '.' };
  };
  // An incident stops the whole account for ten minutes: that it does is tested elsewhere.
  const wide = { ...config, orders: { ...config.orders, incidentCount: Number.MAX_SAFE_INTEGER } };
  const opened = await openLiveBot(wide, {
    log: (nowMs) => new LiveLog({ write: tell, isPretty: true, nowMs, formatTime, hide: (text) => config.signer.hideIn(text) }),
    broken: (why) => (broken.why = why),
    load,
    room: 4096,
  });
  return { ...opened, broken };
}

class FaultRun {
  readonly #fault: FaultCase;
  readonly #options: RunOptions;
  readonly #exchange: PaperExchange;
  readonly #opened: OpenedBot & { readonly broken: Broken };
  readonly #control: LiveControl;
  readonly #cleared = new Map<string, number>();

  constructor(fault: FaultCase, options: RunOptions, exchange: PaperExchange, opened: OpenedBot & { readonly broken: Broken }) {
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
    await this.#until(() => bot.isTrading, 60_000, 'the start', wrong);
    await this.#exchange.faults(this.#options.seed, this.#fault.schedule);
    await this.#play(wrong);
    script.isOn = false;
    await this.#exchange.faults(0, []);
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
    const { impossibleEvents } = bot.parts.engine.orders;
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

  /** Orders that have left, for certain: some wait for their turn until they are too old for it. */
  get #sent(): number {
    const { engine } = this.#opened.bot.parts;
    const { orders, nowMs } = engine;
    const { length, ending } = orders.columns(nowMs);
    const waiting = orders.active().filter(({ lifecycle }) => lifecycle === 'draft' || lifecycle === 'sent').length;
    return ending.subarray(0, length).filter((each) => !STAYED.has(each)).length - waiting;
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#opened.bot.stop(resolve));
    await this.#opened.close();
  }

  /** Until the orders are sent. What the fault does beside its schedule happens after each so many of them. */
  async #play(wrong: string[]): Promise<void> {
    const { orders } = this.#options;
    const { act } = this.#fault;
    const every = Math.max(1, Math.floor(orders / ACTS));
    for (let turn = 1; turn <= ACTS; turn++) {
      if (act !== undefined) await act(this.#exchange, turn);
      const most = turn === ACTS ? orders : turn * every;
      await this.#until(() => this.#sent >= most, SCRIPT_MS / ACTS, `order ${most}`, wrong);
    }
  }

  /** Until nothing is open, unknown or on its way; returns how many orders were left when that did not come. */
  async #peace(wrong: string[]): Promise<number> {
    const { bot } = this.#opened;
    const { engine, services } = bot.parts;
    const isOver = (): boolean => {
      bot.driver.step(() => {
        for (const order of engine.orders.active().toReversed())
          if (order.lifecycle === 'working') engine.orders.cancel(order, engine.nowMs);
      });
      return engine.orders.active().length === 0 && services.idle;
    };
    await this.#until(isOver, PEACE_MS / this.#options.speed, 'the end of all orders', wrong);
    const audit = await this.#audit();
    if (audit.kind !== 'ok') wrong.push(`the last audit: ${audit.kind}: ${audit.differences.map(({ what }) => what).join('; ')}`);
    for (const order of engine.orders.active()) wrong.push(`order ${order.id} (${bot.parts.cidOf(order.id)}) is still ${order.lifecycle}`);
    return engine.orders.active().length;
  }

  /** What was late to be seen is found by it, and cancelled: hence a second one where the first is not clean. */
  async #audit(): Promise<AuditResult> {
    const { bot } = this.#opened;
    let result: AuditResult | null = null;
    for (let tries = 0; tries < 5; tries++) {
      result = await new Promise<AuditResult>((resolve) => bot.parts.services.all()[0]!.audit('full', resolve));
      this.#bePerson();
      if (result.kind === 'ok' && bot.parts.engine.orders.active().length === 0) break;
      await new Promise((resolve) => setTimeout(resolve, 30_000 / this.#options.speed));
    }
    return result!;
  }

  async #until(holds: () => boolean, mostMs: number, what: string, wrong: string[]): Promise<void> {
    const endMs = performance.now() + mostMs;
    while (!holds()) {
      const { why } = this.#opened.broken;
      if (why !== null) throw new Error(`${this.#fault.name}: the bot is broken: ${why}`);
      if (performance.now() > endMs) return void wrong.push(`${what} did not come within ${Math.round(mostMs / 1000)} s`);
      this.#bePerson();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** Clears what only a person may clear, and remembers that one had to. */
  #bePerson(): void {
    const { engine } = this.#opened.bot.parts;
    const isHis = ({ code }: Cause): boolean => code !== 'STARTING' && troubleOf(code).needsPerson;
    for (const { scope, code, why } of engine.risk.halts.causes().filter(isHis)) {
      this.#cleared.set(code, (this.#cleared.get(code) ?? 0) + 1);
      this.#options.tell?.(`PERSON clears ${code}: ${why}\n`);
      this.#control.resume({ scope: scopeName(scope, namedOf(engine)), code, why: 'it was ordered' }, 'faults');
    }
  }
}
