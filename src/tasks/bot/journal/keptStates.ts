// Journals the kept state of strategies at the end of each instant that has changed it.

import type { FileJournal } from '../../../adapters/journal/fileJournal.ts';
import type { Engine } from '../../../engine/engine.ts';
import { isFullyRecorded, keptPoint } from '../../../engine/host/keptState.ts';

/** The kept states of one bot. */
export class KeptStates {
  readonly #engine: Engine;
  readonly #journal: Pick<FileJournal, 'kept'>;
  /** The states that were journalled last, as text. */
  #journalledText = '';

  constructor(engine: Engine, journal: Pick<FileJournal, 'kept'>) {
    this.#engine = engine;
    this.#journal = journal;
  }

  /** Journals the states at the instant `atMs`, unless they are as before. */
  journalChanges(atMs: number): void {
    const engine = this.#engine;
    if (engine.runs.every(({ kept }) => kept === null)) return;
    const point = keptPoint(engine);
    const text = [...point.states, ...point.draws].join(' ');
    if (text === this.#journalledText) return;
    this.#journalledText = text;
    this.#journal.kept({ atMs, whole: isFullyRecorded(engine), ...point });
  }
}
