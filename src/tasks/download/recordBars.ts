// Records bars into the catalog until it is stopped, also across outages. Each set is written as often as its size allows.

import { appendBars, newestRows, type RevisedRule } from '../../adapters/catalog/bars/appendBars.ts';
import { readInstrument } from '../../adapters/catalog/bars/catalog.ts';
import type { BarKey } from '../../adapters/catalog/files/paths.ts';
import { BarPoller } from '../../adapters/exchange/klines/barPoller.ts';
import type { BarEvent } from '../../adapters/exchange/klines/barTracker.ts';
import { klinesOf } from '../../adapters/exchange/klines/klinesOf.ts';
import { barsOfColumns, columnsOfBars, MAX_KLINES, type MarketBar } from '../../adapters/exchange/klines/klineWindow.ts';
import { monotonicMs } from '../../adapters/clock/wallClock.ts';
import { assert } from '../../base/assert.ts';
import { ConfigError, InvariantError } from '../../base/errors.ts';
import type { Instrument } from '../../model/instrument.ts';
import { isCommon } from '../../model/interval.ts';
import { downloadBars, remake, type DownloadedSet } from './download.ts';
import { measureClock, serverTime, type MarketService } from './marketService.ts';

/** An event for the user interface. */
export type RecordNews =
  /** The catch-up at the start has finished. */
  | { readonly kind: 'caughtUp'; readonly set: DownloadedSet }
  /** Bars are on disk. `last`: the newest bar of the set. `made`: coarser sets that were resampled from it. */
  | { readonly kind: 'written'; readonly key: BarKey; readonly bars: number; readonly last: MarketBar; readonly made: readonly BarKey[] }
  | { readonly kind: 'late'; readonly key: BarKey; readonly bar: MarketBar }
  | { readonly kind: 'revised'; readonly key: BarKey; readonly bar: MarketBar; readonly was: MarketBar }
  | { readonly kind: 'gap'; readonly key: BarKey; readonly gap: Extract<BarEvent, { readonly kind: 'gap' }> }
  /** `againMs`: pause until the next attempt; null: work continues as usual. */
  | { readonly kind: 'trouble'; readonly key: BarKey; readonly problem: string; readonly againMs: number | null };

/** What a caller may choose about a recording. */
export interface RecordOptions {
  readonly catalog: string;
  readonly revised: RevisedRule;
  /** From 0 to 1. Spreads the calls of many feeds. */
  readonly random: () => number;
  readonly onNews: (news: RecordNews) => void;
}

/** Maximum share of time for writing, because each write rewrites the whole set. */
const WRITING_SHARE = 0.02;
/** Maximum number of bars that wait to be written. If the process is killed, the newest 300 can be downloaded again. */
const MAX_WAITING = 100;
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 60_000;

/**
 * Brings each set up to date, then records its bars until `signal` is aborted. Waiting bars are written before it resolves. Throws
 * ConfigError for sets that cannot be recorded, and if the last bars cannot be written.
 */
export async function recordBars(
  service: MarketService,
  sets: readonly BarKey[],
  options: RecordOptions,
  signal: AbortSignal,
): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const recording = new Recording(service, options, signal);
  service.clock.start([...new Set(sets.map(({ market }) => market))]);
  try {
    // Do not wait for a pending reply: it would not be written.
    await Promise.race([stopped, recording.start(sets)]);
    await stopped;
  } finally {
    service.clock.stop();
    recording.stop();
  }
  recording.finish();
}

/** A recording that runs, with one recorder for each set. */
class Recording {
  readonly #service: MarketService;
  readonly #options: RecordOptions;
  readonly #signal: AbortSignal;
  /** The recorders, by the set whose klines are requested. */
  readonly #feeds = new Map<string, SetRecorder>();

  constructor(service: MarketService, options: RecordOptions, signal: AbortSignal) {
    this.#service = service;
    this.#options = options;
    this.#signal = signal;
  }

