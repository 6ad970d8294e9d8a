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
import { FUTURES, ACCOUNT_NAMES, type AccountName, NumbersWorld, settingsOf, SPOT } from './numbersWorld.ts';

/** `npm run campaign -- exchangeNumbers --cases 1000000` sets both variables. */
const SEED = Number(process.env['ISOBAR_SEED'] ?? 1);
const CASES = Number(process.env['ISOBAR_CASES'] ?? 4000);
/** Limits on one reply: its CPU time, and the longest time of all replies in memory. */
const MAX_CPU_MS = 250;
const MAX_WALL_MS = 2000;
/** Number of requests between two checks of the money, two restarts, two waits for the disk and two lines of progress. */
const CHECK_EVERY = 1000;
const RESTART_EVERY = 10_000;
const SYNC_EVERY = 250;
const PROGRESS_EVERY = 50_000;
/** Ids of orders that are kept for later requests. When there are more, the older half is dropped. */
const MAX_IDS = 400;
const FUNDING_MS = 8 * 3_600_000;
/** The codes of the specification. An answer with any other code is an internal error. */
const KNOWN_CODES: ReadonlySet<number> = new Set(Object.values(VENUE_CODES).map(({ code }) => code));
const TRADERS = ACCOUNT_NAMES.filter((name) => name !== 'idle');

/** One seed: an exchange, the oracle of its money, and counts of what was seen. */
class Campaign {
  readonly world: NumbersWorld;
  readonly oracle: MoneyOracle;
  readonly rng: Rng;
  readonly codes = new Map<number, number>();
  readonly ids: string[] = [];
  slowestCpuMs = 0;
  slowestWallMs = 0;

  constructor(seed: number, folder: string | null) {
    this.world = new NumbersWorld(seed, folder);
    this.oracle = new MoneyOracle(this.world);
    this.rng = seededRng(seed);
  }

  async run(cases: number, restartEvery: number): Promise<void> {
    const { world, oracle } = this;
    for (let caseNumber = 1; caseNumber <= cases; caseNumber++) {
      this.#sendRandomRequest();
      if (caseNumber % SYNC_EVERY === 0) await world.untilDurable();
      if (caseNumber % CHECK_EVERY === 0) this.#checkMoney();
      if (caseNumber % restartEvery === 0) await this.#restart();
      if (caseNumber % PROGRESS_EVERY === 0) console.log(`${caseNumber} of ${cases}, ${oracle.trades} own trades`);
    }
    this.#checkMoney();
    expect(oracle.trades, 'own trades').toBeGreaterThan(cases / 100);
    for (const { wireName } of [...SPOT, ...FUTURES])
      expect(oracle.tradesOf.get(wireName), `own trades of ${wireName}`).toBeGreaterThan(cases / 4000);
  }

