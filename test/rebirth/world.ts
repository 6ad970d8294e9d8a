// One exchange on stepped time, and the processes of a bot on it, one after the other.

import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { assertNever } from '../../src/base/assert.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import { truthOfMarkets } from '../../src/paperExchange/faults/truth.ts';
import type { OwnTrade, UserOrder } from '../../src/paperExchange/orders/userOrder.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { TARGET_TIMES } from '../parity/driver.ts';
import { ServiceRows } from '../parity/drivenRows.ts';
import { exchangeOf, writeBot } from '../parity/setUp.ts';
import type { Row, Tables } from '../parity/tables.ts';
import { memoryFolder, moveExchange } from '../parity/world.ts';
import type { Answer, BotTask, Question, RecordKill, Report } from './messages.ts';
import { Proxy, type Result, type BotRequest } from './proxy.ts';

const ROOM = 20_000;
/** What a row calls for is sent within this time of its close, ms of the exchange. */
const PROMPT_MS = 1000;

/** The exchange loses the `nth` create on its way, or its answer, and the bot dies at that moment. */
export interface RequestKill {
  readonly at: 'request';
  readonly lost: 'loseRequest' | 'loseAnswer';
  /** Creates alone, or requests of any kind. */
  readonly of: 'create' | 'any';
  readonly nth: number;
}
/** The bot dies after this many ms of this computer. */
export interface TimeKill {
  readonly at: 'time';
  readonly ms: number;
}
export type Kill = RecordKill | RequestKill | TimeKill;

export type Outcome =
  | { readonly kind: 'killed'; readonly wasTrading: boolean }
  | { readonly kind: 'over'; readonly tables: Pick<Tables, 'orders' | 'fills' | 'books'> }
  | { readonly kind: 'failed'; readonly why: string };

/** What the exchange knows at the end. */
export interface Truth {
  readonly orders: readonly Row[];
  readonly fills: readonly Row[];
  readonly money: string;
}

/** One line of a journal, as far as it is looked at here. */
export interface Line {
  readonly k: string;
  readonly cid?: string;
  readonly order?: number;
  readonly symbol?: string;
  readonly side?: string;
  readonly signMs?: number;
  readonly reason?: string | null;
  readonly lifecycle?: string;
  readonly code?: string | null;
}

/** The bot held an order back, after its \`SEND\`, because another one of its side is unknown. After a restart risk denies it before that. */
const HELD_BACK = 'SIDE_UNKNOWN';

/** What gets lost on its way in a lifetime without kills, by the place of the order among those that were to be sent. */
export interface Losses {
  /** The create never comes to the exchange. */
  readonly requests: ReadonlySet<number>;
  /** The exchange has the order, and its answer is lost. */
  readonly answers: ReadonlySet<number>;
}

const NO_LOSSES: Losses = { requests: new Set(), answers: new Set() };

export class World {
  readonly folder = memoryFolder('isobar-rebirth-');
  readonly #plan: RunPlan;
  readonly #program: string;
  readonly #exchange: RunningExchange;
  readonly #proxy: Proxy;
  readonly #rows: ServiceRows;
  readonly #config: string;
  readonly #losses: Losses;
  #closedMs: number | null = null;
  creates = 0;
  /**
   * The bot waited for the proof of a lost order while a row was being worked off, and then sent an order: it met the price inside that row. So
   * does a bot that was killed inside it. One that keeps running has the row behind it before it waits, and meets the price of the next row.
   */
  hasCreateMidRow = false;

  private constructor(plan: RunPlan, program: string, exchange: RunningExchange, proxy: Proxy, definition: Definition, losses: Losses) {
    this.#plan = plan;
    this.#program = program;
    this.#exchange = exchange;
    this.#proxy = proxy;
    this.#rows = new ServiceRows(exchange.service);
    this.#losses = losses;
    this.#config = writeBot(this.folder, plan, definition, proxy.url);
  }

  static async open(plan: RunPlan, program: string, definition: Definition, losses: Losses = NO_LOSSES): Promise<World> {
    const exchange = await runExchange(exchangeOf(plan, TARGET_TIMES), { host: '127.0.0.1', port: 0, controlPort: null, crash: () => {} });
    return new World(plan, program, exchange, await Proxy.open(exchange.url), definition, losses);
  }

  async close(isKept: boolean): Promise<void> {
    await this.#proxy.close();
    await this.#exchange.close();
    if (!isKept) rmSync(this.folder, { recursive: true });
  }

