// Who keeps the exchange's past: in memory, for as long as the process lives, or on a disk.

import type { ServiceConfig } from '../dialect/config.ts';
import { type Persistence, Service } from '../service.ts';
import { Recorder } from './recorder.ts';
import { MemoryRows, type RowWriter } from '../orders/rowStore.ts';

/** Changes that add up before what is over is put away. */
const BATCH = 512;

/** Orders that are over, trades and profit history go where they take little room; nothing lasts. */
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

/** Opens a service that keeps its past in memory, for as long as the process lives. Throws ConfigError as `Service` does. */
export function openService(config: ServiceConfig, startMs: number): Service {
  const service = new Service(config, startMs);
  const rows = new MemoryRows();
  service.usePersistence(new MemoryPersistence(service, rows), rows);
  return service;
}
