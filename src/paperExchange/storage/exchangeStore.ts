// A persistent exchange: opens the exchange store, restores a new service from it, and starts writing behind its end.

import { appendAll } from '../../base/memory/appendAll.ts';
import type { Disk } from '../../ports/disk.ts';
import type { Service } from '../service.ts';
import { StoreWriter, type StoreWriterOptions } from './storeWriter.ts';
import { readStore, type StoreReading } from './readStore.ts';
import { Recorder } from './recorder.ts';
import { restoreService } from './restore.ts';
import { storedDigitsOf } from './recordTable.ts';
import { Segments } from './segments.ts';

/** What the store knows of earlier processes. */
export interface StoreHistory {
  /** Time of the last frame, ms. The exchange resumes there. */
  readonly lastMs: number;
  /** Time of the first opening, ms. */
  readonly openedMs: number;
  /** Number of restarts, including this one. */
  readonly restarts: number;
}

/** The store of one exchange, as it was found on the disk. */
export class ExchangeStore {
  /** Null if the folder has no history. */
  readonly history: StoreHistory | null;
  /** Description of a torn write; null if no write was torn. */
  readonly tornWrite: string | null;
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #reading: StoreReading;

  /** Reads the store. Throws ConfigError if its files are damaged or from another version. */
  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
    this.#reading = readStore(disk, folder);
    const { segments, ending, tornWrite } = this.#reading;
    const head = segments.at(-1)?.head;
    this.history = head === undefined ? null : { lastMs: ending.timeMs, openedMs: head.openedMs, restarts: head.restarts + 1 };
    this.tornWrite = tornWrite;
  }

  /**
   * Restores a service, whose time must be that of the last frame, and starts to write. Throws ConfigError if the
   * store does not fit the config.
   */
  restoreAndWrite(service: Service, options: Omit<StoreWriterOptions, 'folder'>): StoreWriter {
    const { archives, segments: readSegments, ending, bytes: priorBytes, nextNumber, obsolete } = this.#reading;
    const segments = new Segments(this.#disk);
    appendAll(segments.all, [...archives, ...readSegments]);
    service.archive.reader = segments;
    restoreService(service, this.#reading, this.#disk);
    for (const name of obsolete) this.#disk.remove(`${this.#folder}/${name}`);
    const start = {
      number: nextNumber,
      priorBytes,
      priorPath: readSegments.at(-1)?.path ?? null,
      seal: ending,
      head: {
        openedMs: this.history?.openedMs ?? service.nowMs,
        restarts: this.history?.restarts ?? 0,
        instruments: service.markets.map(({ instrument }) => storedDigitsOf(instrument)),
        uids: service.accounts.map(({ uid }) => uid),
      },
    };
    const deps = { disk: this.#disk, segments, recorder: new Recorder(service), nowMs: () => service.nowMs };
    const writer = new StoreWriter(deps, start, { ...options, folder: this.#folder });
    service.usePersistence(writer, segments);
    return writer;
  }
}
