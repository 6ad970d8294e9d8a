// The simulated computer of a user's bot. Its only process is the bot, which loads the user's strategies.

import type { LateReplyWire } from '../../adapters/exchange/wire/lateReplyWire.ts';
import type { LiveConfig } from '../../tasks/bot/config/liveConfig.ts';
import type { LiveOptions } from '../../tasks/bot/openLiveBot.ts';
import { SimulatedProcess, type OpenJournalAs, type ProcessParts } from './simulatedProcess.ts';

/** Collaborators of `BotComputer`. */
export interface BotComputerParts extends ProcessParts {
  readonly config: LiveConfig;
  readonly load: NonNullable<LiveOptions['load']>;
  /** Maximum number of bars in each feed. */
  readonly capacityRows: number;
  /** Returns the connections of a process to the exchange. */
  readonly wireOf: (process: { readonly isDead: boolean }) => LateReplyWire;
}

/** One process of a user's bot. */
export class BotComputer extends SimulatedProcess {
  readonly #parts: BotComputerParts;

  constructor(parts: BotComputerParts) {
    super(parts);
    this.#parts = parts;
  }

  /** Opens the bot. Rejects with the errors of `openLiveBot`. */
  async open(): Promise<void> {
    const { config, load, capacityRows, wireOf, number } = this.#parts;
    const self = { pid: number, started: String(number), namespace: 'n', boot: 'b', host: 'simulated' };
    const openJournal = (open: OpenJournalAs) => open({ self, findProcess: () => 'gone' });
    return this.openBot({ config, load, capacityRows, wire: wireOf(this), isPretty: true, openJournal });
  }
}
