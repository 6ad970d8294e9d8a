// CPU time from an order to its signed bytes on the socket, through the client of the exchange and through ccxt's createOrder.

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
import { Part } from './parts.ts';
import { installed } from './workspace.ts';

const ROOT = new URL('..', import.meta.url).pathname;
/** The bench as it was bundled, which its parts need not do again. */
const SELF = fileURLToPath(import.meta.url);
/** Both are V8-warm after these. */
const WARM_ORDERS = 12_000;
const ORDERS = 1000;
const ROUNDS = 15;
/** The key and secret of the exchange's public documentation. */
const KEY = 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A';
const SECRET = '902ae3cb34ecee2779aa4d3e1d226686';
/** What ccxt says of an order beyond what it was asked for. */
const CCXT_ADDS = ['recvWindow', 'amount', 'leverage'];

/** Process CPU time, user and system, for each order: the best of the rounds, which other processes disturbed least. */
interface BesideCcxt {
  readonly cpuUsOurs: number;
  readonly cpuUsCcxt: number;
  readonly ratio: number;
}

/** Until the signed bytes are on the socket; `toAnswer`: until the answer is read, too, which is mostly the work of the kernel. */
export interface RestCreateFigures extends BesideCcxt {
  readonly toAnswer: BesideCcxt;
}

/** Null, with the reason on stderr, where ccxt cannot be installed. Throws where the service did not get the same orders, rightly signed. */
export async function restCreate(print: (text: string) => void): Promise<RestCreateFigures | null> {
  if (!installed(CCXT, print)) return null;
  const stub = new Part([SELF, '--rest-part', 'stub']);
  const origin = await stub.line();
  const ours = new Part([SELF, '--rest-part', 'ours', origin]);
  const ccxt = ccxtPart(origin);
  try {
    for (const part of [ours, ccxt]) await part.line();
    await stub.ask('forget');
    await demandEqual(stub, ours, ccxt);
    for (const part of [ours, ccxt]) await part.ask(WARM_ORDERS);
    const rounds: Round[] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push({ ours: await timesOf(ours), ccxt: await timesOf(ccxt) });
    return { ...best(rounds, 'toSocketUs'), toAnswer: best(rounds, 'toAnswerUs') };
  } finally {
    for (const part of [ours, ccxt, stub]) part.end();
  }
}

export interface Rhythm {
  readonly warm: number;
  readonly rounds: number;
  /** Orders of one round. */
  readonly orders: number;
  readonly pauseMs: number;
}

/**
 * ccxt's part alone, one order at a time with pauses: CPU time of a call of createOrder, and of that up to its bytes on the socket, each the
 * median of the best round. Null, with the reason on stderr, where ccxt cannot be installed.
 */
export async function ccxtCreateOrder(
  print: (text: string) => void,
  { warm, rounds, orders, pauseMs }: Rhythm,
): Promise<OrderTimes | null> {
  if (!installed(CCXT, print)) return null;
  const stub = new Part([SELF, '--rest-part', 'stub']);
  const ccxt = ccxtPart(await stub.line());
  const one = async (): Promise<OrderTimes> => {
    await setTimeout(pauseMs);
    return JSON.parse(await ccxt.ask(1)) as OrderTimes;
  };
  try {
    await ccxt.line();
    for (let order = 0; order < warm; order++) await one();
    const found: OrderTimes[] = [];
    for (let round = 0; round < rounds; round++) {
      const times: OrderTimes[] = [];
      for (let order = 0; order < orders; order++) times.push(await one());
      const median = (name: keyof OrderTimes): number => times.map((time) => time[name]).toSorted((a, b) => a - b)[orders >> 1]!;
      found.push({ toSocketUs: median('toSocketUs'), toAnswerUs: median('toAnswerUs') });
    }
    const min = (name: keyof OrderTimes): number => Math.min(...found.map((times) => times[name]));
    return { toSocketUs: min('toSocketUs'), toAnswerUs: min('toAnswerUs') };
  } finally {
    for (const part of [ccxt, stub]) part.end();
  }
}

const CCXT = { folder: join(ROOT, 'test/ccxt'), shows: 'ccxt', what: 'ccxt (70 MB) into test/ccxt/node_modules' };
const ccxtPart = (origin: string): Part => new Part([join(ROOT, 'test/ccxt/createOrders.mjs'), origin, KEY, SECRET]);

interface Round {
  readonly ours: OrderTimes;
  readonly ccxt: OrderTimes;
}

const timesOf = async (part: Part): Promise<OrderTimes> => JSON.parse(await part.ask(ORDERS)) as OrderTimes;

function best(rounds: readonly Round[], name: keyof OrderTimes): BesideCcxt {
  const cpuUsOurs = Math.min(...rounds.map(({ ours }) => ours[name]));
  const cpuUsCcxt = Math.min(...rounds.map(({ ccxt }) => ccxt[name]));
  return { cpuUsOurs, cpuUsCcxt, ratio: cpuUsOurs / cpuUsCcxt };
}

