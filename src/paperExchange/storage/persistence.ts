// Stores ended orders, trades and profit history in memory, for an exchange that is not persistent.

import type { ServiceConfig } from '../dialect/config.ts';
import { type Persistence, Service } from '../service.ts';
import { Recorder } from './recorder.ts';
import { MemoryRows, readerOf, type RowWriter } from '../records/rowStore.ts';

/** Number of changes that are collected before ended orders are archived. */
const BATCH = 512;

/** Moves ended orders, trades and profit history to compact rows. Nothing is durable. */
export class MemoryPersistence implements Persistence {
  readonly #recorder: Recorder;
  readonly #rows: RowWriter;

  constructor(service: Service, rows: RowWriter) {
    this.#recorder = new Recorder(service);
    this.#rows = rows;
  }

  afterStep(): void {
    if (this.#recorder.waiting >= BATCH) this.#recorder.writeArchive(this.#rows);
  }
}

/** Opens a service that stores its history in memory. Throws ConfigError as `Service` does. */
export function openService(config: ServiceConfig, startMs: number): Service {
  const service = new Service(config, startMs);
  const rows = new MemoryRows();
  service.usePersistence(new MemoryPersistence(service, rows), readerOf(rows, 'memory'));
  return service;
}
