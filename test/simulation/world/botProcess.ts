// One process of the production bot in the world: its own clock, its own connections, and the disk that outlives it.

import { getActiveResourcesInfo } from 'node:process';
import { setImmediate as turn } from 'node:timers/promises';
import { openJournal, type OpenedJournal } from '../../../src/adapters/journal/openJournal.ts';
import { strategyPlanOf } from '../../../src/definition/load/strategies.ts';
import { ConfigError } from '../../../src/base/errors.ts';
import type { DueQueue } from '../../../src/ports/dueQueue.ts';
import type { Scheduler } from '../../../src/ports/scheduler.ts';
import { LiveControl } from '../../../src/tasks/bot/botControls.ts';
import { readLiveConfig } from '../../../src/tasks/bot/config/read.ts';
import { openLiveBot, type OpenedBot } from '../../../src/tasks/bot/openLiveBot.ts';
import { LiveLog } from '../../../src/tasks/bot/run/log.ts';
import { Crash, type SimulatedDisk } from '../../fixtures/simulatedDisk.ts';
import type { SimulatedNetwork } from './network.ts';
import type { Trader } from './trader.ts';

const SEGMENT_BYTES = 128 * 1024;
/** Numbers of processes that are started beside the one that runs. */
const SECOND = 1_000_000;

export interface ProcessParts {
  readonly queue: DueQueue;
  readonly network: SimulatedNetwork;
  readonly disk: SimulatedDisk;
  readonly configFile: string;
  readonly random: () => number;
  /** Of the computer's clock: how far it is ahead, and how much faster it runs. */
  readonly skewMs: number;
  readonly drift: number;
  readonly number: number;
  readonly strategy: typeof Trader;
  /** Whether the process of this number runs. */
  readonly runs: (number: number) => boolean;
  readonly log: (line: string) => void;
  readonly broken: (why: string) => void;
  /** The disk ended the process in the middle of an operation. */
  readonly crashed: () => void;
}

export class BotProcess implements Scheduler {
  readonly number: number;
  isDead = false;
  opened: OpenedBot | null = null;
  control: LiveControl | null = null;
  /** Work of promises that is under way: without any, no turn of the event loop is needed. */
  pending = 0;
  /** A kill was asked for. Its work is one of promises, and goes on after the answer. */
  isKilled = false;
  /** A kill that closes positions is under way. */
  flattens = false;
  #isKillDone = false;
  #openAs: ((pid: number) => OpenedJournal) | null = null;
  readonly #parts: ProcessParts;
  readonly #bornMs: number;

  constructor(parts: ProcessParts) {
    this.number = parts.number;
    this.#parts = parts;
    this.#bornMs = parts.queue.nowMs;
    Object.assign(parts.disk, { soon: (run: () => void) => this.#later(1 + Math.floor(parts.random() ** 8 * 400), run) });
  }

  // --- The clock of the computer

  get nowMs(): number {
    return this.#at(this.#parts.queue.nowMs);
  }
  at(timeMs: number, run: () => void): number {
    const { queue, skewMs, drift } = this.#parts;
    let trueMs = Math.max(queue.nowMs, Math.floor(this.#bornMs + (timeMs - this.#bornMs - skewMs) / (1 + drift)));
    while (this.#at(trueMs) < timeMs) trueMs++;
    return queue.at(trueMs, () => this.#run(run));
  }
  cancel(handle: number): void {
    this.#parts.queue.cancel(handle);
  }
  #at(trueMs: number): number {
    const { skewMs, drift } = this.#parts;
    return Math.floor(trueMs + skewMs + (trueMs - this.#bornMs) * drift);
  }
  #later(ms: number, run: () => void): void {
    const { queue } = this.#parts;
    queue.at(queue.nowMs + ms, () => this.#run(run));
  }
  #run(run: () => void): void {
    if (this.isDead) return;
    try {
      run();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      this.#parts.crashed();
    }
  }

  // --- Its life

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
    const { configFile, log, broken, network, random } = this.#parts;
    const send = network.wireOf(this);
    this.opened = await openLiveBot(readLiveConfig(configFile, {}), {
      log: (nowMs) =>
        new LiveLog({ write: log, isPretty: false, nowMs, formatTime: (ms) => new Date(ms).toISOString(), hide: (text) => text }),
      scheduler: this,
      load: async (entry, source) => ({
        plan: strategyPlanOf(entry, { strategy: this.#parts.strategy, name: 'Trader', hash: 'trader' }, source),
        inputs: [],
        folder: '.',
      }),
      broken,
      room: 4096,
      computer: {
        network: { send: (request, done, late) => send(request, (outcome) => this.#run(() => done(outcome)), late), close: async () => {} },
        random,
        openJournal: (deps, options) => this.#openJournal(deps, options),
        soon: (run) => this.#later(0, run),
      },
    });
    this.control = new LiveControl({ ...this.opened, loopDelayP99Ms: () => null });
    this.opened.bot.start();
  }

  #openJournal(
    deps: Parameters<NonNullable<Parameters<typeof openLiveBot>[1]['computer']>['openJournal']>[0],
    options: Parameters<typeof openJournal>[1],
  ): OpenedJournal {
    const open = (pid: number): OpenedJournal => {
      const self = { pid, started: String(pid), namespace: 'n', boot: 'b', host: 'world' };
      const findProcess = (other: { readonly pid: number }): 'running' | 'gone' => (this.#parts.runs(other.pid) ? 'running' : 'gone');
      return openJournal(
        { ...deps, disk: this.#parts.disk, processes: { self, findProcess } },
        { ...options, segmentBytes: SEGMENT_BYTES, soon: (run) => this.#later(0, run) },
      );
    };
    this.#openAs = open;
    return open(this.#parts.number);
  }

  /** Another process of the same bot is started beside this one. Returns whether it got the journal. */
  startSecond(): boolean {
    let hasOpened = false;
    this.#run(() => {
      try {
        this.#openAs?.(SECOND + this.#parts.number);
        hasOpened = this.#openAs !== null;
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
      }
    });
    return hasOpened;
  }

  /** kill -9. */
  die(): void {
    this.isDead = true;
    this.opened?.bot.driver.stop();
  }
}

/** The kinds of Node's requests of files that are under way. */
const OF_FILES: ReadonlySet<string> = new Set(['FSReqPromise', 'FSReqCallback', 'CloseReq']);

/** Lets promises run as far as they come without virtual time: time stands still while files of this computer are read or written. */
export async function rest(): Promise<void> {
  do await turn();
  while (getActiveResourcesInfo().some((kind) => OF_FILES.has(kind)));
}
