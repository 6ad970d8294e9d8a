// One exchange on stepped time, and the processes of a bot on it, one after the other.

import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { assertNever } from '../../src/base/assert.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import { truthOfMarkets } from '../../src/paperExchange/faults/truth.ts';
import type { OwnTrade, UserOrder } from '../../src/paperExchange/orders/userOrder.ts';
import type { RunPlan } from '../../src/definition/plan/plan.ts';
import { KILLED_BOT_TIMES } from '../parity/driver.ts';
import { ServiceRows } from '../parity/drivenRows.ts';
import { exchangeOf, writeBot } from '../parity/setUp.ts';
import type { Row, Tables } from '../parity/tables.ts';
import { memoryFolder, moveExchange } from '../parity/world.ts';
import type { BotTask, RecordKill, Report, RowsCall, RowsReply, RowsResult } from './messages.ts';
import { Proxy, type BotRequest, type ProxyDecision } from './proxy.ts';

/** Largest number of bars of a feed. */
const MAX_FEED_BARS = 20_000;
/** Orders that a row causes are sent within this time of its close, ms of the exchange. */
const PROMPT_MS = 1000;

/** The network loses the `nth` request or its reply, and the bot ends at that moment. */
export interface RequestKill {
  readonly at: 'request';
  readonly lost: 'loseRequest' | 'loseReply';
  /** Whether `nth` counts only create requests, or requests of any kind. */
  readonly of: 'create' | 'any';
  readonly nth: number;
}
/** The bot ends after this many ms of this computer. */
export interface TimeKill {
  readonly at: 'time';
  readonly ms: number;
}
/** How and when a bot process ends. */
export type Kill = RecordKill | RequestKill | TimeKill;

/** The end of a bot process: it was killed, has come to the last row, or has failed. */
export type Outcome =
  | { readonly kind: 'killed'; readonly wasTrading: boolean }
  | { readonly kind: 'over'; readonly tables: Pick<Tables, 'orders' | 'fills' | 'books'> }
  | { readonly kind: 'failed'; readonly why: string };

/** Orders, fills and money of the bot's account at the end, by the exchange. */
export interface Truth {
  readonly orders: readonly Row[];
  readonly fills: readonly Row[];
  readonly money: string;
}

/** The members of a journal record that this file reads. */
export interface JournalLine {
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

/**
 * The code of an order that the bot did not send after its `SEND`, because another order of its side is unknown. After a restart, risk denies
 * such an order before its `SEND`.
 */
const SIDE_UNKNOWN = 'SIDE_UNKNOWN';

/** The losses of the network in a lifetime without kills. An order is named by its position among those that were to be sent. */
export interface Losses {
  /** Orders whose create request is lost. */
  readonly requests: ReadonlySet<number>;
  /** Orders that the exchange gets, and whose reply is lost. */
  readonly replies: ReadonlySet<number>;
}

const NO_LOSSES: Losses = { requests: new Set(), replies: new Set() };

/** An exchange, and one bot process after the other on it. */
export class World {
  readonly folder = memoryFolder('isobar-rebirth-');
  readonly #plan: RunPlan;
  readonly #program: string;
  readonly #exchange: RunningExchange;
  readonly #proxy: Proxy;
  readonly #rows: ServiceRows;
  readonly #config: string;
  readonly #losses: Losses;
  /** Close time of the newest row; null before the first one has closed. */
  #closedMs: number | null = null;
  /** Number of create requests of the bot. */
  createCount = 0;
  /**
   * True when the bot sent an order inside a row after it had waited for the proof of a lost order. That order met the price inside the row. A
   * bot that keeps running completes the row before it waits, so its order meets the price of the next row.
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

  /** Starts the exchange and its proxy, and writes the config of the bot. */
  static async open(plan: RunPlan, program: string, definition: Definition, losses: Losses = NO_LOSSES): Promise<World> {
    const exchange = await runExchange(exchangeOf(plan, KILLED_BOT_TIMES), {
      host: '127.0.0.1',
      port: 0,
      controlPort: null,
      crash: () => {},
    });
    return new World(plan, program, exchange, await Proxy.open(exchange.url), definition, losses);
  }

