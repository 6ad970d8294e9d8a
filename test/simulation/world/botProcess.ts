// One process of the production bot in the world: a simulated process beside which a second one may be started, and which kills may end.

import { strategyPlanOf } from '../../../src/definition/load/strategies.ts';
import { ConfigError } from '../../../src/base/errors.ts';
import type { OpenedJournal } from '../../../src/adapters/journal/openJournal.ts';
import { readLiveConfig } from '../../../src/tasks/bot/config/read.ts';
import { SimulatedProcess, type OpenJournalAs, type ProcessParts } from '../../../src/worlds/computer/simulatedProcess.ts';
import type { SimulatedNetwork } from './network.ts';
import type { Trader } from './trader.ts';

/** Numbers of processes that are started beside the one that runs. */
const SECOND = 1_000_000;

export interface BotProcessParts extends ProcessParts {
  readonly network: SimulatedNetwork;
  readonly configFile: string;
  readonly strategy: typeof Trader;
  /** Whether the process of this number runs. */
  readonly runs: (number: number) => boolean;
}

export class BotProcess extends SimulatedProcess {
  readonly number: number;
  /** A kill was requested. Its work is one of promises, and continues after the answer. */
  isKilled = false;
  /** A kill that closes positions is under way. */
  flattens = false;
  #isKillDone = false;
  #openAs: ((pid: number) => OpenedJournal) | null = null;
  readonly #parts: BotProcessParts;

  constructor(parts: BotProcessParts) {
    super(parts);
    this.number = parts.number;
    this.#parts = parts;
  }

  /** Promises wait for something: they need turns of the event loop. */
  get isBusy(): boolean {
    if (this.pending > 0 || !this.isKilled || this.#isKillDone) return this.pending > 0;
    this.#isKillDone = this.control?.ownKill?.phase === 'done';
    return !this.#isKillDone;
  }
  get trader(): Trader | null {
    return (this.opened?.bot.deps.engine.runs[0]?.instance as Trader | undefined) ?? null;
  }

  async open(): Promise<void> {
    const { configFile, network, strategy } = this.#parts;
    return this.openBot({
      config: readLiveConfig(configFile, {}),
      load: async (entry, source) => ({
        plan: strategyPlanOf(entry, { strategy, name: 'Trader', hash: 'trader' }, source),
        inputs: [],
        folder: '.',
      }),
      room: 4096,
      wire: network.wireOf(this),
      isPretty: false,
      openJournal: (open) => this.#openJournal(open),
    });
  }

  #openJournal(open: OpenJournalAs): OpenedJournal {
    const findProcess = (other: { readonly pid: number }): 'running' | 'gone' => (this.#parts.runs(other.pid) ? 'running' : 'gone');
    this.#openAs = (pid) => open({ self: { pid, started: String(pid), namespace: 'n', boot: 'b', host: 'world' }, findProcess });
    return this.#openAs(this.number);
  }

  /** Another process of the same bot is started beside this one. Returns whether it got the journal. */
  startSecond(): boolean {
    let hasOpened = false;
    this.run(() => {
      try {
        this.#openAs?.(SECOND + this.number);
        hasOpened = this.#openAs !== null;
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
      }
    });
    return hasOpened;
  }
}
