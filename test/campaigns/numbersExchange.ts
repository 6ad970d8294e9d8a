// The exchange of the campaign exchangeNumbers, whose requests have numbers of any size. It has every kind of instrument and accounts of every
// size, runs in this process, and keeps its state in a folder or in memory.

import { createHmac } from 'node:crypto';
import { assembleExchange } from '../../src/paperExchange/process/assemble.ts';
import { type RunningStore, storeInScratchFile, storeInFolder } from '../../src/paperExchange/process/persistence.ts';
import type { ExchangeSettings, InstrumentPrices } from '../../src/paperExchange/process/file/settings.ts';
import type { Instrument } from '../../src/model/instrument.ts';
import { spotPair } from '../../src/paperExchange/process/demo.ts';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { contractInstrument, type ContractEntry } from '../../src/paperExchange/process/file/contractEntry.ts';
import { SERVICE_DEFAULTS } from '../../src/paperExchange/dialect/config.ts';
import { Faults } from '../../src/paperExchange/faults/faults.ts';
import type { InternalError } from '../../src/paperExchange/internalError.ts';
import { profileOf } from '../../src/paperExchange/dialect/profile.ts';
import type { Service } from '../../src/paperExchange/service.ts';

/** The time at which every run starts, ms UTC. */
export const START_MS = 1_767_571_200_000;

/** Rate limits under which no call has to wait. */
const NO_LIMITS = Object.fromEntries(OPS.map((op) => [endpointOf(op).limit.rateClass, null]));

/** Returns a spot pair whose takers pay more than its makers. */
const takerPair = (base: string, priceDigits: number, quantityDigits: number): Instrument => ({
  ...spotPair(base, priceDigits, quantityDigits),
  takerFeePpm: 2000,
});
const CONTRACT_ENTRIES: readonly ContractEntry[] = [
  { contractName: 'E-BTC-USDT', multiplier: '0.0001', priceDigits: 1, maxMarketVolume: 1_000_000 },
  { contractName: 'E-ALT-USDT', multiplier: '10', priceDigits: 5 },
  { contractName: 'E-BTC-USD', multiplier: '100', priceDigits: 1, inverse: true },
  { contractName: 'E-SAT-USD', multiplier: '1', priceDigits: 0, inverse: true },
];
/** Pairs with usual digits, and one with a tiny price and whole coins. */
export const SPOT_PAIRS: readonly Instrument[] = [takerPair('BTC', 2, 5), takerPair('ALT', 2, 4), takerPair('SHB', 8, 0)];
/** Linear and inverse contracts with small and large multipliers. */
export const CONTRACTS: readonly Instrument[] = CONTRACT_ENTRIES.map((entry, index) => contractInstrument(entry, index, 'numbers'));

/** The deposits of each account, by market and asset. All deposits of an asset add up to nearly the largest amount that can be represented. */
const DEPOSITS = {
  whale: {
    spot: { USDT: '60000000', BTC: '50000000', ALT: '1000000', SHB: '40000000' },
    futures: { USDT: '50000000', BTC: '40000000', SAT: '1000000' },
  },
  trader: { spot: { USDT: '1000000', BTC: '100', ALT: '1000', SHB: '1000000' }, futures: { USDT: '1000000', BTC: '100', SAT: '1000' } },
  other: { spot: { USDT: '1000000', BTC: '100', ALT: '1000', SHB: '1000000' }, futures: { USDT: '1000000', BTC: '100', SAT: '1000' } },
  small: { spot: { USDT: '100', BTC: '0.01' }, futures: { USDT: '100', BTC: '0.01' } },
  poor: { spot: {}, futures: {} },
  /** Never places an order, so its balances must not change. */
  idle: { spot: { USDT: '1000', BTC: '1' }, futures: { USDT: '1000' } },
} as const;
/** The name of an account. */
export type AccountName = keyof typeof DEPOSITS;
/** The names of all accounts. */
export const ACCOUNT_NAMES = Object.keys(DEPOSITS) as AccountName[];

/** Returns the deposits of an account by asset, as decimals. */
export const depositsOf = (name: AccountName, market: 'spot' | 'futures'): Readonly<Record<string, string>> => DEPOSITS[name][market];

