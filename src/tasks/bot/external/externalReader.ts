// Reads the values of external series in a live bot. Each value is journalled before a strategy can see it.

import { GrowingFile, type FileRow } from '../../../adapters/external/growingFile.ts';
import { UrlPoll } from '../../../adapters/external/urlPoll.ts';
import type { HookValue } from '../../../adapters/external/webhookCheck.ts';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { ConfigError, InvariantError } from '../../../base/errors.ts';
import type { SeriesPlan } from '../../../definition/plan/plan.ts';
import { GrowingValues } from '../../../model/bars/growingValues.ts';
import { formatTime } from '../../../model/time.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import type { Wire } from '../../../ports/wire.ts';
import { valueKey, reportedValuesOf, type SeriesRecord } from './seriesRecords.ts';
import type { BoundSeries, FileBinding, PollBinding } from './seriesSources.ts';

/** The series of a bot, their journal, and the engine that steps them. */
export interface ExternalReaderDeps {
  readonly series: readonly BoundSeries[];
  readonly plans: readonly SeriesPlan[];
  /** The records of earlier processes. */
  readonly records: readonly JournalRecord[];
  /** Records that this start has journalled because it began a lifetime. */
  readonly startRecords: readonly SeriesRecord[];
  readonly scheduler: Scheduler;
  /** Sends requests to URLs. */
  readonly wire: Wire;
  /** Runs a function as a step of the engine, with its time. */
  readonly step: (act: (nowMs: number) => void) => void;
  /** The venue's time, ms. */
  readonly venueMs: () => number;
  readonly journal: (body: SeriesRecord) => number;
  /** Resolves once a record is durable; rejects with ConfigError if it never will be. */
  readonly untilDurable: (seq: number) => Promise<void>;
  readonly log: (level: 'info' | 'warn', message: string) => void;
}

/** A value as its source gives it. `id` distinguishes values of the same time. */
interface ReceivedValue {
  readonly timeMs: number;
  readonly value: number;
  readonly id: string;
}

/** One series with its source. */
interface SeriesIntake {
  readonly name: string;
  readonly values: GrowingValues;
  /** The newest value of each source value that was journalled, by `valueKey`. */
  readonly valueByKey: Map<string, number>;
  /** Ends the reading of the source. */
  readonly stop: () => void;
}

/** The external series of one bot. */
export class ExternalReader {
  readonly #deps: ExternalReaderDeps;
  readonly #intakes: readonly SeriesIntake[];
  #isStopped = false;

  constructor(deps: ExternalReaderDeps) {
    this.#deps = deps;
    this.#intakes = deps.series.map((series) => this.#openSource(series));
  }

