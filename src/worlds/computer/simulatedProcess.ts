// A process of a live bot on a simulated computer. Its virtual clock has skew and drift, and its disk stays for the next process.

import { getActiveResourcesInfo } from 'node:process';
import { waitForNextTurn } from '../../adapters/clock/wallClock.ts';
import type { Processes } from '../../adapters/disk/processLock.ts';
import type { LateReplyWire } from '../../adapters/exchange/wire/lateReplyWire.ts';
import { openJournal, type OpenedJournal } from '../../adapters/journal/openJournal.ts';
import { formatTime } from '../../model/time.ts';
import type { DueQueue } from '../../ports/dueQueue.ts';
import type { Scheduler } from '../../ports/scheduler.ts';
import { LiveControl } from '../../tasks/bot/liveControl.ts';
import type { LiveConfig } from '../../tasks/bot/config/liveConfig.ts';
import { openLiveBot, type LiveOptions, type OpenedBot, type SimulatedComputer } from '../../tasks/bot/openLiveBot.ts';
import { LiveLog } from '../../tasks/bot/run/liveLog.ts';
import { Crash, type SimulatedDisk } from './simulatedDisk.ts';

/** Size of a journal segment. It is small, so that a day has several segments. */
const SEGMENT_BYTES = 128 * 1024;
/** Maximum duration of a sync of the disk, ms. Most syncs take 1 ms. */
const SYNC_MS = 400;

/** Collaborators of a process. */
export interface ProcessParts {
  readonly queue: DueQueue;
  readonly disk: SimulatedDisk;
  readonly random: () => number;
  /** Difference of the computer's clock from true time at the start of the process, ms. */
  readonly skewMs: number;
  /** Fraction by which the computer's clock runs faster than true time. */
  readonly drift: number;
  /** Number of the process on its day, from 1. */
  readonly number: number;
  /** Takes the lines of the bot's log. */
  readonly log: (line: string) => void;
  /** Called when the bot stops because of a fault. */
  readonly broken: (reason: string) => void;
  /** Called when the disk ends the process in the middle of an operation. */
  readonly crashed: () => void;
}

/** Opens the journal for a process. `processes` identifies the process, and finds others. */
export type OpenJournalAs = (processes: Processes) => OpenedJournal;

/** The options of a bot that depend on the kind of its process. */
export interface BotTerms {
  readonly config: LiveConfig;
  readonly load: NonNullable<LiveOptions['load']>;
  /** Modules given in code, by their index in the config's list; absent: none. */
  readonly modules?: LiveOptions['modules'];
  /** Maximum number of bars in each feed. */
  readonly capacityRows: number;
  readonly wire: LateReplyWire;
  /** True if the operator accepts what has changed since the newest start, as `--accept-changes` does. */
  readonly acceptChanges?: boolean;
  /** True for a log that a person reads. */
  readonly isPretty: boolean;
  readonly openJournal: (open: OpenJournalAs) => OpenedJournal;
}

/** A process of a live bot. */
export abstract class SimulatedProcess implements Scheduler {
  isDead = false;
  /** The bot, once it is open. */
  opened: OpenedBot | null = null;
  control: LiveControl | null = null;
  /** Number of promises in progress. At 0, the simulation can continue without a turn of the event loop. */
  pending = 0;
  readonly #parts: ProcessParts;
  readonly #bornMs: number;
  /** Time that the computer has slept, ms. Its monotonic clock does not advance while it sleeps. */
  #sleptMs = 0;
  /** The computer sleeps until this true time. */
  #wakesMs = -Infinity;
  /** Timers that have not run, by the handle that `at` has returned. */
  readonly #timers = new Map<number, { queued: number }>();

