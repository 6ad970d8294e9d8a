// Measures the paper exchange under load from 32 connections without rate limits. The yardstick is a bare HTTP server that checks the same signatures
// and sends replies of the same length.

import { closeSync, fdatasyncSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { columnMedian } from '../dist/report/kernels/sums.js';
import { PartProcess } from './partProcess.ts';
import { serveBare } from './service/bare.ts';
import { sendLoad, type LoadFigures } from './service/connections.ts';
import { BTC_ACCOUNT, CREATE_TARGET, DEPTH_TARGET, ETH_ACCOUNT, PING_TARGET, requestsOf, type RequestKind } from './service/requests.ts';

/** This file, which the process of the bare server runs. */
const SELF = fileURLToPath(import.meta.url);
/** The built command. */
const COMMAND = fileURLToPath(new URL('../dist/cli/isobar.js', import.meta.url));
/** Connections that send requests at the same time. */
const CONNECTION_COUNT = 32;
/** Number of measurements of each figure: its median counts. */
const PAIR_COUNT = 5;
/** Requests that warm a server up before it is measured. */
const WARM_UP_COUNT: Readonly<Record<RequestKind, number>> = { ping: 20_000, depth: 8000, create: 6000 };
/** Requests of each measurement. */
const MEASURED_COUNT: Readonly<Record<RequestKind, number>> = { ping: 12_000, depth: 6000, create: 3000 };
/** Open orders of one account when creates with and without open orders are compared. */
const OPEN_ORDERS = 10_000;
/** Creates that each of the two accounts sends in one turn of this comparison. */
const TURN_ORDERS = 1500;
/** Durable creates, and bare syncs of the disk, that are measured. */
const SYNC_COUNT = 500;
/** About as many bytes as the exchange stores for an order. */
const RECORD_BYTES = 400;
/** A reply of the bare server that is as long as the exchange's reply to a create. */
const CREATE_REPLY = JSON.stringify({
  symbol: 'BTCUSDT',
  orderId: '1234567890123456789',
  clientOrderId: '0',
  transactTime: 1_700_000_000_000,
  price: '20000.00',
  origQty: '0.001',
  executedQty: '0',
  status: 'NEW',
  type: 'LIMIT',
  side: 'BUY',
});
/** The kinds of requests, in the order of their measurement. */
const KINDS = ['ping', 'depth', 'create'] as const satisfies readonly RequestKind[];

/** Rates and times of the paper exchange under load. */
export interface ServiceFigures {
  /** Pings per second of the exchange divided by pings per second of the bare server, the median of the measurements. */
  readonly pingRatio: number;
  /** The same ratio for requests of the order book. */
  readonly depthRatio: number;
  /** The same ratio for creates of orders. */
  readonly createRatio: number;
  /** The 99th percentile of the time of a create under this load. */
  readonly p99Ms: number;
  /** Creates per second of the exchange. */
  readonly createsPerSecond: number;
  /** Time of a create with 10,000 open orders divided by the time of one without open orders. */
  readonly openOrdersRatio: number;
  /** Median time of a create whose order is on the disk before its reply. The creates are sent one at a time. */
  readonly durableMs: number;
  /** Median time to append RECORD_BYTES to a file and sync it. */
  readonly bareSyncMs: number;
}

/** Returns the figures of the exchange. `folder` gets the config and the key files. */
export async function serviceBench(folder: string): Promise<ServiceFigures> {
  const exchange = await Exchange.start(folder);
  const replies = await sampleReplies(exchange.port);
  const bare = new PartProcess([SELF, '--service-part', JSON.stringify(replies)]);
  try {
    const barePort = Number(await bare.nextLine());
    const ports = { exchange: exchange.port, bare: barePort };
    const ratios = new Map<RequestKind, number>();
    let creates: readonly LoadFigures[] = [];
    for (const kind of KINDS) {
      const pairs = await measurePairs(kind, ports);
      ratios.set(kind, median(pairs.map((pair) => pair.exchange.perSecond / pair.bare.perSecond)));
      if (kind === 'create') creates = pairs.map((pair) => pair.exchange);
    }
    return {
      pingRatio: ratios.get('ping')!,
      depthRatio: ratios.get('depth')!,
      createRatio: ratios.get('create')!,
      p99Ms: median(creates.map(({ p99Ms }) => p99Ms)),
      createsPerSecond: median(creates.map(({ perSecond }) => perSecond)),
      openOrdersRatio: await openOrdersRatio(exchange),
      durableMs: await durableMs(folder),
      bareSyncMs: medianSyncMs(folder),
    };
  } finally {
    bare.end();
    await exchange.stop();
  }
}

/** Runs the bare server in this process. `replies` is JSON: the reply to each path. */
export const serviceBarePart = (replies: string): Promise<void> => serveBare(JSON.parse(replies) as Record<string, string>);

/** Ports of the paper exchange and of the bare server. */
interface Ports {
  readonly exchange: number;
  readonly bare: number;
}

/** The figures of both servers under the same load. */
interface LoadPair {
  readonly exchange: LoadFigures;
  readonly bare: LoadFigures;
}

/** Measures both servers in turn, so that a disturbance affects both. */
async function measurePairs(kind: RequestKind, { exchange, bare }: Ports): Promise<readonly LoadPair[]> {
  for (const port of [exchange, bare]) await sendLoad(port, CONNECTION_COUNT, requestsOf(kind, WARM_UP_COUNT[kind]));
  const pairs: LoadPair[] = [];
  for (let pair = 0; pair < PAIR_COUNT; pair++) {
    pairs.push({
      exchange: await sendLoad(exchange, CONNECTION_COUNT, requestsOf(kind, MEASURED_COUNT[kind])),
      bare: await sendLoad(bare, CONNECTION_COUNT, requestsOf(kind, MEASURED_COUNT[kind])),
    });
  }
  return pairs;
}

/**
 * Returns the median time of a create with 10,000 open orders, divided by the time of a create without open orders. Two accounts of the same exchange
 * alternate, so that the code is equally warm for both. Each account orders a symbol of its own.
 */
async function openOrdersRatio({ port }: Exchange): Promise<number> {
  await sendLoad(port, CONNECTION_COUNT, requestsOf('create', OPEN_ORDERS));
  const ratios: number[] = [];
  for (let turn = 0; turn < PAIR_COUNT; turn++) {
    const requestsWithOpenOrders = requestsOf('create', TURN_ORDERS, BTC_ACCOUNT);
    const requestsWithoutOpenOrders = requestsOf('create', TURN_ORDERS, ETH_ACCOUNT);
    const without = await sendLoad(port, CONNECTION_COUNT, requestsWithoutOpenOrders);
    const withOrders = await sendLoad(port, CONNECTION_COUNT, requestsWithOpenOrders);
    ratios.push(without.perSecond / withOrders.perSecond);
  }
  return median(ratios);
}

/** Returns the median time of a durable create on one connection, so that each create waits for the disk alone. */
async function durableMs(folder: string): Promise<number> {
  const exchange = await Exchange.start(folder, ['--data', join(folder, 'data')]);
  try {
    const medians: number[] = [];
    // Requests are signed in small batches, because on a slow disk the signatures of all would expire. The first half warms the exchange up.
    const batchSize = SYNC_COUNT / 10;
    for (let sent = 0; sent < 2 * SYNC_COUNT; sent += batchSize) {
      const { p50Ms } = await sendLoad(exchange.port, 1, requestsOf('create', batchSize));
      if (sent >= SYNC_COUNT) medians.push(p50Ms);
    }
    return median(medians);
  } finally {
    await exchange.stop();
  }
}

/** Returns the median time to append RECORD_BYTES to a file and sync it. */
function medianSyncMs(folder: string): number {
  const file = openSync(join(folder, 'bare'), 'a');
  const bytes = Buffer.alloc(RECORD_BYTES, 'x');
  const durationsMs = Array.from({ length: SYNC_COUNT }, () => {
    const startMs = performance.now();
    writeSync(file, bytes);
    fdatasyncSync(file);
    return performance.now() - startMs;
  });
  closeSync(file);
  return median(durationsMs);
}

/** Returns the median of the values. */
const median = (values: readonly number[]): number => columnMedian(Float64Array.from(values));

/** A running `isobar exchange`, started as a user starts it. */
class Exchange {
  readonly port: number;
  readonly #part: PartProcess;

  private constructor(part: PartProcess, port: number) {
    this.#part = part;
    this.port = port;
  }

  static async start(folder: string, extraOptions: readonly string[] = []): Promise<Exchange> {
    const file = join(folder, 'exchange.yaml');
    writeFileSync(file, exchangeConfig(folder));
    const part = new PartProcess([COMMAND, 'exchange', file, '--port', '0', '--quiet', ...extraOptions]);
    const { spot } = JSON.parse(await part.nextLine()) as { spot: string };
    return new Exchange(part, Number(new URL(spot).port));
  }

  stop(): Promise<void> {
    return this.#part.stop();
  }
}

/** Writes the key files and returns a config with two funded accounts, two instruments and no rate limits. */
function exchangeConfig(folder: string): string {
  const accounts = [BTC_ACCOUNT, ETH_ACCOUNT].map(({ key, secret }, index) => {
    const keyFile = join(folder, `key${index}`);
    const secretFile = join(folder, `secret${index}`);
    writeFileSync(keyFile, key, { mode: 0o600 });
    writeFileSync(secretFile, secret, { mode: 0o600 });
    return { name: `account${index}`, uid: 10001 + index, balances: { USDT: '10000000' }, keys: [{ keyFile, secretFile }] };
  });
  const terms = { quote: 'USDT', priceDigits: 2, quantityDigits: 5, prices: { price: '65000', quantity: '2' } };
  return JSON.stringify({
    instruments: [BTC_ACCOUNT, ETH_ACCOUNT].map(({ symbol }) => ({ symbol, base: symbol.slice(0, 3), ...terms })),
    accounts,
    limits: { 'spot.public': null, 'spot.newOrder': null },
    maxOpenOrders: 200_000,
    maxOpenOrdersPerSymbol: 200_000,
  });
}

/** Returns the exchange's reply to each kind of request by path, so that the bare server can send replies of the same length. */
async function sampleReplies(port: number): Promise<Readonly<Record<string, string>>> {
  const getText = (target: string): Promise<string> =>
    new Promise((resolve, reject) => {
      get({ port, path: target, headers: { 'Content-Type': 'application/json' } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks).toString()));
      }).once('error', reject);
    });
  return { [PING_TARGET]: await getText(PING_TARGET), [DEPTH_TARGET]: await getText(DEPTH_TARGET), [CREATE_TARGET]: CREATE_REPLY };
}
