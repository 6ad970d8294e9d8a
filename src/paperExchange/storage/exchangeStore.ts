// An exchange that lasts: its record is opened, what it says is put into a new service, and everything from then on is written behind it.

import type { Disk } from '../../ports/disk.ts';
import type { Service } from '../service.ts';
import { StoreWriter, type StoreWriterOptions } from './storeWriter.ts';
import { readStore, type StoreReading } from './readStore.ts';
import { Recorder } from './recorder.ts';
import { restoreService } from './restore.ts';
import { instrumentRow, Segments } from './segments.ts';

/** What there was before. */
export interface StoreHistory {
  /** Time of the last frame, ms: where the exchange goes on. */
  readonly lastMs: number;
  /** When it was opened for the first time. */
  readonly openedMs: number;
  /** How often it has gone on, this time included. */
  readonly restarts: number;
}

export class ExchangeStore {
  /** Null: the folder has none. */
  readonly history: StoreHistory | null;
  /** What a write left that did not finish, in words; null: nothing. */
  readonly torn: string | null;
  readonly #disk: Disk;
  readonly #folder: string;
  readonly #reading: StoreReading;

  /** Reads what is there. Throws ConfigError at files that are not what an exchange has written. */
  constructor(disk: Disk, folder: string) {
    this.#disk = disk;
    this.#folder = folder;
    this.#reading = readStore(disk, folder);
    const { segments, ending, torn } = this.#reading;
    const head = segments.at(-1)?.head;
    this.history = head === undefined ? null : { lastMs: ending.timeMs, openedMs: head[6], restarts: head[7] + 1 };
    this.torn = torn;
  }

  /** Begins to write; a service at the time of the last frame becomes what the exchange was. Throws ConfigError. */
  begin(service: Service, options: Omit<StoreWriterOptions, 'folder'>): StoreWriter {
    const { pasts, segments: read, ending, bytes, nextNumber, needless } = this.#reading;
    const segments = new Segments(this.#disk);
    segments.all.push(...pasts, ...read);
    service.archive.reader = segments;
    restoreService(service, this.#reading, this.#disk);
    for (const name of needless) this.#disk.remove(`${this.#folder}/${name}`);
    const start = {
      number: nextNumber,
      priorBytes: bytes,
      priorPath: read.at(-1)?.path ?? null,
      seal: ending,
      openedMs: this.history?.openedMs ?? service.nowMs,
      restarts: this.history?.restarts ?? 0,
      instruments: service.markets.map(({ instrument }) => instrumentRow(instrument)),
      uids: service.accounts.map(({ uid }) => uid),
    };
    const journal = new StoreWriter(this.#disk, segments, new Recorder(service), start, () => service.nowMs, {
      ...options,
      folder: this.#folder,
    });
    service.usePersistence(journal, segments);
    return journal;
  }
}
