// Measures the CPU time from an order to its signed bytes on the socket, through isobar's exchange client and through ccxt's createOrder.

import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { accessSettings } from '../dist/access/settings.js';
import { openExchange, type Exchange } from '../dist/access/openExchange.js';
import { isSameSignature, signedBytes } from '../dist/protocol/sign.js';
import { OrderTimer, type OrderTimes } from '../test/ccxt/orderTimer.mjs';
import { answerBytes, StubExchange } from '../test/fixtures/stubExchange.ts';
import { PartProcess } from './partProcess.ts';
import { installWorkspace } from './workspace.ts';

const ROOT = new URL('..', import.meta.url).pathname;
/** The bundled bench. Its part processes run this file, so that they do not bundle it again. */
const SELF = fileURLToPath(import.meta.url);
/** After these orders the code of both clients is compiled. */
const WARM_UP_ORDERS = 12_000;
/** Orders of one round. */
const ORDERS_PER_ROUND = 1000;
/** Orders of each client that are compared before any timing. */
const CHECKED_ORDERS = 20;
/** Timed rounds; the best one of each client counts. */
const ROUNDS = 15;
/** The stub drops its requests once it has more than this. */
const MAX_STUB_REQUESTS = 100;
/** The key and secret of the exchange's public documentation. */
const KEY = 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A';
const SECRET = '902ae3cb34ecee2779aa4d3e1d226686';
/** Fields that ccxt adds to an order. */
const CCXT_EXTRA_FIELDS = ['recvWindow', 'amount', 'leverage'];

/** CPU time of the process for each order, user and system. The best round counts, because other processes disturbed it least. */
interface CcxtComparison {
  readonly cpuUsOurs: number;
  readonly cpuUsCcxt: number;
  readonly ratio: number;
}

/** CPU time until the signed bytes are on the socket. In `toAnswer` it is the time until the reply, which adds mostly work of the kernel. */
export interface RestCreateFigures extends CcxtComparison {
  readonly toAnswer: CcxtComparison;
}

/** The times of both clients in one round. */
interface Round {
  readonly ours: OrderTimes;
  readonly ccxt: OrderTimes;
}

/**
 * Returns the figures. Returns null, with the reason on stderr, where ccxt cannot be installed. Throws if the service did not get the same orders
 * from both clients, with valid signatures.
 */
export async function restCreate(print: (text: string) => void): Promise<RestCreateFigures | null> {
  if (!installWorkspace(CCXT, print)) return null;
  const stub = new PartProcess([SELF, '--rest-part', 'stub']);
  const origin = await stub.nextLine();
  const ours = new PartProcess([SELF, '--rest-part', 'ours', origin]);
  const ccxt = startCcxt(origin);
  try {
    for (const part of [ours, ccxt]) await part.nextLine();
    await stub.request('drop');
    await assertEqualOrders(stub, ours, ccxt);
    for (const part of [ours, ccxt]) await part.request(WARM_UP_ORDERS);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push({ ours: await timesOf(ours), ccxt: await timesOf(ccxt) });
    return { ...bestOf(rounds, 'toSocketUs'), toAnswer: bestOf(rounds, 'toAnswerUs') };
  } finally {
    for (const part of [ours, ccxt, stub]) part.end();
  }
}

/** How many orders are sent, and the pause before each. */
export interface OrderSchedule {
  readonly warmUpOrders: number;
  readonly rounds: number;
  /** Orders of one round. */
  readonly orders: number;
  readonly pauseMs: number;
}

/**
 * Returns the CPU time of a call of ccxt's createOrder, and of its part up to the bytes on the socket: each the median of the best round. Orders
 * are sent one at a time with pauses. Returns null, with the reason on stderr, where ccxt cannot be installed.
 */
