// Moves the history of an exchange that is not persistent to compact rows: ended orders, trades and profits.

import type { ServiceConfig } from '../dialect/config.ts';
import { type Persistence, Service } from '../service.ts';
import { Recorder } from './recorder.ts';
import { MemoryRows, readerOf, type RowWriter } from '../records/rowStore.ts';

/** Number of changes that are collected before ended orders are archived. */
const CHANGES_PER_ARCHIVING = 512;

/** Moves ended orders, trades and profit history to compact rows. Nothing lasts longer than the process. */
export class HistoryArchiver implements Persistence {
  readonly #recorder: Recorder;
  readonly #rows: RowWriter;

  constructor(service: Service, rows: RowWriter) {
    this.#recorder = new Recorder(service);
    this.#rows = rows;
  }

  afterStep(): void {
    if (this.#recorder.waitingChangeCount >= CHANGES_PER_ARCHIVING) this.#recorder.writeArchive(this.#rows);
  }
}

/** Opens a service that stores its history in memory. Throws ConfigError as `Service` does. */
export function openMemoryService(config: ServiceConfig, startMs: number): Service {
  const service = new Service(config, startMs);
  const rows = new MemoryRows();
  service.usePersistence(new HistoryArchiver(service, rows), readerOf(rows, 'memory'));
  return service;
}
