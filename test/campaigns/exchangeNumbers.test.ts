// Tests requests with numbers of any size: no exit, no slow reply, no internal error, no lost money. npm run campaign -- exchangeNumbers.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seededRng, type Rng } from '../../src/base/number/rng.ts';
import { fromScaled } from '../../src/base/number/decimal.ts';
import { VENUE_CODES } from '../../src/model/venueCodes.ts';
import { checkExchangeBooks } from '../../src/paperExchange/checkBooks.ts';
import { truthOfMarkets } from '../../src/paperExchange/faults/truth.ts';
import { recordResult } from '../fixtures/campaignResults.ts';
import { MoneyOracle } from './numbersOracle.ts';
import { drawRequest, type DrawnRequest, type MeaningfulValues } from './numbersRequest.ts';
import { CONTRACTS, ACCOUNT_NAMES, type AccountName, NumbersExchange, settingsOf, SPOT_PAIRS } from './numbersExchange.ts';

/** `npm run campaign -- exchangeNumbers --cases 1000000` sets both variables. */
const SEED = Number(process.env['ISOBAR_SEED'] ?? 1);
const CASE_COUNT = Number(process.env['ISOBAR_CASES'] ?? 4000);
/** Limit on the CPU time of each reply. */
const MAX_CPU_MS = 250;
/** Limit on the wall time of each reply of an exchange in memory. */
const MAX_WALL_MS = 2000;
/** Number of requests between two checks of the money. */
const CHECK_EVERY = 1000;
/** Number of requests between two restarts. */
const RESTART_EVERY = 10_000;
/** Number of requests between two waits for the disk. */
const SYNC_EVERY = 250;
/** Number of requests between two lines of progress. */
const PROGRESS_EVERY = 50_000;
/** Number of order ids that are kept for later requests. When there are more, the older half is dropped. */
const MAX_IDS = 400;
const FUNDING_MS = 8 * 3_600_000;
/** The codes of the specification. An answer with any other code is an internal error. */
const KNOWN_CODES: ReadonlySet<number> = new Set(Object.values(VENUE_CODES).map(({ code }) => code));
const TRADERS = ACCOUNT_NAMES.filter((name) => name !== 'idle');

/** One seed: an exchange, the oracle of its money, and what the replies have shown. */
class Campaign {
  readonly exchange: NumbersExchange;
  readonly oracle: MoneyOracle;
  readonly rng: Rng;
  /** Number of replies, by code. */
  readonly countByCode = new Map<number, number>();
  /** Ids of accepted orders, for later requests. */
  readonly ids: string[] = [];
  slowestCpuMs = 0;
  slowestWallMs = 0;

  constructor(seed: number, folder: string | null) {
    this.exchange = new NumbersExchange(seed, folder);
    this.oracle = new MoneyOracle(this.exchange);
    this.rng = seededRng(seed);
  }

  async run(cases: number, restartEvery: number): Promise<void> {
    const { exchange, oracle } = this;
    for (let caseNumber = 1; caseNumber <= cases; caseNumber++) {
      this.#sendRandomRequest();
      if (caseNumber % SYNC_EVERY === 0) await exchange.untilDurable();
      if (caseNumber % CHECK_EVERY === 0) this.#checkMoney();
      if (caseNumber % restartEvery === 0) await this.#restart();
      if (caseNumber % PROGRESS_EVERY === 0) console.log(`${caseNumber} of ${cases}, ${oracle.trades} own trades`);
    }
    this.#checkMoney();
    expect(oracle.trades, 'own trades').toBeGreaterThan(cases / 100);
    for (const { wireName } of [...SPOT_PAIRS, ...CONTRACTS])
      expect(oracle.tradeCountBySymbol.get(wireName), `own trades of ${wireName}`).toBeGreaterThan(cases / 4000);
  }

