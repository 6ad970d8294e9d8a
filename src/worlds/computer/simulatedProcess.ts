// A process of a live bot on a simulated computer: a virtual clock with skew and drift, and a disk that outlives the process.

import { getActiveResourcesInfo } from 'node:process';
import { waitForNextTurn } from '../../adapters/clock/wallClock.ts';
import type { LateReplyWire } from '../../adapters/exchange/wire/lateReplyWire.ts';
import { openJournal, type OpenedJournal } from '../../adapters/journal/openJournal.ts';
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

export interface ProcessParts {
  readonly queue: DueQueue;
  readonly disk: SimulatedDisk;
  readonly random: () => number;
  /** How far the clock of the computer is ahead, ms, and how much faster it runs. */
  readonly skewMs: number;
  readonly drift: number;
  /** Numbers the processes of a day, from 1. */
  readonly number: number;
  readonly log: (line: string) => void;
  readonly broken: (why: string) => void;
  /** The disk ended the process in the middle of an operation. */
  readonly crashed: () => void;
}

type Processes = NonNullable<Parameters<typeof openJournal>[0]['processes']>;
/** Opens the journal as a process that sees these others. */
export type OpenJournalAs = (processes: Processes) => OpenedJournal;

/** What a kind of process adds to the options of its bot. */
export interface BotTerms {
  readonly config: LiveConfig;
  readonly load: NonNullable<LiveOptions['load']>;
  /** Bars that each feed can hold. */
  readonly room: number;
  readonly wire: LateReplyWire;
  /** True for a log that a person reads. */
  readonly isPretty: boolean;
  readonly openJournal: (open: OpenJournalAs) => OpenedJournal;
}

export abstract class SimulatedProcess implements Scheduler {
  isDead = false;
  opened: OpenedBot | null = null;
  control: LiveControl | null = null;
  /** Work of promises that is under way: without any, no turn of the event loop is needed. */
  pending = 0;
  readonly #parts: ProcessParts;
  readonly #bornMs: number;

  constructor(parts: ProcessParts) {
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
    return queue.at(trueMs, () => this.run(run));
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
    queue.at(queue.nowMs + ms, () => this.run(run));
  }
  /** Runs work of the process, unless it has died. Its disk may end it meanwhile. */
  protected run(run: () => void): void {
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
  protected async openBot({ config, load, room, wire, isPretty, openJournal: openAs }: BotTerms): Promise<void> {
    const { log, broken, random, disk } = this.#parts;
    const soon = (run: () => void): void => this.#later(0, run);
    const journal: SimulatedComputer['openJournal'] = (deps, options) =>
      openAs((processes) => openJournal({ ...deps, disk, processes }, { ...options, segmentBytes: SEGMENT_BYTES, soon }));
    this.opened = await openLiveBot(config, {
      log: (nowMs) => new LiveLog({ write: log, isPretty, nowMs, formatTime, hide: same }),
      scheduler: this,
      load,
      room,
      broken,
      computer: {
        network: { send: (request, done, late) => wire(request, (outcome) => this.run(() => done(outcome)), late), close: async () => {} },
        random,
        openJournal: journal,
        soon,
      },
    });
    this.control = new LiveControl({ ...this.opened, loopDelayP99Ms: () => null });
    this.opened.bot.start();
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
export async function settlePromises(isLoading = () => false): Promise<void> {
  do await waitForNextTurn();
  while (isLoading() || getActiveResourcesInfo().some((kind) => OF_FILES.has(kind)));
}