  /** Starts a feed for each set as soon as the exchange replies for it. */
  async start(sets: readonly BarKey[]): Promise<void> {
    const { catalog, revised, onNews } = this.#options;
    let waiting = sets;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(MAX_PAUSE_MS, pauseMs * 2)) {
      const failed: BarKey[] = [];
      for (const set of await downloadBars(this.#service, waiting, { catalog, revised, fromMs: null })) {
        if (this.#signal.aborted) return;
        const key = { market: set.market, symbol: set.symbol, interval: set.interval };
        if (set.kind === 'stored') {
          onNews({ kind: 'caughtUp', set });
          await measureClock(this.#service, set.market);
          this.#record(set, key);
        } else {
          onNews({ kind: 'trouble', key, problem: set.problem, againMs: pauseMs });
          failed.push(key);
        }
      }
      if (failed.length === 0 || this.#signal.aborted) return;
      waiting = failed;
      await pause(this.#service, pauseMs);
    }
  }

  /** Stops polling. Bars that wait to be written stay in memory until `finish`. */
  stop(): void {
    for (const feed of this.#feeds.values()) feed.stop();
  }

  /** Writes waiting bars. Throws ConfigError if that fails. */
  finish(): void {
    for (const feed of this.#feeds.values()) feed.finish();
  }

  /** Records the bars of a key. A coarser interval is built from the bars of its set. */
  #record(set: DownloadedSet, key: BarKey): void {
    if (this.#signal.aborted) return;
    const fineKey = { ...key, interval: set.from };
    const name = `${key.market} ${key.symbol} ${set.from}`;
    let feed = this.#feeds.get(name);
    if (!feed) {
      this.#feeds.set(name, (feed = new SetRecorder(this.#service, fineKey, set.instrument, this.#options)));
      feed.start();
    }
    if (key.interval !== set.from) feed.addResampled(key);
  }
}

/** Resolves after `durationMs`, by the scheduler of the service. */
function pause({ scheduler }: MarketService, durationMs: number): Promise<void> {
  return new Promise((resolve) => void scheduler.at(scheduler.nowMs + durationMs, resolve));
}

/** Records one set. */
class SetRecorder {
  readonly #service: MarketService;
  readonly #key: BarKey;
  readonly #options: RecordOptions;
  readonly #poller: BarPoller;
  readonly #coarser: BarKey[] = [];
  /** Used when the catalog has no record of the instrument. */
  readonly #instrument: Instrument;
  /** Bars that are not on disk yet, by open time. */
  #waiting = new Map<number, MarketBar>();
  #nextWriteMs = -Infinity;
  #timer: number | null = null;
  #failures = 0;

  constructor(service: MarketService, key: BarKey, instrument: Instrument, options: RecordOptions) {
    this.#service = service;
    this.#key = key;
    this.#options = options;
    this.#instrument = instrument;
    const { market, symbol, interval } = key;
    assert(isCommon(interval), `${interval} klines are recorded as the exchange has them`);
    this.#poller = new BarPoller(
      {
        scheduler: service.scheduler,
        serverTime: () => serverTime(service, market),
        random: options.random,
        ask: klinesOf(service.client, market, symbol, interval),
        sink: {
          event: (event) => this.#take(event),
          onProblem: (problem, againMs) => options.onNews({ kind: 'trouble', key, problem, againMs }),
        },
      },
      { interval, from: interval, known: barsOfColumns(newestRows(options.catalog, key, MAX_KLINES), interval) },
    );
  }

  start(): void {
    this.#poller.start();
  }

  /** Also resamples bars of `key` from these, whenever there are new ones. */
  addResampled(key: BarKey): void {
    this.#coarser.push(key);
  }

  stop(): void {
    this.#poller.stop();
    if (this.#timer !== null) this.#service.scheduler.cancel(this.#timer);
    this.#timer = null;
  }

  /** Writes waiting bars. Throws ConfigError if that fails. */
  finish(): void {
    if (this.#waiting.size > 0) this.#write();
  }

  /** Takes a bar to be written. A revised bar that is already on disk stays as it is if the options say so. */
  #take(event: BarEvent): void {
    const { onNews, revised } = this.#options;
    const key = this.#key;
    if (event.kind === 'gap') return onNews({ kind: 'gap', key, gap: event });
    if (event.kind !== 'bar') onNews({ ...event, key });
    if (event.kind === 'revised' && revised === 'keep' && !this.#waiting.has(event.bar.openMs)) return;
    this.#waiting.set(event.bar.openMs, event.bar);
    this.#plan();
  }

  /** Sets the timer of the next write. It fires after the whole reply has been taken, so that its bars are written together. */
  #plan(): void {
    const { scheduler } = this.#service;
    const isFull = this.#waiting.size >= MAX_WAITING && this.#failures === 0;
    if (this.#timer !== null && !isFull) return;
    if (this.#timer !== null) scheduler.cancel(this.#timer);
    this.#timer = scheduler.at(isFull ? scheduler.nowMs : Math.max(scheduler.nowMs, this.#nextWriteMs), () => {
      this.#timer = null;
      this.#tryWrite();
    });
  }

  /** Writes the waiting bars, and retries later if that fails, for example on a full disk. */
  #tryWrite(): void {
    const { scheduler } = this.#service;
    try {
      const startMs = monotonicMs();
      this.#write();
      this.#failures = 0;
      this.#nextWriteMs = scheduler.nowMs + (monotonicMs() - startMs) / WRITING_SHARE;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const againMs = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures++);
      this.#nextWriteMs = scheduler.nowMs + againMs;
      this.#options.onNews({ kind: 'trouble', key: this.#key, problem: error.message, againMs });
      this.#plan();
    }
  }

  /** Appends the waiting bars to the catalog, and builds the coarser sets again. */
  #write(): void {
    const { catalog, revised, onNews } = this.#options;
    const { market, symbol, interval } = this.#key;
    const bars = [...this.#waiting.values()].toSorted((a, b) => a.openMs - b.openMs);
    const last = bars.at(-1);
    if (!last) throw new InvariantError('a write without a bar');
    const instrument = readInstrument(catalog, market, symbol) ?? this.#instrument;
    const { isWritten } = appendBars(catalog, { listedInstrument: instrument, interval }, columnsOfBars(bars), revised);
    const remadeKeys = this.#coarser.filter((key) => remake(catalog, key, interval, isWritten) !== null);
    this.#waiting = new Map();
    onNews({ kind: 'written', key: this.#key, bars: bars.length, last, made: remadeKeys });
  }
}