  /** Stops the exchange. Removes the folder unless it is kept for a reader. */
  async close({ keepsFolder }: { readonly keepsFolder: boolean }): Promise<void> {
    await this.#proxy.close();
    await this.#exchange.close();
    if (!keepsFolder) rmSync(this.folder, { recursive: true });
  }

  /** Runs one bot process, which `kill` ends early, and returns how it has ended. */
  async start(kill: Kill | null): Promise<Outcome> {
    const args = [...process.execArgv, this.#program];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], serialization: 'advanced' });
    let errors = '';
    child.stderr!.on('data', (text: Buffer) => (errors += text.toString()));
    const reported: { wasTrading: boolean; outcome: Outcome | null } = { wasTrading: false, outcome: null };
    child.on('message', (message: RowsCall | Report) => {
      if ('call' in message) {
        child.send(this.#reply(message), () => {});
        return;
      }
      if (message.report === 'trading') reported.wasTrading = true;
      else if (message.report === 'over') reported.outcome = { kind: 'over', tables: message.tables };
      else reported.outcome = { kind: 'failed', why: message.why };
    });
    const task: BotTask = {
      config: this.#config,
      nowMs: this.#exchange.clock.nowMs(),
      isPrompt: this.#plan.fills.latencyMs === 0,
      capacityRows: MAX_FEED_BARS,
      resume: this.#closedMs === null ? null : { closeMs: this.#closedMs, act: this.#rows.unfinished() },
      kill: kill?.at === 'record' ? kill : null,
    };
    child.send(task, () => {});
    const timer = kill?.at === 'time' ? setTimeout(() => child.kill('SIGKILL'), kill.ms) : undefined;
    this.#decideRequests(child, kill);
    const signal = await new Promise<NodeJS.Signals | null>((resolve) => child.once('close', (_, name) => resolve(name)));
    clearTimeout(timer);
    if (reported.outcome !== null) return reported.outcome;
    if (signal === 'SIGKILL') return { kind: 'killed', wasTrading: reported.wasTrading };
    return { kind: 'failed', why: `the process of the bot ended by itself: ${errors}` };
  }

  /** Counts the create requests of the bot, loses those of `#losses`, and kills the process at the request that `kill` names. */
  #decideRequests(child: ChildProcess, kill: Kill | null): void {
    let remaining = kill?.at === 'request' ? kill.nth : Infinity;
    this.#proxy.decide = (botRequest): ProxyDecision => {
      const cid = clientOrderIdOfCreate(botRequest);
      if (cid !== null) {
        this.createCount++;
        const isLate = this.#closedMs !== null && this.#exchange.clock.nowMs() - this.#closedMs > PROMPT_MS;
        if (isLate && this.#rows.newest !== null) this.hasCreateMidRow = true;
        const loss = this.#lossOf(cid);
        if (loss !== 'pass') return loss;
      }
      if (kill?.at !== 'request') return 'pass';
      const isCounted = kill.of === 'any' || cid !== null;
      if (!isCounted || --remaining > 0) return 'pass';
      remaining = Infinity;
      this.#proxy.onLoss = () => void child.kill('SIGKILL');
      return kill.lost;
    };
    this.#proxy.onLoss = () => {};
  }

  /** Returns whether the network loses the create request of an order or its reply. */
  #lossOf(cid: string): ProxyDecision {
    const { requests, replies } = this.#losses;
    if (requests.size + replies.size === 0) return 'pass';
    const position = this.#idsToSend().indexOf(cid);
    if (requests.has(position)) return 'loseRequest';
    return replies.has(position) ? 'loseReply' : 'pass';
  }

