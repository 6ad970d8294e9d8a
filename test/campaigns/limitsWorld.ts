// Simulates an exchange that counts requests on a clock of its own, a network of changing delays, and more traffic than is allowed.

import { Limiter, type Priority, type Ticket } from '../../src/adapters/exchange/limits/limiter.ts';
import { seededRng, type Rng } from '../../src/base/number/rng.ts';
import type { Scheduler } from '../../src/ports/scheduler.ts';
import { endpointOf, type Op } from '../../src/protocol/endpoints/endpoints.ts';
import { DueQueue } from '../../src/ports/dueQueue.ts';

/** One hour, ms. */
export const HOUR_MS = 3_600_000;
/** Number of kinds of networks. Each seed has one kind. */
export const NETWORKS = 3;
const START_MS = Date.UTC(2026, 0, 5);
/** Time between two rounds of offered requests. */
const TICK_MS = 20;
/** How long a caller waits for a reply. */
const TIME_LIMIT_MS = 3000;

/** Offered traffic by priority, as multiples of what the rate class allows: about ten times in all. */
export const OFFERED = {
  /** Cancels stay within their reserve. */
  mixed: { cancel: 0.1, reconcile: 4, order: 2.9, bars: 0, steady: 3 },
  /** Half of the limit is cancels. */
  cancels: { cancel: 0.5, reconcile: 0, order: 9.5, bars: 0, steady: 0 },
  /** Cancels alone, ten times above the limit: no reserve can hold them back. */
  flood: { cancel: 10, reconcile: 0, order: 0, bars: 0, steady: 0 },
  /** A public class with far more feeds than it can serve. */
  bars: { cancel: 0, reconcile: 0.05, order: 0, bars: 8, steady: 2 },
} as const satisfies Readonly<Record<string, Readonly<Record<Priority, number>>>>;
type Mix = keyof typeof OFFERED;

/** A clock that drops fractions of a millisecond, and timers up to 5 ms late, as in a busy process. */
class RoughScheduler implements Scheduler {
  readonly #queue: DueQueue;
  readonly #rng: Rng;
  constructor(queue: DueQueue, rng: Rng) {
    this.#queue = queue;
    this.#rng = rng;
  }
  get nowMs(): number {
    return Math.floor(this.#queue.nowMs);
  }
  at(timeMs: number, run: () => void): number {
    return this.#queue.at(Math.max(timeMs + this.#rng.next() * 5, this.#queue.nowMs), run);
  }
  cancel(handle: number): void {
    this.#queue.cancel(handle);
  }
}

/** The limit as the exchange applies it: at most `count` requests in any window, by its own clock in whole milliseconds. */
class TrueWindow {
  readonly #count: number;
  readonly #windowMs: number;
  readonly #received: number[] = [];
  constructor(count: number, windowMs: number) {
    this.#count = count;
    this.#windowMs = windowMs;
  }
  /** Counts a request. Returns whether the limit allows it. */
  admits(clockMs: number): boolean {
    const received = this.#received;
    while (received[0] !== undefined && received[0] <= clockMs - this.#windowMs) received.shift();
    received.push(clockMs);
    return received.length <= this.#count;
  }
}

/** Counts of the requests of one priority. `refused`: the limiter gave them up. */
export interface Flow {
  offered: number;
  sent: number;
  refused: number;
  /** Times from the request to the limiter until it was sent, ms. */
  readonly waitsMs: number[];
  lastSentMs: number;
  /** Longest time in which no request was sent although one waited. */
  maxGapMs: number;
}

/** The traffic of one rate class over a run, and how it was served. */
export interface ClassCounts {
  readonly op: Op;
  readonly mix: Mix;
  readonly limit: number;
  readonly windowMs: number;
  readonly flows: Readonly<Record<Priority, Flow>>;
}

/** One client: its limiter, and the traffic that it offers. */
interface Client {
  readonly limiter: Limiter;
  /** True when public calls are sent with the key and count against it. */
  readonly publicOnKey: boolean;
  readonly classes: readonly ClassCounts[];
}

/** Draws the time of one way through the network, ms. */
type DrawDelay = () => number;

/** One seed of the campaign: its clients, its network and the exchange's counters. */
export class LimitsWorld {
  /** Number of requests that the exchange received above a limit. Each gets the status 429. */
  tooMany = 0;
  received = 0;
  readonly clients: readonly Client[];
  /** How the network of this seed behaves. */
  readonly network: string;
  readonly #queue = new DueQueue();
  readonly #rng: Rng;
  readonly #drawDelayMs: DrawDelay;
  /** The clock of the exchange: its offset, and its speed relative to ours. */
  readonly #skewMs: number;
  readonly #clockRate: number;
  readonly #isFlawed: boolean;
  readonly #windows = new Map<string, TrueWindow>();

