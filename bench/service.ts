// The paper exchange under load beside a bare HTTP server that checks the same signatures: 32 connections, limits off.

import { closeSync, fdatasyncSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median as medianOf } from '../dist/report/kernels/sums.js';
import { Part } from './parts.ts';
import { bareServer } from './service/bare.ts';
import { load, type LoadFigures } from './service/connections.ts';
import { ALICE, BOB, DEPTH, ORDER, PING, requestsOf, type Kind } from './service/requests.ts';

const SELF = fileURLToPath(import.meta.url);
const COMMAND = fileURLToPath(new URL('../dist/cli/isobar.js', import.meta.url));
const CONNECTIONS = 32;
const PAIRS = 5;
/** Answers that warm a server up, and of each measurement. */
const WARM: Readonly<Record<Kind, number>> = { ping: 20_000, depth: 8000, create: 6000 };
const COUNT: Readonly<Record<Kind, number>> = { ping: 12_000, depth: 6000, create: 3000 };
const OPEN_ORDERS = 10_000;
const TURN = 1500;
const SYNCS = 500;
/** About what an order takes in the record. */
const RECORD_BYTES = 400;
/** As long as the answer to a create. */
const ORDER_ANSWER = JSON.stringify({ symbol: 'BTCUSDT', orderId: '1234567890123456789', clientOrderId: '0', transactTime: 1_700_000_000_000, price: '20000.00', origQty: '0.001', executedQty: '0', status: 'NEW', type: 'LIMIT', side: 'BUY' }); // prettier-ignore
const KINDS = ['ping', 'depth', 'create'] as const satisfies readonly Kind[];

export interface ServiceFigures {
  /** Requests per second over those of the bare server: the medians of the pairs. */
  readonly pingRatio: number;
  readonly depthRatio: number;
  readonly createRatio: number;
  /** The 99th percentile of a create under this load. */
  readonly p99Ms: number;
  readonly createsPerSecond: number;
  /** Time of a create with 10,000 open orders over that of one with none. */
  readonly openOrdersRatio: number;
  /** Median of a create that is on the disk before its answer, one at a time, beside writing and syncing as many bytes. */
  readonly durableMs: number;
  readonly bareSyncMs: number;
}

/** `folder`: for the config and the key files. */
export async function serviceBench(folder: string): Promise<ServiceFigures> {
  const ours = await Exchange.start(folder);
  const samples = await samplesOf(ours.port);
  const bare = new Part([SELF, '--service-part', JSON.stringify(samples)]);
  try {
    const barePort = Number(await bare.line());
    const ports = { ours: ours.port, bare: barePort };
    const ratios = new Map<Kind, number>();
    let creates: readonly LoadFigures[] = [];
    for (const kind of KINDS) {
      const pairs = await measure(kind, ports);
      ratios.set(kind, median(pairs.map((pair) => pair.ours.perSecond / pair.bare.perSecond)));
      if (kind === 'create') creates = pairs.map((pair) => pair.ours);
    }
    return {
      pingRatio: ratios.get('ping')!,
      depthRatio: ratios.get('depth')!,
      createRatio: ratios.get('create')!,
      p99Ms: median(creates.map(({ p99Ms }) => p99Ms)),
      createsPerSecond: median(creates.map(({ perSecond }) => perSecond)),
      openOrdersRatio: await openOrders(ours),
      durableMs: await durable(folder),
      bareSyncMs: bareSync(folder),
    };
  } finally {
    bare.end();
    await ours.stop();
  }
}

/** The bare server in this process. */
export const serviceBarePart = (answers: string): Promise<void> => bareServer(JSON.parse(answers) as Record<string, string>);

interface Ports {
  readonly ours: number;
  readonly bare: number;
}

/** Interleaved, so that what disturbs one disturbs the other. */
async function measure(kind: Kind, { ours, bare }: Ports): Promise<readonly { ours: LoadFigures; bare: LoadFigures }[]> {
  for (const port of [ours, bare]) await load(port, CONNECTIONS, requestsOf(kind, WARM[kind]));
  const pairs: { ours: LoadFigures; bare: LoadFigures }[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    pairs.push({
      ours: await load(ours, CONNECTIONS, requestsOf(kind, COUNT[kind])),
      bare: await load(bare, CONNECTIONS, requestsOf(kind, COUNT[kind])),
    });
  }
  return pairs;
}