  /** Starts a bot process; resolves when it has been killed, or has come to the end of the rows. */
  async start(kill: Kill | null): Promise<Outcome> {
    const args = [...process.execArgv, this.#program];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], serialization: 'advanced' });
    let errors = '';
    child.stderr!.on('data', (text: Buffer) => (errors += text.toString()));
    const state: { wasTrading: boolean; outcome: Outcome | null } = { wasTrading: false, outcome: null };
    child.on('message', (message: Question | Report) => {
      if ('call' in message) {
        child.send(this.#reply(message), () => {});
        return;
      }
      if (message.report === 'trading') state.wasTrading = true;
      else if (message.report === 'over') state.outcome = { kind: 'over', tables: message.tables };
      else state.outcome = { kind: 'failed', why: message.why };
    });
    const task: BotTask = {
      config: this.#config,
      nowMs: this.#exchange.clock.nowMs(),
      isPrompt: this.#plan.fills.latencyMs === 0,
      room: ROOM,
      resume: this.#closedMs === null ? null : { closeMs: this.#closedMs, act: this.#rows.unfinished() },
      kill: kill?.at === 'record' ? kill : null,
    };
    child.send(task, () => {});
    const timer = kill?.at === 'time' ? setTimeout(() => child.kill('SIGKILL'), kill.ms) : undefined;
    this.#watch(child, kill);
    const signal = await new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_, name) => resolve(name)));
    clearTimeout(timer);
    if (state.outcome !== null) return state.outcome;
    if (signal === 'SIGKILL') return { kind: 'killed', wasTrading: state.wasTrading };
    return { kind: 'failed', why: `the process of the bot ended by itself: ${errors}` };
  }

  /** Counts the creates of the bot, loses those that the case names, and kills the process at its request. */
  #watch(child: ChildProcess, kill: Kill | null): void {
    let remaining = kill?.at === 'request' ? kill.nth : Infinity;
    this.#proxy.decide = (passing): Result => {
      const cid = createdId(passing);
      if (cid !== null) {
        this.creates++;
        const isLate = this.#closedMs !== null && this.#exchange.clock.nowMs() - this.#closedMs > PROMPT_MS;
        if (isLate && this.#rows.newest !== null) this.hasCreateMidRow = true;
        const lost = this.#lossOf(cid);
        if (lost !== 'pass') return lost;
      }
      if (kill?.at !== 'request' || (kill.of === 'create' && cid === null) || --remaining > 0) return 'pass';
      remaining = Infinity;
      this.#proxy.lost = () => void child.kill('SIGKILL');
      return kill.lost;
    };
    this.#proxy.lost = () => {};
  }

  #lossOf(cid: string): Result {
    const { requests, answers } = this.#losses;
    if (requests.size + answers.size === 0) return 'pass';
    const place = this.#toSend().indexOf(cid);
    if (requests.has(place)) return 'loseRequest';
    return answers.has(place) ? 'loseAnswer' : 'pass';
  }

  /** Returns the answer to a question of the bot, or the error that it caused. */
  #reply(question: Question): { readonly call: number; readonly answer: Answer; readonly error: string | null } {
    const { call } = question;
    try {
      return { call, answer: this.#answer(question), error: null };
    } catch (error) {
      return { call, answer: null, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  }

  /** Returns the answer to a question of the bot. */
  #answer(question: Question): Answer {
    const rows = this.#rows;
    switch (question.ask) {
      case 'moveTo': {
        const closeMs = rows.nextMs();
        moveExchange(this.#exchange, question.timeMs);
        if (closeMs <= question.timeMs) this.#closedMs = closeMs;
        return null;
      }
      case 'nextMs':
        return rows.nextMs();
      case 'goByActs':
        rows.goByActs();
        return null;
      case 'goWhole':
        rows.goWhole();
        return null;
      case 'next':
        return rows.next();
      case 'openOrders':
        return rows.openOrders();
      case 'quote':
        rows.quote(question.price);
        return null;
      default:
        return assertNever(question);
    }
  }

  /** Returns every record of the journal, in order, without a torn end. */
  journal(): readonly Line[] {
    const folder = join(this.folder, 'bot', 'journal');
    const text = readdirSync(folder)
      .filter((name) => /\d/.test(name))
      .toSorted()
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
    return text.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line) as Line];
      } catch {
        return [];
      }
    });
  }

  /**
   * Client ids of the orders that were to be sent, in that order. A place in this list names the same order in two worlds; its number may not:
   * an order that was approved, and whose bot died before it wrote more, may be decided on again under another number. A bot that died with a
   * torn `SEND` finds only the intent: its next start calls the order unknown at the place where it was to be sent.
   */
  #toSend(): readonly string[] {
    const isToSend = ({ k, lifecycle }: Line): boolean => k === 'SEND' || (k === 'STATE' && lifecycle === 'unknown');
    const journal = this.journal();
    const heldBack = new Set(journal.flatMap(({ k, cid, code }) => (k === 'REFUSED' && code === HELD_BACK ? [cid] : [])));
    return [...new Set(journal.flatMap((line) => (isToSend(line) && line.cid !== undefined && !heldBack.has(line.cid) ? [line.cid] : [])))];
  }

  /**
   * What was lost here, for a lifetime that loses the same by a network instead of a kill: requests of the orders that ended without an
   * effect; and answers whose loss the bot saw before it was killed, so that it held another order of that side back.
   */
  losses(): Losses {
    const places = this.#toSend();
    const journal = this.journal();
    const ended = new Set(journal.flatMap(({ k, cid }) => (k === 'TOMB' ? [cid] : [])));
    const lanes = new Map(journal.flatMap(({ k, cid, symbol, side }) => (k === 'INTENT' ? [[cid, `${symbol} ${side}`] as const] : [])));
    const answers = new Set<number>();
    for (const [at, { k, cid, code }] of journal.entries()) {
      if (k !== 'REFUSED' || code !== HELD_BACK) continue;
      const cause = journal
        .slice(0, at)
        .findLast((line) => line.k === 'STATE' && line.lifecycle === 'unknown' && lanes.get(line.cid) === lanes.get(cid));
      if (cause !== undefined && !ended.has(cause.cid)) answers.add(places.indexOf(cause.cid!));
    }
    return { requests: new Set([...ended].map((cid) => places.indexOf(cid!))), answers };
  }

  /**
   * Two orders of one symbol and side that were signed together were lost together. A bot that keeps running holds the second one back until it
   * knows what became of the first, and refuses it: no lifetime without kills is like this one.
   */
  hasLostJoint(): boolean {
    const journal = this.journal();
    const lost = new Set(journal.flatMap(({ k, cid }) => (k === 'TOMB' ? [cid] : [])));
    const lanes = new Map(journal.flatMap(({ k, cid, symbol, side }) => (k === 'INTENT' ? [[cid, `${symbol} ${side}`]] : [])));
    const signedLost = journal.flatMap(({ k, cid, signMs }) => (k === 'SEND' && lost.has(cid) ? [`${lanes.get(cid)} ${signMs}`] : []));
    return new Set(signedLost).size < signedLost.length;
  }

  /**
   * The exchange's own account of orders, fills and money, in the order of the bot's ids: what is decided at one instant leaves side by side,
   * and a buy may arrive before a sell or after it. Times within a bar are left out: a start takes some ms of the exchange.
   */
  truth(): Truth {
    const { service } = this.#exchange;
    const orders: Row[] = [];
    const fills: Row[] = [];
    for (const side of [service.sides.spot, service.sides.futures]) {
      if (side === null) continue;
      const all = Array.from({ length: side.counters.orders }, (_, at) => side.orders.orderNumbered(at + 1))
        .filter((order) => order !== null)
        .toSorted((a, b) => compareTexts(a.clientOrderId ?? '', b.clientOrderId ?? ''));
      orders.push(...all.map(orderRow));
      const numbers = new Map(all.map(({ id }, at) => [id, at]));
      const trades = side.orders.trades(0, null, Number.MAX_SAFE_INTEGER, null).toReversed();
      fills.push(...trades.map((trade) => tradeRow(trade, numbers)).toSorted((a, b) => by('timeMs', a, b) || by('order', a, b)));
    }
    const { accounts, positions } = truthOfMarkets(service, exchangeOf(this.#plan).service);
    return { orders, fills, money: JSON.stringify({ accounts, positions }) };
  }
}

export type Definition = Readonly<Record<string, unknown>>;

/** Returns the client id in a request that creates an order; null for any other request. */
function createdId({ method, path, body }: BotRequest): string | null {
  if (method !== 'POST' || !/\/v1\/(order|conditionOrder\/?)$/.test(path)) return null;
  const { newClientOrderId, clientOrderId } = JSON.parse(body) as { readonly newClientOrderId?: string; readonly clientOrderId?: string };
  return newClientOrderId ?? clientOrderId ?? '';
}

/** Compares texts by their code units. */
function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Compares rows by a column of numbers. */
const by = (name: string, a: Row, b: Row): number => Number(a[name]) - Number(b[name]);

/** Returns an order of the exchange as a row to compare. */
function orderRow({ instrument, intent: { side, lots, quoteUnits, limit, reduceOnly }, live, ended }: UserOrder): Row {
  const now = live ?? ended;
  return {
    instrument: instrument.id,
    side,
    lots,
    quoteUnits,
    limit,
    reduceOnly: String(reduceOnly),
    status: String(now?.status),
    filledLots: now?.filledLots ?? 0,
    filledUnits: now?.filledUnits ?? 0,
  };
}

function tradeRow(
  { instrument, bidId, askId, price, lots, timeMs, isBuyer, isMaker, fee }: OwnTrade,
  numbers: ReadonlyMap<string, number>,
): Row {
  const order = numbers.get(isBuyer ? bidId : askId) ?? -1;
  return { instrument: instrument.id, timeMs, order, price, lots, isBuyer: String(isBuyer), isMaker: String(isMaker), fee };
}
