// Journals the state that strategies keep, at the end of each instant at which it has changed.

import type { FileJournal } from '../../../adapters/journal/fileJournal.ts';
import type { Engine } from '../../../engine/engine.ts';
import { isFullyRecorded, keptPoint } from '../../../engine/host/kept.ts';

export class KeptStates {
  readonly #engine: Engine;
  readonly #journal: Pick<FileJournal, 'kept'>;
  #text = '';

  constructor(engine: Engine, journal: Pick<FileJournal, 'kept'>) {
    this.#engine = engine;
    this.#journal = journal;
  }

  note(atMs: number): void {
    const engine = this.#engine;
    if (engine.runs.every(({ kept }) => kept === null)) return;
    const point = keptPoint(engine);
    const text = [...point.states, ...point.draws].join(' ');
    if (text === this.#text) return;
    this.#text = text;
    this.#journal.kept({ atMs, whole: isFullyRecorded(engine), ...point });
  }
}