  constructor(parts: ProcessParts) {
    this.#parts = parts;
    this.#bornMs = parts.queue.nowMs;
    Object.assign(parts.disk, { soon: (run: () => void) => this.#later(1 + Math.floor(parts.random() ** 8 * SYNC_MS), run) });
  }

  // --- The clock of the computer

  /** Time of the computer's clock, ms UTC. */
  get nowMs(): number {
    return this.#clockMs(this.#parts.queue.nowMs);
  }
  /** Runs `run` when the computer's clock has reached `timeMs`. */
  at(timeMs: number, run: () => void): number {
    // `queued` is the handle of the true-time queue. It changes when the computer has slept.
    const timer = { queued: this.#setTimer(timeMs, () => runOnce()) };
    const handle = timer.queued;
    this.#timers.set(handle, timer);
    const runOnce = (): void => {
      if (this.#timers.get(handle) !== timer) return;
      // The computer has slept since the timer was set.
      if (this.nowMs < timeMs) timer.queued = this.#setTimer(timeMs, runOnce);
      else {
        this.#timers.delete(handle);
        run();
      }
    };
    return handle;
  }
  cancel(handle: number): void {
    this.#parts.queue.cancel(this.#timers.get(handle)?.queued ?? handle);
    this.#timers.delete(handle);
  }
  #setTimer(timeMs: number, run: () => void): number {
    const { queue, skewMs, drift } = this.#parts;
    let trueMs = Math.max(queue.nowMs, Math.floor(this.#bornMs + this.#sleptMs + (timeMs - this.#bornMs - skewMs) / (1 + drift)));
    // The division above rounds, so it can end a little too early.
    while (this.#clockMs(trueMs) < timeMs) trueMs++;
    return queue.at(trueMs, () => this.run(run));
  }
  /** True while the computer sleeps. */
  get isAsleep(): boolean {
    return this.#parts.queue.nowMs < this.#wakesMs;
  }
  /** Puts the computer to sleep. Nothing runs for `durationMs`, and afterwards the clock of the process is behind by as much. */
  sleep(durationMs: number): void {
    if (this.isAsleep) return;
    this.#sleptMs += durationMs;
    this.#wakesMs = this.#parts.queue.nowMs + durationMs;
  }
  /** Returns the time of the computer's clock at a true time. */
  #clockMs(trueMs: number): number {
    const { skewMs, drift } = this.#parts;
    const awakeMs = trueMs - this.#sleptMs;
    return Math.floor(awakeMs + skewMs + (awakeMs - this.#bornMs) * drift);
  }
  /** Runs `run` after `durationMs` of true time. */
  #later(durationMs: number, run: () => void): void {
    const { queue } = this.#parts;
    queue.at(queue.nowMs + durationMs, () => this.run(run));
  }
  /** Runs a callback of the process, unless the process has died. The disk can end the process during the callback. */
  protected run(run: () => void): void {
    if (this.isDead) return;
    if (this.isAsleep) return void this.#parts.queue.at(this.#wakesMs, () => this.run(run));
    try {
      run();
    } catch (error) {
      if (!(error instanceof Crash)) throw error;
      this.#parts.crashed();
    }
  }

  // --- Start and end

  /** Opens the bot. Rejects with the errors of `openLiveBot`. */
  protected async openBot(terms: BotTerms): Promise<void> {
    const { config, load, modules, capacityRows, wire, isPretty, acceptChanges = false, openJournal: openAs } = terms;
    const { log, broken, random, disk } = this.#parts;
    const soon = (run: () => void): void => this.#later(0, run);
    const openOnDisk: SimulatedComputer['openJournal'] = (deps, options) =>
      openAs((processes) => openJournal({ ...deps, disk, processes }, { ...options, segmentBytes: SEGMENT_BYTES, soon }));
    this.opened = await openLiveBot(config, {
      log: (nowMs) => new LiveLog({ write: log, isPretty, nowMs, formatTime, removeSecrets: unchanged }),
      scheduler: this,
      acceptChanges,
      load,
      modules,
      capacityRows,
      broken,
      tradedInstruments: () => disk.instruments,
      computer: {
        network: { send: (request, done, late) => wire(request, (outcome) => this.run(() => done(outcome)), late), close: async () => {} },
        random,
        openJournal: openOnDisk,
        soon,
      },
    });
    disk.instruments = this.opened.bot.deps.engine.instruments;
    this.control = new LiveControl({ ...this.opened, loopDelayP99Ms: () => null });
    this.opened.bot.start();
  }

  /** Ends the process without any clean-up, like kill -9. */
  die(): void {
    this.isDead = true;
    this.opened?.bot.driver.stop();
  }
}

/** A simulated log holds no secrets to remove. */
const unchanged = (text: string): string => text;

/** Names by which Node lists file requests in progress. */
const FILE_RESOURCES: ReadonlySet<string> = new Set(['FSReqPromise', 'FSReqCallback', 'CloseReq']);

/**
 * Waits until promises can only continue when virtual time advances. Virtual time must wait for reads and writes of files, and while `isLoading`
 * returns true, because the import of a module waits for threads of Node.
 */
export async function settlePromises(isLoading = () => false): Promise<void> {
  do await waitForNextTurn();
  while (isLoading() || getActiveResourcesInfo().some((kind) => FILE_RESOURCES.has(kind)));
}
