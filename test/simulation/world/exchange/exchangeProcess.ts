// The process of the simulated exchange, with its prices and its disk. All clients of an exchange share it.

import type { KeyConfig, ServiceConfig } from '../../../../src/paperExchange/dialect/config.ts';
import type { Service } from '../../../../src/paperExchange/service.ts';
import { openMemoryService } from '../../../../src/paperExchange/storage/historyArchiver.ts';
import type { DueQueue } from '../../../../src/ports/dueQueue.ts';
import { FREE_REPLY, type ExchangeStorage, type HeldReply } from '../hard/exchangeStorage.ts';
import type { VenueTerms } from '../venueTerms.ts';
import { exchangeConfigOfDay } from './exchangeConfigOfDay.ts';
import { SeededPrices } from './seededPrices.ts';

/** Runs the production exchange. It may crash if it has a storage. */
export class ExchangeProcess {
  service: Service;
  readonly config: ServiceConfig;
  readonly prices: SeededPrices;
  /** The client whose order the exchange is placing, or 'person'. Null while it handles no request. */
  placingFor: object | 'person' | null = null;
  /** Null for an exchange that does not crash. */
  #storage: ExchangeStorage | null = null;

  constructor(seed: number, startMs: number, terms: VenueTerms, botKey: KeyConfig) {
    this.config = exchangeConfigOfDay(seed, terms, botKey);
    this.service = openMemoryService(this.config, startMs);
    this.prices = new SeededPrices(this.service, seed, startMs, terms.levelLots);
  }

  /** Time of the exchange's next event, ms UTC; Infinity while it is down. */
  get nextMs(): number {
    return this.isDown ? Infinity : (this.service.scheduler as DueQueue).nextMs;
  }
  /** True between a crash of the exchange and its next start. */
  get isDown(): boolean {
    return this.#storage?.isDown === true;
  }
  /** True if the exchange may crash. */
  get mayCrash(): boolean {
    return this.#storage !== null;
  }
  get crashCount(): number {
    return this.#storage?.crashes ?? 0;
  }

  /** Gives the exchange a disk. It must have no orders yet. */
  useStorage(storage: ExchangeStorage): void {
    this.#storage = storage;
    storage.open(() => this.service);
  }
  /** Holds the reply that the exchange has just given until all that it depends on is durable. */
  holdReply(): HeldReply {
    return this.#storage?.hold() ?? FREE_REPLY;
  }
  /** Replaces the service by one that continues what the disk has. Throws ConfigError if the store is refused. */
  restore(): void {
    this.service = this.#storage!.open((history) => openMemoryService(this.config, history!.lastMs));
  }
  /** Lets a restored service run from `nowMs` on. */
  resume(nowMs: number): void {
    this.service.advance(nowMs);
    this.prices.followAgain(this.service);
  }
}
