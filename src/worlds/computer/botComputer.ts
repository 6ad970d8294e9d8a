// A process of a live bot on a simulated computer: virtual clock with skew and drift, connections of its own, and a disk that outlives it.

import { getActiveResourcesInfo } from 'node:process';
import { waitForNextTurn } from '../../adapters/clock/wallClock.ts';
import { openJournal } from '../../adapters/journal/openJournal.ts';
import type { LateReplyWire } from '../../adapters/exchange/wire/lateReplyWire.ts';
import { formatTime } from '../../model/time.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import { LiveControl } from '../../tasks/bot/botControls.ts';
import type { LiveConfig } from '../../tasks/bot/config/read.ts';
import { openLiveBot, type LiveOptions, type OpenedBot, type SimulatedComputer } from '../../tasks/bot/openLiveBot.ts';
import { LiveLog } from '../../tasks/bot/run/log.ts';
import { Crash, type SimulatedDisk } from './simulatedDisk.ts';

/** Short, so that a day has several files of the journal. */
const SEGMENT_BYTES = 128 * 1024;
/** Longest time that a sync of the disk takes, ms. Most take one. */
const SYNC_MS = 400;

export interface BotComputerParts {
  readonly queue: DueQueue;
  readonly config: LiveConfig;
  readonly load: NonNullable<LiveOptions['load']>;
  /** Bars that each feed can hold. */
  readonly room: number;
  readonly wireOf: (process: { readonly isDead: boolean }) => LateReplyWire;
  readonly disk: SimulatedDisk;
  readonly random: () => number;
  /** How far its clock is ahead, ms, and how much faster it runs. */
  readonly skewMs: number;
  readonly drift: number;
  /** Numbers the processes of a day, from 1. */
  readonly number: number;
  readonly log: (line: string) => void;
  readonly broken: (why: string) => void;
  /** The disk ended the process in the middle of an operation. */
  readonly crashed: () => void;
}

export class BotComputer implements Scheduler {
  isDead = false;
  opened: OpenedBot | null = null;
  control: LiveControl | null = null;
  /** Work of promises that is under way: without any, no turn of the event loop is needed. */
  pending = 0;
  readonly #parts: BotComputerParts;
  readonly #bornMs: number;

  constructor(parts: BotComputerParts) {
    this.#parts = parts;
    this.#bornMs = parts.queue.nowMs;
    Object.assign(parts.disk, { soon: (run: () => void) => this.#later(1 + Math.floor(parts.random() ** 8 * SYNC_MS), run) });
  }

  // --- Its clock

  get nowMs(): number {
    return this.#own(this.#parts.queue.nowMs);
  }
  at(timeMs: number, run: () => void): number {
    const { queue, skewMs, drift } = this.#parts;
    let trueMs = Math.max(queue.nowMs, Math.floor(this.#bornMs + (timeMs - this.#bornMs - skewMs) / (1 + drift)));
    while (this.#own(trueMs) < timeMs) trueMs++;
    return queue.at(trueMs, () => this.#run(run));
  }
  cancel(handle: number): void {
    this.#parts.queue.cancel(handle);
  }
  #own(trueMs: number): number {
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

  /** Opens the bot. Rejects as `openLiveBot` does. */
  async open(): Promise<void> {
    const { config, load, room, log, broken, wireOf, random } = this.#parts;
    const send = wireOf(this);
    this.opened = await openLiveBot(config, {
      log: (nowMs) => new LiveLog({ write: log, isPretty: true, nowMs, formatTime, hide: same }),
      scheduler: this,
      load,
      room,
      broken,
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

  #openJournal(...[deps, options]: Parameters<SimulatedComputer['openJournal']>): ReturnType<SimulatedComputer['openJournal']> {
    const { disk, number } = this.#parts;
    const self = { pid: number, started: String(number), namespace: 'n', boot: 'b', host: 'simulated' };
    return openJournal(
      { ...deps, disk, processes: { self, findProcess: () => 'gone' } },
      { ...options, segmentBytes: SEGMENT_BYTES, soon: (run) => this.#later(0, run) },
    );
  }

  /** kill -9. */
  die(): void {
    this.isDead = true;
    this.opened?.bot.driver.stop();
  }
}

const same = (text: string): string => text;

/** The kinds of Node's requests of files that are under way. */
const OF_FILES: ReadonlySet<string> = new Set(['FSReqPromise', 'FSReqCallback', 'CloseReq']);

/**
 * Lets promises run as far as they come without virtual time: time stands still while files of this computer are read or written, and while
 * `isLoading`, because what imports a module waits for threads of Node's own.
 */
export async function settlePromises(isLoading: () => boolean): Promise<void> {
  do await waitForNextTurn();
  while (isLoading() || getActiveResourcesInfo().some((kind) => OF_FILES.has(kind)));
}
