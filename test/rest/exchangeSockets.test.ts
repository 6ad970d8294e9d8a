// Tests the REST adapter over real sockets: orders that are placed, replies that are lost, and orders that end.

import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LiveScheduler } from '../../src/adapters/clock/liveScheduler.ts';
import { ReplayJournal } from '../../src/adapters/replay/replayJournal.ts';
import { RestClient } from '../../src/adapters/exchange/client/restClient.ts';
import { RestExchange } from '../../src/adapters/exchange/restExchange.ts';
import { ORDER_SETTINGS } from '../../src/adapters/exchange/calls/orderSettings.ts';
import { Limiter } from '../../src/adapters/exchange/limits/limiter.ts';
import { ServerClock } from '../../src/adapters/exchange/time/serverClock.ts';
import { UndiciWire } from '../../src/adapters/exchange/wire/undiciWire.ts';
import { demoKey, demoSettings } from '../../src/paperExchange/process/demo.ts';
import { runExchange, type RunningExchange } from '../../src/paperExchange/process/runExchange.ts';
import type { DoneReason, Lifecycle, Order } from '../../src/model/order.ts';
import type { ExchangeSink } from '../../src/ports/exchange.ts';
import { DEFAULT_DIALECT } from '../../src/protocol/dialect.ts';
import { PlainOrder } from '../fixtures/drafts.ts';
import { atCall } from '../fixtures/plantedFaults.ts';
import { measureClock } from '../fixtures/stubExchange.ts';

/** Orders are signed when they are journalled, and durable at once. */
class SignedJournal extends ReplayJournal {
  stamp: () => number = () => NaN;
  override signMs(): number {
    return this.stamp();
  }
}

let paper: RunningExchange;
let exchange: RestExchange;
const reported: string[] = [];
const openOrders = new Map<number, Order>();
const closers: (() => unknown)[] = [];
const instrument = demoSettings(1).service.instruments[0]!;

beforeAll(async () => {
  paper = await runExchange(demoSettings(1), { host: '127.0.0.1', port: 0, controlPort: 0, crash: () => {} });
  const scheduler = new LiveScheduler();
  const wire = new UndiciWire();
  const clock = new ServerClock(scheduler);
  const { apiKey, secret } = demoKey(1);
  const client = new RestClient({
    wire: wire.send,
    scheduler,
    limiter: new Limiter(scheduler),
    clock,
    baseUrls: { spot: paper.url, futures: paper.url },
    credentials: { apiKey, sign: (message) => createHmac('sha256', secret).update(message).digest('hex') },
    dialect: DEFAULT_DIALECT,
    random: () => 0.5,
  });
  await measureClock(clock, 'spot');
  const journal = new SignedJournal();
  // Lists of this exchange are never old, so an end is confirmed at once.
  const settings = { ...ORDER_SETTINGS, readLagMs: 20, followMs: 20, cancelRetryMs: 200 };
  const clientOrderIdOf = (id: number): string => `SOCKETS-${id}`;
  exchange = new RestExchange({
    client,
    scheduler,
    serverTime: () => clock.now('spot'),
    market: 'spot',
    instruments: [instrument],
    journal,
    clientOrderIdOf,
    orderOf: (id) => openOrders.get(id),
    settings,
  });
  journal.stamp = () => exchange.stamp().signMs;
  exchange.connect(sink());
  closers.push(
    () => clock.stop(),
    () => new Promise<void>((resolve) => exchange.stop(resolve)),
    () => wire.close(),
    () => scheduler.close(),
    () => paper.close(),
  );
});
afterAll(async () => {
  for (const close of closers) await close();
});

/** Returns a sink that notes every report. */
function sink(): ExchangeSink {
  const notify = (event: string) => (id: unknown, detail?: unknown) =>
    void reported.push(`${event} ${String(id)} ${typeof detail === 'string' ? detail : ''}`.trim());
  /** Changes the record as an order manager does. */
  const setLifecycle = (id: number, lifecycle: Lifecycle, reason: DoneReason | null = null): void => {
    const order = openOrders.get(id)!;
    Object.assign(order, { lifecycle, reason });
    if (lifecycle === 'done') exchange.orderEnded(order);
  };
  return {
    acked: (id) => {
      setLifecycle(id, 'working');
      notify('acked')(id);
    },
    refused: notify('refused'),
    notSent: notify('notSent'),
    outcomeUnknown: (id) => {
      setLifecycle(id, 'unknown');
      notify('unknown')(id);
      exchange.read(openOrders.get(id)!, 'openOrders');
    },
    filled: (id) => notify('filled')(id),
    ended: (id, detail) => {
      setLifecycle(id, 'done', detail);
      notify('ended')(id, detail);
    },
    evidence: (id, evidence) => {
      if (evidence.found) setLifecycle(id, 'working');
      notify(evidence.found ? 'found' : 'read')(id);
    },
    arrivedLate: (id) => notify('arrivedLate')(id),
    raiseHalt: notify('halt'),
    clearHalt: notify('halt cleared'),
    funded: () => {},
    liquidated: () => {},
  };
}

/** Submits a buy of 1000 lots and returns its record. */
function submitBuy(id: number, limit: number): Order {
  const order = new PlainOrder([instrument], { lots: 1000, limit }, id);
  order.lifecycle = 'sent';
  openOrders.set(id, order);
  exchange.submit(order as never, 0);
  return order;
}
/** Plants one fault in the paper exchange, through its control server. */
const plantFault = (row: object) =>
  fetch(`${paper.controlUrl}/faults`, { method: 'POST', body: JSON.stringify({ seed: 1, schedule: [row] }) });
/** Waits until the sink has noted this report. */
const untilReported = (line: string) => expect.poll(() => reported, { interval: 10 }).toContain(line);

describe('over real sockets', () => {
  it('an order is placed, read, cancelled and confirmed', async () => {
    const order = submitBuy(1, 100);
    await untilReported('acked 1');
    exchange.cancel(order);
    await untilReported('ended 1 canceled');
    await expect.poll(() => exchange.isIdle, { interval: 10 }).toBe(true);
  });

  it('an order whose connection closes before the reply is found by its client order id', async () => {
    await plantFault(atCall(1, 'NET.respDrop', 'spot.newOrder'));
    const order = submitBuy(2, 101);
    await untilReported('unknown 2');
    await untilReported('found 2');
    exchange.cancel(order);
    await untilReported('ended 2 canceled');
  });

  it('an order whose reply is cut off within its body is unknown, and found', async () => {
    await plantFault(atCall(1, 'NET.truncate', 'spot.newOrder', { bytes: 9 }));
    const order = submitBuy(3, 102);
    await untilReported('found 3');
    exchange.cancel(order);
    await untilReported('ended 3 canceled');
    expect(paper.service.spot.unendedOrders().filter(({ clientOrderId }) => clientOrderId?.startsWith('SOCKETS'))).toEqual([]);
  });
});
