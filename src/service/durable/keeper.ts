// Who keeps the exchange's past: in memory, for as long as the process lives, or on a disk.

import type { Service } from '../service.ts';
import { Recorder } from './recorder.ts';
import type { RowWriter } from './rowStore.ts';

export interface Keeper {
  /** Something may have changed: called when a request or a time has been worked off. */
  look(): void;
}

/** Changes that add up before what is over is put away. */
const BATCH = 512;

/** Orders that are over, trades and profit history go where they take little room; nothing lasts. */
export class PastKeeper implements Keeper {
  readonly #recorder: Recorder;
  readonly #rows: RowWriter;

  constructor(service: Service, rows: RowWriter) {
    this.#recorder = new Recorder(service);
    this.#rows = rows;
  }

  look(): void {
    if (this.#recorder.waiting >= BATCH) this.#recorder.writePast(this.#rows);
  }
}