  /** Sends one random request, and checks the time, the numbers and the code of its reply. */
  #sendRandomRequest(): void {
    const { exchange, rng } = this;
    this.#advanceTime();
    const request = drawRequest(rng, this.#meaningfulValues);
    const name = TRADERS[Math.floor(rng.next() * TRADERS.length)]!;
    const answer = exchange.send(request.method, request.target, request.body, request.isSigned ? name : null);
    const requestText = `${name} ${request.method} ${request.target} ${request.body}: ${answer.status} ${answer.body.slice(0, 300)}`;
    this.slowestCpuMs = Math.max(this.slowestCpuMs, answer.maxCpuMs);
    this.slowestWallMs = Math.max(this.slowestWallMs, answer.wallMs);
    if (exchange.errors.length > 0) throw new Error(requestText, { cause: exchange.errors[0]!.cause });
    if (answer.maxCpuMs > MAX_CPU_MS) throw new Error(`${answer.maxCpuMs} ms of CPU: ${requestText}`);
    if (/Infinity|NaN|undefined|\d[eE][+-]?\d/.test(answer.body)) throw new Error(requestText);
    const code = Number(/^\{"code":"?(-?\d+)/.exec(answer.body)?.[1] ?? 0);
    if (code !== 0 && (!KNOWN_CODES.has(code) || code === VENUE_CODES.unknown.code)) throw new Error(requestText);
    this.countByCode.set(code, (this.countByCode.get(code) ?? 0) + 1);
    if (code === 0) this.#recordAccepted(request, name, answer.body);
  }

  /** Records the ids of an accepted request for later requests, and a changed position mode. */
  #recordAccepted({ op, params: drawnParams }: DrawnRequest, name: AccountName, body: string): void {
    for (const [, id] of body.matchAll(/"?(?:orderId|triggerIds|ids)"?:\[?"?(\d{15,})/g)) this.ids.push(id!);
    if (this.ids.length > MAX_IDS) this.ids.splice(0, MAX_IDS / 2);
    const contractName = drawnParams.get('contractName')?.replaceAll('"', '') ?? '';
    if (op === 'futures.changePositionMode') {
      // An accepted number may be written as 1e0.
      const model = Number(drawnParams.get('positionModel')?.replaceAll('"', ''));
      this.oracle.recordModeChange(name, contractName, model === 1);
    }
  }

  /** Advances time by less than 20 ms, in 2 % of the calls by 1 s, and seldom past a funding time. */
  #advanceTime(): void {
    const { exchange, rng } = this;
    const timeDraw = rng.next();
    let ms = 1000;
    if (timeDraw < 0.00001) ms = FUNDING_MS;
    else if (timeDraw >= 0.02) ms = Math.floor(rng.next() * 20);
    const isFunded = Math.floor((exchange.nowMs + ms) / FUNDING_MS) > Math.floor(exchange.nowMs / FUNDING_MS);
    if (!isFunded) return exchange.advance(ms);
    this.oracle.check();
    exchange.advance(ms);
    this.oracle.bookFunding();
  }

  readonly #meaningfulValues: MeaningfulValues = {
    names: (market) => (market === 'spot' ? SPOT_PAIRS : CONTRACTS).map(({ wireName }) => wireName),
    price: (name) => {
      const { service } = this.exchange;
      const market = service.spot.market(name) ?? service.futures.market(name)!;
      const { instrument, referencePrice } = market;
      const ticks = referencePrice > 0 ? referencePrice : 10_000;
      return fromScaled(ticks, instrument.priceDigits);
    },
    ids: this.ids,
  };

  /** Checks the money of all accounts by the oracle and by the exchange's own check of its books. */
  #checkMoney(): void {
    const { exchange, oracle } = this;
    oracle.check();
    checkExchangeBooks(exchange.service.sides);
    if (exchange.errors.length > 0) throw new Error('while the accounts were read', { cause: exchange.errors[0]!.cause });
  }

  /** Restarts the exchange, and checks that its state is the same afterwards. */
  async #restart(): Promise<void> {
    const { exchange } = this;
    const { service: config } = settingsOf(SEED);
    await exchange.untilDurable();
    // Leaves out the trades, because the market adds its own when it opens.
    const { trades: _, ...stateBefore } = truthOfMarkets(exchange.service, config);
    await exchange.restart();
    expect(truthOfMarkets(exchange.service, config)).toMatchObject(stateBefore);
    this.#checkMoney();
  }

  /** Returns the counts of the campaign. `kind`: where the exchange keeps its state, `memory` or `folder`. */
  result(kind: string, cases: number): Readonly<Record<string, unknown>> {
    return {
      kind,
      cases,
      seed: SEED,
      trades: this.oracle.trades,
      tradesOf: Object.fromEntries(this.oracle.tradeCountBySymbol),
      slowestCpuMs: Math.round(this.slowestCpuMs * 10) / 10,
      slowestWallMs: Math.round(this.slowestWallMs * 10) / 10,
      codes: Object.fromEntries([...this.countByCode].toSorted(([a], [b]) => b - a)),
    };
  }
}

/** Records a result, and prints it in a campaign. */
function recordAndPrint(result: Readonly<Record<string, unknown>>): void {
  recordResult(result);
  if (process.env['ISOBAR_CASES'] !== undefined) console.log(JSON.stringify(result));
}

test(`${CASE_COUNT} well-formed requests with numbers of any size conserve money (seed ${SEED})`, { timeout: 0 }, async () => {
  const campaign = new Campaign(SEED, null);
  await campaign.run(CASE_COUNT, Infinity);
  await campaign.exchange.close();
  recordAndPrint(campaign.result('memory', CASE_COUNT));
  expect(campaign.slowestWallMs).toBeLessThan(MAX_WALL_MS);
});

test(`an exchange with a folder conserves money over restarts every ${RESTART_EVERY} requests (seed ${SEED})`, { timeout: 0 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-numbers-'));
  try {
    const campaign = new Campaign(SEED + 1, join(folder, 'data'));
    try {
      await campaign.run(CASE_COUNT, CASE_COUNT < RESTART_EVERY ? CASE_COUNT / 4 : RESTART_EVERY);
    } finally {
      await campaign.exchange.close();
    }
    recordAndPrint(campaign.result('folder', CASE_COUNT));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