  /** Returns the result of a call of the bot, or the error that it caused. */
  #reply(rowsCall: RowsCall): RowsReply {
    const { call } = rowsCall;
    try {
      return { call, result: this.#resultOf(rowsCall), error: null };
    } catch (error) {
      return { call, result: null, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
    }
  }

  /** Performs a call of the bot. */
  #resultOf(rowsCall: RowsCall): RowsResult {
    const rows = this.#rows;
    switch (rowsCall.method) {
      case 'moveTo': {
        const closeMs = rows.nextMs();
        moveExchange(this.#exchange, rowsCall.timeMs);
        if (closeMs <= rowsCall.timeMs) this.#closedMs = closeMs;
        return null;
      }
      case 'nextMs':
        return rows.nextMs();
      case 'matchByActs':
        rows.matchByActs();
        return null;
      case 'matchWholeRows':
        rows.matchWholeRows();
        return null;
      case 'next':
        return rows.next();
      case 'openOrders':
        return rows.openOrders();
      case 'quote':
        rows.quote(rowsCall.price);
        return null;
      default:
        return assertNever(rowsCall);
    }
  }

  /** Returns every record of the journal, in order, without a torn end. */
  journal(): readonly JournalLine[] {
    const folder = join(this.folder, 'bot', 'journal');
    const text = readdirSync(folder)
      .filter((name) => /\d/.test(name))
      .toSorted()
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('');
    return text.split('\n').flatMap((line) => {
      try {
        return [JSON.parse(line) as JournalLine];
      } catch {
        return [];
      }
    });
  }

  /**
   * Returns the client order ids of the orders that were to be sent, in that order. A position in this list names the same order in two worlds.
   * The number of an order may differ: if the bot ends after the approval, it may decide on the order again under another number. After a torn
   * `SEND` the journal has only the intent, and the next start reports the order as unknown at that position.
   */
  #idsToSend(): readonly string[] {
    const isToSend = ({ k, lifecycle }: JournalLine): boolean => k === 'SEND' || (k === 'STATE' && lifecycle === 'unknown');
    const journal = this.journal();
    const unsent = new Set(journal.flatMap(({ k, cid, code }) => (k === 'REFUSED' && code === SIDE_UNKNOWN ? [cid] : [])));
    const cids = journal.filter(isToSend).flatMap(({ cid }) => (cid === undefined || unsent.has(cid) ? [] : [cid]));
    return [...new Set(cids)];
  }

  /**
   * Returns the losses of this world, so that the network of a lifetime without kills can lose the same. Lost requests are those of orders that were
   * proven absent. Lost replies are those whose loss the bot noticed before it was killed, because it then sent no other order of that side.
   */
  losses(): Losses {
    const idsToSend = this.#idsToSend();
    const journal = this.journal();
    const absent = new Set(journal.flatMap(({ k, cid }) => (k === 'TOMB' ? [cid] : [])));
    const sides = this.#sidesOfOrders();
    const replies = new Set<number>();
    for (const [index, { k, cid, code }] of journal.entries()) {
      if (k !== 'REFUSED' || code !== SIDE_UNKNOWN) continue;
      const isUnknownOfSide = (line: JournalLine) =>
        line.k === 'STATE' && line.lifecycle === 'unknown' && sides.get(line.cid) === sides.get(cid);
      const cause = journal.slice(0, index).findLast(isUnknownOfSide);
      if (cause !== undefined && !absent.has(cause.cid)) replies.add(idsToSend.indexOf(cause.cid!));
    }
    return { requests: new Set([...absent].map((cid) => idsToSend.indexOf(cid!))), replies };
  }

  /** Returns symbol and side of each order, by its client order id. */
  #sidesOfOrders(): ReadonlyMap<string | undefined, string> {
    return new Map(this.journal().flatMap(({ k, cid, symbol, side }) => (k === 'INTENT' ? [[cid, `${symbol} ${side}`] as const] : [])));
  }