  /** Stops all sources. */
  stop(): void {
    this.#isStopped = true;
    for (const { stop } of this.#intakes) stop();
  }

  /**
   * Journals a value of a webhook. Resolves with `taken` once its record is durable, and with `duplicate` for a nonce that was used before.
   * Resolves with `stopped` if the value can no longer be journalled.
   */
  async acceptHookValue(name: string, { timeMs, value, nonce }: HookValue): Promise<'taken' | 'duplicate' | 'stopped'> {
    const intake = this.#intakes.find((candidate) => candidate.name === name);
    if (intake === undefined || this.#isStopped) return 'stopped';
    if (intake.valueByKey.has(valueKey('webhook', timeMs, nonce))) return 'duplicate';
    const seq = this.#journalNewValues(intake, 'webhook', [{ timeMs, value, id: nonce }]);
    if (seq === null) return 'stopped';
    try {
      await this.#deps.untilDurable(seq);
      return 'taken';
    } catch (error) {
      if (error instanceof ConfigError) return 'stopped';
      throw error;
    }
  }

  /** Opens the source of a series and starts to read it. Values of a webhook come through `acceptHookValue`. */
  #openSource({ name, binding }: BoundSeries): SeriesIntake {
    const { plans, records, startRecords } = this.#deps;
    const values = plans.find((plan) => plan.name === name)?.values;
    if (!(values instanceof GrowingValues)) throw new InvariantError(`series.${name}: expected values that can grow`);
    const series = { name, values, valueByKey: reportedValuesOf(name, [...records, ...startRecords]) };
    if (binding.kind === 'file') return { ...series, stop: this.#followFile(series, binding) };
    return { ...series, stop: binding.kind === 'poll' ? this.#pollUrl(series, binding) : () => {} };
  }

  /** Polls a URL. Returns a function that ends the polling. */
  #pollUrl(intake: Omit<SeriesIntake, 'stop'>, { kind, ...binding }: PollBinding): () => void {
    const { scheduler, log, wire } = this.#deps;
    const poll = new UrlPoll({
      ...binding,
      wire,
      scheduler,
      onValue: (timeMs, value) => void this.#journalNewValues(intake, kind, [{ timeMs, value, id: '' }]),
      onProblem: (problem) => log('warn', `series ${intake.name}: ${new URL(binding.url).host}: ${problem}; it is asked again`),
    });
    return () => poll.stop();
  }

  /** Reads new rows of a file again and again. Returns a function that ends the reading. */
  #followFile(intake: Omit<SeriesIntake, 'stop'>, { path, time, knownAt, value, everyMs }: FileBinding): () => void {
    const { scheduler, venueMs, log } = this.#deps;
    const file = new GrowingFile(path, { time, knownAt, value, series: intake.name });
    let timer: number | null = null;
    /** Rows that were read and become known in the future. */
    let notYetKnown: readonly FileRow[] = [];
    const readNewRows = (): void => {
      timer = null;
      if (this.#isStopped) return;
      let isAtEnd = true;
      try {
        const reading = file.readNew();
        ({ isAtEnd } = reading);
        for (const problem of reading.problems) log('warn', `series ${intake.name}: ${problem}`);
        const rows = [...notYetKnown, ...reading.rows];
        const nowMs = venueMs();
        notYetKnown = rows.filter(({ knownMs }) => knownMs > nowMs);
        const knownRows = rows.filter(({ knownMs }) => knownMs <= nowMs);
        const received = knownRows.map((row) => ({ timeMs: row.timeMs, value: row.value, id: String(row.knownMs) }));
        this.#journalNewValues(intake, 'file', received);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        log('warn', `series ${intake.name}: ${error.message}`);
      }
      timer = scheduler.at(scheduler.nowMs + (isAtEnd ? everyMs : 0), readNewRows);
    };
    readNewRows();
    return () => {
      if (timer !== null) scheduler.cancel(timer);
    };
  }

  /** Journals new values and shows them to strategies. Returns the number of the record; null if no value was new. */
  #journalNewValues(
    { name, values, valueByKey }: Omit<SeriesIntake, 'stop'>,
    from: SeriesRecord['from'],
    received: readonly ReceivedValue[],
  ): number | null {
    const newValues = received.filter(({ timeMs, value, id }) => {
      const key = valueKey(from, timeMs, id);
      const earlierValue = valueByKey.get(key);
      // A URL may revise a value: it then answers with another value for the same time.
      const isNew = earlierValue === undefined || (from === 'poll' && earlierValue !== value);
      if (isNew) valueByKey.set(key, value);
      else if (earlierValue !== value)
        this.#deps.log('warn', `series ${name}: a second value of ${formatTime(timeMs)}, ${value} after ${earlierValue}, is left out`);
      return isNew;
    });
    if (newValues.length === 0) return null;
    let seq: number | null = null;
    this.#deps.step((nowMs) => {
      // Later than every value that was read before, so that strategies see a value only after its record, in a replay too.
      const knownMs = Math.max(Math.floor(nowMs) + 1, values.lastKnownMs);
      const rows = newValues.toSorted((earlier, later) => earlier.timeMs - later.timeMs);
      seq = this.#deps.journal({
        name,
        from,
        rows: rows.map(({ timeMs, value }) => [timeMs, knownMs, value]),
        ids: rows.map(({ id }) => id),
      });
      for (const { timeMs, value } of rows) values.add(knownMs, timeMs, value);
    });
    return seq;
  }
}