export async function ccxtCreateOrder(
  print: (text: string) => void,
  { warmUpOrders, rounds, orders, pauseMs }: OrderSchedule,
): Promise<OrderTimes | null> {
  if (!installWorkspace(CCXT, print)) return null;
  const stub = new PartProcess([SELF, '--rest-part', 'stub']);
  const ccxt = startCcxt(await stub.nextLine());
  const timeOneOrder = async (): Promise<OrderTimes> => {
    await setTimeout(pauseMs);
    return JSON.parse(await ccxt.request(1)) as OrderTimes;
  };
  try {
    await ccxt.nextLine();
    for (let order = 0; order < warmUpOrders; order++) await timeOneOrder();
    const roundMedians: OrderTimes[] = [];
    for (let round = 0; round < rounds; round++) {
      const times: OrderTimes[] = [];
      for (let order = 0; order < orders; order++) times.push(await timeOneOrder());
      const median = (name: keyof OrderTimes): number =>
        times.map((orderTimes) => orderTimes[name]).toSorted((a, b) => a - b)[orders >> 1]!;
      roundMedians.push({ toSocketUs: median('toSocketUs'), toAnswerUs: median('toAnswerUs') });
    }
    const minOf = (name: keyof OrderTimes): number => Math.min(...roundMedians.map((times) => times[name]));
    return { toSocketUs: minOf('toSocketUs'), toAnswerUs: minOf('toAnswerUs') };
  } finally {
    for (const part of [ccxt, stub]) part.end();
  }
}

const CCXT = { folder: join(ROOT, 'test/ccxt'), probePackage: 'ccxt', description: 'ccxt (70 MB) into test/ccxt/node_modules' };
const startCcxt = (origin: string): PartProcess => new PartProcess([join(ROOT, 'test/ccxt/createOrders.mjs'), origin, KEY, SECRET]);

const timesOf = async (part: PartProcess): Promise<OrderTimes> => JSON.parse(await part.request(ORDERS_PER_ROUND)) as OrderTimes;

/** Returns the best CPU time of both clients over the rounds. */
function bestOf(rounds: readonly Round[], name: keyof OrderTimes): CcxtComparison {
  const cpuUsOurs = Math.min(...rounds.map(({ ours }) => ours[name]));
  const cpuUsCcxt = Math.min(...rounds.map(({ ccxt }) => ccxt[name]));
  return { cpuUsOurs, cpuUsCcxt, ratio: cpuUsOurs / cpuUsCcxt };
}

/** A request that the stub service received. */
interface ReceivedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Throws unless the service got the same first 20 orders from both clients, with the same credentials and valid signatures. */
async function assertEqualOrders(stub: PartProcess, ours: PartProcess, ccxt: PartProcess): Promise<void> {
  const received: ReceivedRequest[][] = [];
  for (const part of [ours, ccxt]) {
    await part.request(CHECKED_ORDERS);
    received.push(JSON.parse(await stub.request('list')) as ReceivedRequest[]);
  }
  const [isobarOrders, ccxtOrders] = received.map((requests) => requests.filter(({ method }) => method === 'POST'));
  if (isobarOrders?.length !== CHECKED_ORDERS || ccxtOrders?.length !== CHECKED_ORDERS)
    throw new Error(
      `expected ${CHECKED_ORDERS} orders of each client, got ${isobarOrders?.length} of isobar and ${ccxtOrders?.length} of ccxt`,
    );
  for (const [index, request] of isobarOrders.entries()) {
    const isobarText = orderText(request, []);
    const ccxtText = orderText(ccxtOrders[index]!, CCXT_EXTRA_FIELDS);
    if (isobarText !== ccxtText) throw new Error(`order ${index} differs: ${isobarText} of isobar, ${ccxtText} of ccxt`);
  }
  for (const request of [...isobarOrders, ...ccxtOrders]) {
    if (!hasValidSignature(request)) throw new Error(`a wrong signature: ${JSON.stringify(request)}`);
  }
}

/** Returns the order as text that does not depend on the order of its members, or on whether numbers are text. */
function orderText({ method, target, headers, body }: ReceivedRequest, ignoredFields: readonly string[]): string {
  const members = Object.entries(JSON.parse(body) as Record<string, unknown>).filter(([name]) => !ignoredFields.includes(name));
  const order = members.map(([name, value]) => `${name}=${String(value)}`).toSorted();
  return [method, target, headers['x-ch-apikey'], ...order].join(' ');
}

