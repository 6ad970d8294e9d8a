// Simulates one process of the production bot. A test can start a second process beside it and kill it.

import { basename } from 'node:path';
import { strategyPlanOf } from '../../../src/definition/load/strategies.ts';
import { ConfigError } from '../../../src/base/errors.ts';
import type { ComposeModule } from '../../../src/definition/plan/module.ts';
import type { OrderId } from '../../../src/model/order.ts';
import type { OpenedJournal } from '../../../src/adapters/journal/openJournal.ts';
import { readLiveConfig } from '../../../src/tasks/bot/config/liveConfig.ts';
import { runPrefixOf } from '../../../src/protocol/clientOrderId.ts';
import { SimulatedProcess, type OpenJournalAs, type ProcessParts } from '../../../src/worlds/computer/simulatedProcess.ts';
import type { SimulatedNetwork } from './network.ts';
import type { Trader } from './trader.ts';

/** Added to a process number to get the number of a second process of the same bot. */
const SECOND_PROCESS_OFFSET = 1_000_000;
/** Maximum number of bars in each feed: more than the minutes of a day, so that no bar is dropped. */
const MAX_FEED_BARS = 4096;

/** The computer, the network and the config of a process. */
export interface BotProcessDeps extends ProcessParts {
  readonly network: SimulatedNetwork;
  readonly configFile: string;
  readonly strategy: typeof Trader;
  /** The user's module between the bot and its exchange adapter; null without one. */
  readonly module: ComposeModule | null;
  /** True if the operator accepts a change of the feeds. */
  readonly acceptsChanges: boolean;
  /** True while the process of this number runs. */
  readonly isRunning: (processNumber: number) => boolean;
}

/** One process of the bot. */
export class BotProcess extends SimulatedProcess {
  readonly processNumber: number;
  /** True once a kill was requested. A kill runs asynchronously and continues after its reply. */
  isKilled = false;
  /** True while a kill that closes positions is running. */
  isFlattening = false;
  #isKillDone = false;
  #idPrefix: string | null = null;
  #openAs: ((pid: number) => OpenedJournal) | null = null;
  readonly #deps: BotProcessDeps;

  constructor(deps: BotProcessDeps) {
    super(deps);
    this.processNumber = deps.number;
    this.#deps = deps;
  }

  /** Returns true while promises of this process still need turns of the event loop. Side effect: remembers that a kill has ended. */
  needsEventLoop(): boolean {
    if (this.pending > 0) return true;
    if (!this.isKilled || this.#isKillDone) return false;
    this.#isKillDone = this.control?.ownKill?.phase === 'done';
    return !this.#isKillDone;
  }
  /** The first strategy of the bot, the only one on most days; null until it is open. */
  get trader(): Trader | null {
    return this.traders[0] ?? null;
  }
  /** The strategies of the bot; none until it is open. */
  get traders(): readonly Trader[] {
    return (this.opened?.bot.deps.engine.runs ?? []).map(({ instance }) => instance as Trader);
  }
  /** Returns the texts of the fills of an order that its strategy was notified of. */
  notifiedOf(order: OrderId): readonly string[] {
    return this.traders.flatMap(({ notified }) => notified.get(order) ?? []);
  }

  /** The beginning of the client order ids of this bot; null until it is open. */
  get idPrefix(): string | null {
    const deps = this.opened?.bot.deps;
    if (deps !== undefined) this.#idPrefix ??= runPrefixOf(deps.clientOrderIdOf);
    return this.#idPrefix;
  }

  /** Opens the bot from its config. */
  async open(): Promise<void> {
    const { configFile, network, strategy, module, acceptsChanges } = this.#deps;
    const config = readLiveConfig(configFile, {});
    return this.openBot({
      // The simulation passes the module itself, so the file with this name does not exist.
      config: module === null ? config : { ...config, definition: { ...config.definition, modules: ['module.ts'] } },
      load: async (entry, source) => ({
        plan: strategyPlanOf(entry, { strategy, name: nameOf(entry.file), hash: 'trader' }, source),
        inputs: [],
        folder: '.',
      }),
      ...(module === null ? {} : { modules: new Map([[0, { module, hash: 'module' }]]) }),
      capacityRows: MAX_FEED_BARS,
      wire: network.wireOf(this),
      isPretty: false,
      acceptChanges: acceptsChanges,
      openJournal: (open) => this.#openJournal(open),
    });
  }

  /** Opens the journal, and keeps the function with which a second process tries the same. */
  #openJournal(open: OpenJournalAs): OpenedJournal {
    const findProcess = ({ pid }: { readonly pid: number }): 'running' | 'gone' => (this.#deps.isRunning(pid) ? 'running' : 'gone');
    this.#openAs = (pid) => open({ self: { pid, started: String(pid), namespace: 'n', boot: 'b', host: 'world' }, findProcess });
    return this.#openAs(this.processNumber);
  }

  /** Starts a second process of the same bot. Returns true if it could open the journal. */
  startSecond(): boolean {
    let hasOpened = false;
    this.run(() => {
      try {
        this.#openAs?.(SECOND_PROCESS_OFFSET + this.processNumber);
        hasOpened = this.#openAs !== null;
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
      }
    });
    return hasOpened;
  }
}

/** Returns the name of a strategy: that of its file, with a capital as first letter. */
const nameOf = (file: string): string => basename(file, '.ts').replace(/^./, (letter) => letter.toUpperCase());