/** Creates of an account with 10,000 open orders, and of one with none on another market of the same exchange, in turns: the code is as warm. */
async function openOrders({ port }: Exchange): Promise<number> {
  await load(port, CONNECTIONS, requestsOf('create', OPEN_ORDERS));
  const ratios: number[] = [];
  for (let turn = 0; turn < PAIRS; turn++) {
    const [many, none] = [ALICE, BOB].map((who) => requestsOf('create', TURN, who));
    ratios.push((await load(port, CONNECTIONS, none!)).perSecond / (await load(port, CONNECTIONS, many!)).perSecond);
  }
  return median(ratios);
}

/** One connection: each create waits for the disk alone. */
async function durable(folder: string): Promise<number> {
  const exchange = await Exchange.start(folder, ['--data', join(folder, 'data')]);
  try {
    const medians: number[] = [];
    // Few at a time: on a slow disk all of them would take longer than the window for which they are signed.
    for (let sent = 0; sent < 2 * SYNCS; sent += SYNCS / 10) {
      const { p50Ms } = await load(exchange.port, 1, requestsOf('create', SYNCS / 10));
      if (sent >= SYNCS) medians.push(p50Ms);
    }
    return median(medians);
  } finally {
    await exchange.stop();
  }
}

function bareSync(folder: string): number {
  const file = openSync(join(folder, 'bare'), 'a');
  const bytes = Buffer.alloc(RECORD_BYTES, 'x');
  const took = Array.from({ length: SYNCS }, () => {
    const fromMs = performance.now();
    writeSync(file, bytes);
    fdatasyncSync(file);
    return performance.now() - fromMs;
  });
  closeSync(file);
  return median(took);
}

const median = (values: readonly number[]): number => medianOf(Float64Array.from(values));

/** `isobar exchange` as a user starts it. */
class Exchange {
  readonly port: number;
  readonly #part: Part;

  private constructor(part: Part, port: number) {
    this.#part = part;
    this.port = port;
  }

  static async start(folder: string, more: readonly string[] = []): Promise<Exchange> {
    const file = join(folder, 'exchange.yaml');
    writeFileSync(file, configOf(folder));
    const part = new Part([COMMAND, 'exchange', file, '--port', '0', '--quiet', ...more]);
    const { spot } = JSON.parse(await part.line()) as { spot: string };
    return new Exchange(part, Number(new URL(spot).port));
  }

  stop(): Promise<void> {
    return this.#part.stop();
  }
}

/** Two funded accounts, two markets, no limits of calls. */
function configOf(folder: string): string {
  const accounts = [ALICE, BOB].map(({ key, secret }, at) => {
    const files = [`key${at}`, `secret${at}`].map((name) => join(folder, name));
    writeFileSync(files[0]!, key, { mode: 0o600 });
    writeFileSync(files[1]!, secret, { mode: 0o600 });
    return { name: `account${at}`, uid: 10001 + at, balances: { USDT: '10000000' }, keys: [{ keyFile: files[0], secretFile: files[1] }] };
  });
  const market = { quote: 'USDT', priceDigits: 2, quantityDigits: 5, prices: { price: '65000', quantity: '2' } };
  return JSON.stringify({
    instruments: [ALICE, BOB].map(({ symbol }) => ({ symbol, base: symbol.slice(0, 3), ...market })),
    accounts,
    limits: { 'spot.public': null, 'spot.newOrder': null },
    maxOpenOrders: 200_000,
    maxOpenOrdersPerSymbol: 200_000,
  });
}

/** What the exchange says to each kind: the bare server answers as much. */
async function samplesOf(port: number): Promise<Readonly<Record<string, string>>> {
  const ask = (target: string): Promise<string> =>
    new Promise((resolve, reject) => {
      get({ port, path: target, headers: { 'Content-Type': 'application/json' } }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve(Buffer.concat(chunks).toString()));
      }).once('error', reject);
    });
  return { [PING]: await ask(PING), [DEPTH]: await ask(DEPTH), [ORDER]: ORDER_ANSWER };
}