function hasValidSignature({ method, target, headers, body }: ReceivedRequest): boolean {
  const message = signedBytes({ timestamp: headers['x-ch-ts'] ?? '', method, path: target }, Buffer.from(body));
  return isSameSignature(createHmac('sha256', SECRET).update(message).digest('hex'), headers['x-ch-sign'] ?? '');
}

/** Runs one of the part processes: the stub service, or the client of isobar. */
export async function restPart(name: string, origin: string | undefined, folder: string): Promise<void> {
  if (name === 'stub') await runStub();
  else if (name === 'ours' && origin !== undefined) await createOrders(origin, folder);
  else throw new Error(`expected stub or ours, got ${name}`);
}

/**
 * Runs the stub service: prints its address, then one line for each line of input. The line `list` asks for the requests since the last line.
 * Every line, such as `drop`, drops these requests.
 */
async function runStub(): Promise<void> {
  const contract =
    '[{"symbol":"E-BTC-USDT","pricePrecision":1,"side":1,"maxMarketVolume":5000000,"multiplier":0.0001,"maxLever":150,"minOrderVolume":1,' +
    '"marginCoin":"USDT","type":"E","multiplierCoin":"BTC","contractId":1,"minLever":1,"status":1}]';
  const stub = await StubExchange.start((socket, { target }) => {
    if (target.endsWith('/contracts')) socket.write(answerBytes(200, contract));
    else if (target.endsWith('/time')) socket.write(answerBytes(200, `{"timezone":"UTC","serverTime":${Date.now()}}`));
    else socket.write(answerBytes(200, '{"code":"0","msg":"Success","data":{"orderId":259396989397942275}}'));
    // The benchmark compares only the first requests. Thousands more are only timed, so they are dropped.
    if (stub.requests.length > MAX_STUB_REQUESTS) stub.requests.length = 0;
  });
  process.stdout.write(`${stub.origin}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    const requests = stub.requests.splice(0).map(({ method, target, headers, body }): ReceivedRequest => {
      const namedHeaders = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
      return { method, target, headers: namedHeaders, body: body.toString() };
    });
    process.stdout.write(`${line === 'list' ? JSON.stringify(requests) : '[]'}\n`);
  }
  await stub.close();
}

/** Sends the same orders as the ccxt program, through every step that an order of a bot takes. */
async function createOrders(origin: string, folder: string): Promise<void> {
  const environment = { ISOBAR_API_KEY: KEY, ISOBAR_API_SECRET: SECRET, XDG_STATE_HOME: folder };
  const settings = accessSettings({ spotUrl: origin, futuresUrl: origin }, environment);
  // The rate limiter runs, but never has to wait.
  const limits = { overrides: { 'futures.createOrder': { count: 1_000_000, windowMs: 100 } }, banMinMs: null };
  const exchange = openExchange({ ...settings, limits });
  await new Promise((resolve) => exchange.clock.measure('futures', resolve));
  process.stdout.write('ready\n');
  const timer = new OrderTimer((orderIndex) => createOrder(exchange, orderIndex));
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await timer.run(Number(line)))}\n`);
  }
  await exchange.close();
}

/** Sends one order of a varied size and price. */
function createOrder({ client }: Exchange, orderIndex: number): Promise<void> {
  const order = {
    contractName: 'E-BTC-USDT',
    volume: String(1 + (orderIndex % 9)),
    price: `${65_000 + (orderIndex % 1000)}.5`,
    type: 'LIMIT',
    side: 'BUY',
    open: 'OPEN',
    positionType: 1,
    clientOrderId: `b-${orderIndex}`,
  } as const;
  return new Promise((resolve, reject) => {
    client.call('futures.createOrder', order, (outcome) => {
      if (outcome.kind === 'acked') resolve();
      else reject(new Error(`an order ended ${outcome.kind}`));
    });
  });
}