/** Returns the settings of the exchange for a seed. */
export function settingsOf(seed: number): ExchangeSettings {
  const permissions = { read: true, trade: true, markets: ['spot', 'futures'] } as const;
  return {
    service: {
      ...SERVICE_DEFAULTS,
      instruments: [...SPOT_PAIRS, ...CONTRACTS],
      accounts: ACCOUNT_NAMES.map((name, index) => ({
        name,
        uid: String(10_001 + index),
        balances: depositsOf(name, 'spot'),
        futures: { balances: depositsOf(name, 'futures') },
        keys: [{ apiKey: `${name}-Key`, secret: `${name}-Secret`, permissions, ips: null }],
      })),
      profile: profileOf({ klinesRange: 'startEnd', strictTypes: false }),
      limits: NO_LIMITS,
    },
    prices: new Map<Instrument['id'], InstrumentPrices>([
      [SPOT_PAIRS[0]!.id, { kind: 'synthetic', price: '65000', quantity: 2 }],
      [CONTRACTS[0]!.id, { kind: 'synthetic', price: '65000', quantity: 20_000 }],
    ]),
    seed,
    speed: 1,
  };
}

/** Number of requests between two marks of the CPU time. */
const REQUESTS_PER_CPU_MARK = 25;
/** From this wall time on, the CPU time of a reply is read. A faster reply has taken at most its wall time, because one thread handles it. */
const MIN_SLOW_MS = 100;

/** A reply, and how long it took. */
export interface MeasuredReply {
  readonly status: number;
  readonly body: string;
  /** Upper bound of the CPU time. */
  readonly maxCpuMs: number;
  readonly wallMs: number;
}

/** An exchange in this process on a stopped clock, which can be closed and opened again from its folder. */
export class NumbersExchange {
  nowMs = START_MS;
  service: Service;
  readonly errors: InternalError[] = [];
  readonly #settings: ExchangeSettings;
  readonly #folder: string | null;
  #store: RunningStore;
  #requestCount = 0;
  #cpuAtMark = process.cpuUsage();

  constructor(seed: number, folder: string | null) {
    this.#settings = settingsOf(seed);
    this.#folder = folder;
    this.#store = this.#openStore();
    this.service = this.#openService();
  }

  #openStore(): RunningStore {
    if (this.#folder === null) return storeInScratchFile();
    const failed = (why: string): void => {
      throw new Error(why);
    };
    return storeInFolder({ folder: this.#folder, faults: new Faults(), crash: () => {}, failed });
  }

  #openService(): Service {
    const service = assembleExchange(this.#settings, this.nowMs, this.#store.binding);
    service.onInternalError = (error) => void this.errors.push(error);
    return service;
  }

  /** Advances the clock of the exchange, which then does what is due, such as funding. */
  advance(durationMs: number): void {
    this.nowMs += durationMs;
    this.service.advance(this.nowMs);
  }

  /** Resolves when everything up to now is durable. */
  untilDurable(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#store.whenDurable((isDurable) => (isDurable ? resolve() : reject(new Error('the store cannot be written'))));
    });
  }

  /** Stops the exchange and starts it again from its folder. */
  async restart(): Promise<void> {
    await this.close();
    this.#store = this.#openStore();
    this.service = this.#openService();
  }

  async close(): Promise<void> {
    await this.#store.close();
  }

  /** Sends a GET request, signed with the key of an account, or unsigned for null. */
  get(target: string, account: AccountName | null): MeasuredReply {
    return this.send('GET', target, '', account);
  }

  /** Sends a request, signed with the key of an account, or unsigned for null. */
  send(method: string, target: string, body: string, account: AccountName | null): MeasuredReply {
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (account !== null) {
      headers['x-ch-apikey'] = `${account}-Key`;
      headers['x-ch-ts'] = String(this.nowMs);
      headers['x-ch-sign'] = createHmac('sha256', `${account}-Secret`).update(`${this.nowMs}${method}${target}${body}`).digest('hex');
    }
    const request = { method, target, headers, body: Buffer.from(body), ip: '127.0.0.1' };
    // Reading the CPU time takes longer than most replies. So it is read every `REQUESTS_PER_CPU_MARK` requests and after slow replies.
    if (this.#requestCount++ % REQUESTS_PER_CPU_MARK === 0) this.#cpuAtMark = process.cpuUsage();
    const startMs = performance.now();
    const { status, body: replyBody } = this.service.handle(request, this.nowMs);
    const wallMs = performance.now() - startMs;
    const maxCpuMs = wallMs < MIN_SLOW_MS ? wallMs : this.#cpuMsSinceMark();
    return { status, body: replyBody, maxCpuMs, wallMs };
  }

  /** Returns the CPU time of the last few requests together, which is at least that of the last one. */
  #cpuMsSinceMark(): number {
    const { user, system } = process.cpuUsage(this.#cpuAtMark);
    return (user + system) / 1000;
  }
}