  /** The flaw `counts from sending`: the limiter gets a reply as soon as the request is sent, as if there were no network. */
  constructor(seed: number, flaw: 'none' | 'counts from sending' = 'none') {
    this.#isFlawed = flaw !== 'none';
    const rng = seededRng(seed);
    this.#rng = rng;
    this.#queue.runDue(START_MS);
    const { name, drawDelayMs } = networkOf(seed, rng, () => this.#queue.nowMs);
    this.network = name;
    this.#drawDelayMs = drawDelayMs;
    this.#skewMs = (seed % 2 === 0 ? -HOUR_MS : HOUR_MS) * (0.9 + rng.next() / 5);
    this.#clockRate = 1 + (rng.next() - 0.5) * 2e-3;
    const scheduler = new RoughScheduler(this.#queue, rng);
    const firstLimiter = new Limiter(scheduler);
    const secondLimiter = new Limiter(scheduler, { sameAddressAs: firstLimiter, publicOnKey: true });
    this.clients = [
      {
        limiter: firstLimiter,
        publicOnKey: false,
        // One operation of each kind: reads by key, cancels, an unpublished limit, and two public calls.
        classes: [
          countsOf('spot.openOrders', 'mixed'),
          countsOf('spot.cancelOrder', 'cancels'),
          countsOf('futures.createOrder', 'mixed'),
          countsOf('spot.klines', 'mixed'),
          countsOf('futures.klines', 'bars'),
        ],
      },
      { limiter: secondLimiter, publicOnKey: true, classes: [countsOf('spot.klines', 'mixed'), countsOf('futures.cancelOrder', 'flood')] },
    ];
  }

  /** Offers traffic for this time. */
  run(lengthMs: number): void {
    const endMs = START_MS + lengthMs;
    for (let nowMs = START_MS; nowMs < endMs; nowMs += TICK_MS) {
      this.#queue.runDue(nowMs);
      for (const client of this.clients) for (const counts of client.classes) this.#offer(client, counts);
    }
  }

  /** Offers a client the calls of one tick, in bursts. */
  #offer(client: Client, counts: ClassCounts): void {
    const offered = OFFERED[counts.mix];
    for (const priority of ['steady', 'bars', 'order', 'reconcile', 'cancel'] as const) {
      if (priority === 'bars' && offered.bars === 0) continue;
      // Requests come in bursts: in a quarter of the ticks, four times the mean. The fraction of a request is the chance of one more.
      const mean = (offered[priority] * counts.limit * TICK_MS) / counts.windowMs;
      for (let remaining = this.#rng.next() < 0.25 ? mean * 4 : 0; remaining > 0; remaining--) {
        if (remaining >= 1 || this.#rng.next() < remaining) this.#acquire(client, counts, priority);
      }
    }
  }

  /** Acquires one call of the limiter, and counts when it is sent or refused. */
  #acquire(client: Client, counts: ClassCounts, priority: Priority): void {
    const flow = counts.flows[priority];
    const askedMs = this.#queue.nowMs;
    flow.offered++;
    client.limiter.acquire(
      counts.op,
      priority,
      (ticket) => {
        const nowMs = this.#queue.nowMs;
        flow.sent++;
        flow.waitsMs.push(nowMs - askedMs);
        flow.maxGapMs = Math.max(flow.maxGapMs, nowMs - Math.max(flow.lastSentMs, askedMs));
        flow.lastSentMs = nowMs;
        this.#send(client, counts, ticket);
      },
      () => flow.refused++,
    );
  }

  /** Sends a request through the network. One reply in two hundred is lost, and such a request may arrive after its caller gave up. */
  #send(client: Client, counts: ClassCounts, ticket: Ticket): void {
    const queue = this.#queue;
    if (this.#isFlawed) ticket.finish(200, null, null);
    const isLost = this.#rng.next() < 0.005;
    const arrivalDelayMs = this.#drawDelayMs() + (isLost ? this.#rng.next() * 6000 : 0);
    if (isLost) queue.at(queue.nowMs + TIME_LIMIT_MS, () => ticket.finish(null, null, null));
    queue.at(queue.nowMs + arrivalDelayMs, () => {
      const isAllowed = this.#receive(client, counts);
      const reply = (): void => (isAllowed ? ticket.finish(200, null, null) : ticket.finish(429, -1003, null));
      if (!isLost) queue.at(queue.nowMs + this.#drawDelayMs(), reply);
    });
  }

  /** Counts a request at the exchange. Returns whether its limit allows it. */
  #receive(client: Client, { op, limit, windowMs }: ClassCounts): boolean {
    const { rateClass, scope } = endpointOf(op).limit;
    const subject = scope === 'ip' && !client.publicOnKey ? 'address' : `key ${this.clients.indexOf(client)}`;
    const name = `${rateClass} ${subject}`;
    const window = this.#windows.get(name) ?? new TrueWindow(limit, windowMs);
    this.#windows.set(name, window);
    const clockMs = Math.floor(START_MS + (this.#queue.nowMs - START_MS) * this.#clockRate + this.#skewMs);
    const isAllowed = window.admits(clockMs);
    this.received++;
    if (!isAllowed) this.tooMany++;
    return isAllowed;
  }
}

/** Returns counts of one rate class that are all zero. */
function countsOf(op: Op, mix: Mix): ClassCounts {
  const { count, windowMs } = endpointOf(op).limit;
  const flow = (): Flow => ({ offered: 0, sent: 0, refused: 0, waitsMs: [], lastSentMs: -Infinity, maxGapMs: 0 });
  return { op, mix, limit: count, windowMs, flows: { cancel: flow(), reconcile: flow(), order: flow(), bars: flow(), steady: flow() } };
}

/** Returns the network of a seed: its name, and a function that draws its one-way delays of 5 to 800 ms. */
function networkOf(seed: number, rng: Rng, nowMs: () => number): { readonly name: string; readonly drawDelayMs: DrawDelay } {
  const between = (min: number, max: number) => min + rng.next() * (max - min);
  const isSlowMinute = () => Math.floor(nowMs() / 60_000) % 2 === 0;
  const kinds = [
    { name: 'any delay at any time', drawDelayMs: () => between(5, 800) },
    { name: 'short, with spikes', drawDelayMs: () => (rng.next() < 0.05 ? between(300, 800) : between(5, 60)) },
    // At the end of a slow minute, later requests overtake earlier ones.
    { name: 'slow and fast by turns', drawDelayMs: () => (isSlowMinute() ? between(700, 800) : between(5, 20)) },
  ];
  return kinds[seed % kinds.length]!;
}