  /** Sends one random request, and checks the time, the numbers and the code of its reply. */
  #sendRandomRequest(): void {
    const { world, rng } = this;
    this.#advanceTime();
    const request = drawRequest(rng, this.#meaningfulValues);
    const name = TRADERS[Math.floor(rng.next() * TRADERS.length)]!;
    const answer = world.send(request.method, request.target, request.body, request.isSigned ? name : null);
    const requestText = `${name} ${request.method} ${request.target} ${request.body}: ${answer.status} ${answer.body.slice(0, 300)}`;
    this.slowestCpuMs = Math.max(this.slowestCpuMs, answer.cpuMs);
    this.slowestWallMs = Math.max(this.slowestWallMs, answer.wallMs);
    if (world.errors.length > 0) throw new Error(requestText, { cause: world.errors[0]!.cause });
    if (answer.cpuMs > MAX_CPU_MS) throw new Error(`${answer.cpuMs} ms of CPU: ${requestText}`);
    if (/Infinity|NaN|undefined|\d[eE][+-]?\d/.test(answer.body)) throw new Error(requestText);
    const code = Number(/^\{"code":"?(-?\d+)/.exec(answer.body)?.[1] ?? 0);
    if (code !== 0 && (!KNOWN_CODES.has(code) || code === VENUE_CODES.unknown.code)) throw new Error(requestText);
    this.codes.set(code, (this.codes.get(code) ?? 0) + 1);
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

  /** Advances time by a little, sometimes past a mark, and seldom past a funding time. */
  #advanceTime(): void {
    const { world, rng } = this;
    const timeDraw = rng.next();
    let ms = 1000;
    if (timeDraw < 0.00001) ms = FUNDING_MS;
    else if (timeDraw >= 0.02) ms = Math.floor(rng.next() * 20);
    const isFunded = Math.floor((world.nowMs + ms) / FUNDING_MS) > Math.floor(world.nowMs / FUNDING_MS);
    if (!isFunded) return world.advance(ms);
    this.oracle.check();
    world.advance(ms);
    this.oracle.bookFunding();
  }

  readonly #meaningfulValues: MeaningfulValues = {
    names: (market) => (market === 'spot' ? SPOT : FUTURES).map(({ wireName }) => wireName),
    price: (name) => {
      const { service } = this.world;
      const market = service.spot.market(name) ?? service.futures.market(name)!;
      const { instrument, referencePrice } = market;
      const ticks = referencePrice > 0 ? referencePrice : 10_000;
      return fromScaled(ticks, instrument.priceDigits);
    },
    ids: this.ids,
  };

  /** Checks the money of all accounts by the oracle and by the exchange's own audit. */
  #checkMoney(): void {
    const { world, oracle } = this;
    oracle.check();
    checkExchangeBooks(world.service.sides);
    if (world.errors.length > 0) throw new Error('while the accounts were read', { cause: world.errors[0]!.cause });
  }

  /** Restarts the exchange, and checks that its state is the same afterwards. */
  async #restart(): Promise<void> {
    const { world } = this;
    const { service: config } = settingsOf(SEED);
    await world.untilDurable();
    // Leaves out the trades, because the market adds its own when it opens.
    const { trades: _, ...stateBefore } = truthOfMarkets(world.service, config);
    await world.restart();
    expect(truthOfMarkets(world.service, config)).toMatchObject(stateBefore);
    this.#checkMoney();
  }

  /** Returns the counts of the campaign. `kind`: where the exchange keeps its state, `memory` or `folder`. */
  result(kind: string, cases: number): Readonly<Record<string, unknown>> {
    return {
      kind,
      cases,
      seed: SEED,
      trades: this.oracle.trades,
      tradesOf: Object.fromEntries(this.oracle.tradesOf),
      slowestCpuMs: Math.round(this.slowestCpuMs * 10) / 10,
      slowestWallMs: Math.round(this.slowestWallMs * 10) / 10,
      codes: Object.fromEntries([...this.codes].toSorted(([a], [b]) => b - a)),
    };
  }
}

/** Records a result, and prints it in a campaign. */
function recordAndPrint(result: Readonly<Record<string, unknown>>): void {
  recordResult(result);
  if (process.env['ISOBAR_CASES'] !== undefined) console.log(JSON.stringify(result));
}

test(`${CASES} well-formed requests with numbers of any size conserve money (seed ${SEED})`, { timeout: 0 }, async () => {
  const campaign = new Campaign(SEED, null);
  await campaign.run(CASES, Infinity);
  await campaign.world.close();
  recordAndPrint(campaign.result('memory', CASES));
  expect(campaign.slowestWallMs).toBeLessThan(MAX_WALL_MS);
});

test(`an exchange with a folder conserves money over restarts every ${RESTART_EVERY} requests (seed ${SEED})`, { timeout: 0 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isobar-numbers-'));
  try {
    const campaign = new Campaign(SEED + 1, join(folder, 'data'));
    try {
      await campaign.run(CASES, CASES < RESTART_EVERY ? CASES / 4 : RESTART_EVERY);
    } finally {
      await campaign.world.close();
    }
    recordAndPrint(campaign.result('folder', CASES));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
