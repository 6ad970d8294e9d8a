// Lets callers wait until records of the bot's journal are durable.

import type { FileJournal } from '../../../adapters/journal/fileJournal.ts';
import { ConfigError } from '../../../base/errors.ts';

/** A promise that waits until record `seq` is durable. */
interface DurableWait {
  readonly seq: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** The promises that wait for records of one journal. */
export class DurableWaits {
  readonly #journal: Pick<FileJournal, 'durableSeq' | 'failure'>;
  readonly #waits: DurableWait[] = [];

  constructor(journal: Pick<FileJournal, 'durableSeq' | 'failure'>) {
    this.#journal = journal;
  }

  /** Resolves when record `seq` is durable. Rejects if it never will be. */
  wait(seq: number): Promise<void> {
    const { durableSeq, failure } = this.#journal;
    if (durableSeq >= seq) return Promise.resolve();
    if (failure !== null) return Promise.reject(journalError(failure));
    return new Promise((resolve, reject) => this.#waits.push({ seq, resolve, reject }));
  }

  /** Called when records up to `seq` are durable. Resolves the promises that wait for them. */
  onDurable(seq: number): void {
    for (const wait of this.#waits.splice(0)) {
      if (wait.seq <= seq) wait.resolve();
      else this.#waits.push(wait);
    }
  }

  /** Called when the journal cannot be written any more. Rejects all waiting promises. */
  onFailure(reason: string): void {
    for (const { reject } of this.#waits.splice(0)) reject(journalError(reason));
  }
}

function journalError(reason: string): ConfigError {
  return new ConfigError(`the journal cannot be written: ${reason}`, 'free disk space or repair the disk, then restart the bot');
}