  /**
   * True when two orders of one symbol and side were signed at one time, and both were lost. A bot that keeps running does not send the second
   * one while the first is unknown, so no lifetime without kills can be compared.
   */
  hasLostPair(): boolean {
    const journal = this.journal();
    const absent = new Set(journal.flatMap(({ k, cid }) => (k === 'TOMB' ? [cid] : [])));
    const sides = this.#sidesOfOrders();
    const signedLost = journal.flatMap(({ k, cid, signMs }) => (k === 'SEND' && absent.has(cid) ? [`${sides.get(cid)} ${signMs}`] : []));
    return new Set(signedLost).size < signedLost.length;
  }

  /**
   * Returns orders, fills and money by the exchange. Orders are sorted by the bot's ids, because two orders of one instant may arrive in either
   * order. Times within a bar are left out, because a start takes some ms of the exchange.
   */
  truth(): Truth {
    const { service } = this.#exchange;
    const orders: Row[] = [];
    const fills: Row[] = [];
    for (const market of [service.sides.spot, service.sides.futures]) {
      if (market === null) continue;
      const ordersByCid = Array.from({ length: market.counters.orders }, (_, index) => market.orders.orderNumbered(index + 1))
        .filter((order) => order !== null)
        .toSorted((first, second) => compareTexts(first.clientOrderId ?? '', second.clientOrderId ?? ''));
      orders.push(...ordersByCid.map(orderRow));
      const positionById = new Map(ordersByCid.map(({ id }, index) => [id, index]));
      const trades = market.orders.trades(0, null, Number.MAX_SAFE_INTEGER, null).toReversed();
      const rows = trades.map((trade) => tradeRow(trade, positionById));
      fills.push(...rows.toSorted((first, second) => compareBy('timeMs', first, second) || compareBy('order', first, second)));
    }
    const { accounts, positions } = truthOfMarkets(service, exchangeOf(this.#plan).service);
    return { orders, fills, money: JSON.stringify({ accounts, positions }) };
  }
}

/** A run definition as an object. */
export type Definition = Readonly<Record<string, unknown>>;

/** Returns the client order id of a create request; null for any other request. */
function clientOrderIdOfCreate({ method, path, body }: BotRequest): string | null {
  if (method !== 'POST' || !/\/v1\/(order|conditionOrder\/?)$/.test(path)) return null;
  const { newClientOrderId, clientOrderId } = JSON.parse(body) as { readonly newClientOrderId?: string; readonly clientOrderId?: string };
  return newClientOrderId ?? clientOrderId ?? '';
}

/** Compares texts by their code units. */
function compareTexts(first: string, second: string): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

/** Compares rows by a column of numbers. */
const compareBy = (column: string, first: Row, second: Row): number => Number(first[column]) - Number(second[column]);

/** Returns an order of the exchange as a row to compare. */
function orderRow({ instrument, intent: { side, lots, quoteUnits, limit, reduceOnly }, venueOrder, ended }: UserOrder): Row {
  const shownState = venueOrder ?? ended;
  return {
    instrument: instrument.id,
    side,
    lots,
    quoteUnits,
    limit,
    reduceOnly: String(reduceOnly),
    status: String(shownState?.status),
    filledLots: shownState?.filledLots ?? 0,
    filledUnits: shownState?.filledUnits ?? 0,
  };
}

/** Returns a trade of the exchange as a row to compare. `positionById`: positions of the orders in the sorted list, by venue order id. */
function tradeRow(
  { instrument, bidId, askId, price, lots, timeMs, isBuyer, isMaker, fee }: OwnTrade,
  positionById: ReadonlyMap<string, number>,
): Row {
  const order = positionById.get(isBuyer ? bidId : askId) ?? -1;
  return { instrument: instrument.id, timeMs, order, price, lots, isBuyer: String(isBuyer), isMaker: String(isMaker), fee };
}