interface Received {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The first orders of both, as the service got them: the same, by the same credentials, with signatures that are right. */
async function demandEqual(stub: Part, ours: Part, ccxt: Part): Promise<void> {
  const received: Received[][] = [];
  for (const part of [ours, ccxt]) {
    await part.ask(20);
    received.push(JSON.parse(await stub.ask('tell')) as Received[]);
  }
  const [mine, theirs] = received.map((requests) => requests.filter(({ method }) => method === 'POST'));
  if (mine?.length !== 20 || theirs?.length !== 20)
    throw new Error(`the service got ${mine?.length} and ${theirs?.length} orders, not 20 each`);
  for (const [at, request] of mine.entries()) {
    const [a, b] = [reply(request, []), reply(theirs[at]!, CCXT_ADDS)];
    if (a !== b) throw new Error(`order ${at} is not the same: ${a} and, of ccxt, ${b}`);
  }
  for (const request of [...mine, ...theirs]) {
    if (!isRight(request)) throw new Error(`a wrong signature: ${JSON.stringify(request)}`);
  }
}

/** The order, whatever the order of its members and whether its numbers are text. */
function reply({ method, target, headers, body }: Received, without: readonly string[]): string {
  const members = Object.entries(JSON.parse(body) as Record<string, unknown>).filter(([name]) => !without.includes(name));
  const order = members.map(([name, value]) => `${name}=${String(value)}`).toSorted();
  return [method, target, headers['x-ch-apikey'], ...order].join(' ');
}

function isRight({ method, target, headers, body }: Received): boolean {
  const message = signedBytes({ timestamp: headers['x-ch-ts'] ?? '', method, path: target }, Buffer.from(body));
  return isSameSignature(createHmac('sha256', SECRET).update(message).digest('hex'), headers['x-ch-sign'] ?? '');
}

/** One of the processes: the service, or our client. */
export async function restPart(part: string, origin: string | undefined, folder: string): Promise<void> {
  if (part === 'stub') await serve();
  else if (part === 'ours' && origin !== undefined) await createOrders(origin, folder);
  else throw new Error(`no part is called ${part}`);
}

/** Prints its address; then, for each line of its input, the requests since the last one if the line asks for them. Any line drops them. */
async function serve(): Promise<void> {
  const contract =
    '[{"symbol":"E-BTC-USDT","pricePrecision":1,"side":1,"maxMarketVolume":5000000,"multiplier":0.0001,"maxLever":150,"minOrderVolume":1,' +
    '"marginCoin":"USDT","type":"E","multiplierCoin":"BTC","contractId":1,"minLever":1,"status":1}]';
  const stub = await StubExchange.start((socket, { target }) => {
    if (target.endsWith('/contracts')) socket.write(answerBytes(200, contract));
    else if (target.endsWith('/time')) socket.write(answerBytes(200, `{"timezone":"UTC","serverTime":${Date.now()}}`));
    else socket.write(answerBytes(200, '{"code":"0","msg":"Success","data":{"orderId":259396989397942275}}'));
    // Kept for who asks; of the thousands that are only timed, the last.
    if (stub.requests.length > 100) stub.requests.length = 0;
  });
  process.stdout.write(`${stub.origin}\n`);
  for await (const line of createInterface({ input: process.stdin })) {
    const requests = stub.requests.splice(0).map(({ method, target, headers, body }): Received => {
      const named = Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value]));
      return { method, target, headers: named, body: body.toString() };
    });
    process.stdout.write(`${line === 'tell' ? JSON.stringify(requests) : '[]'}\n`);
  }
  await stub.close();
}

/** The same orders as of ccxt's program, through everything that a bot's go through. */
async function createOrders(origin: string, folder: string): Promise<void> {
  const environment = { ISOBAR_API_KEY: KEY, ISOBAR_API_SECRET: SECRET, XDG_STATE_HOME: folder };
  const settings = accessSettings({ spotUrl: origin, futuresUrl: origin }, environment);
  // The limiter does its work, but has no cause to wait.
  const limits = { overrides: { 'futures.createOrder': { count: 1_000_000, windowMs: 100 } }, banMinMs: null };
  const exchange = openExchange({ ...settings, limits });
  await new Promise((resolve) => exchange.clock.measure('futures', resolve));
  process.stdout.write('ready\n');
  const timer = new OrderTimer((at) => create(exchange, at));
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await timer.run(Number(line)))}\n`);
  }
  await exchange.close();
}

function create({ client }: Exchange, at: number): Promise<void> {
  const order = {
    contractName: 'E-BTC-USDT',
    volume: String(1 + (at % 9)),
    price: `${65_000 + (at % 1000)}.5`,
    type: 'LIMIT',
    side: 'BUY',
    open: 'OPEN',
    positionType: 1,
    clientOrderId: `b-${at}`,
  } as const;
  return new Promise((resolve, reject) => {
    client.call('futures.createOrder', order, (outcome) => {
      if (outcome.kind === 'acked') resolve();
      else reject(new Error(`an order ended ${outcome.kind}`));
    });
  });
}
