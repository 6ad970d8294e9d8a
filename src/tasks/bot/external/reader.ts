// Takes the values of series from outside in a live bot: each is journalled before a strategy can see it.

import { GrowingFile, type FileRow } from '../../../adapters/external/growingFile.ts';
import type { JournalRecord } from '../../../adapters/journal/records/records.ts';
import { ConfigError, InvariantError } from '../../../base/errors.ts';
import type { SeriesPlan } from '../../../definition/plan/plan.ts';
import { GrowingValues } from '../../../model/bars/growingValues.ts';
import { formatTime } from '../../../model/time.ts';
import type { Scheduler } from '../../../ports/scheduler.ts';
import { seenKey, seenOf, type SeriesRecord } from './known.ts';
import type { BoundSeries, FileBinding } from './sources.ts';

export interface ExternalReaderDeps {
  readonly series: readonly BoundSeries[];
  readonly plans: readonly SeriesPlan[];
  /** The records of earlier processes. */
  readonly records: readonly JournalRecord[];
  /** What this start has journalled as it began a lifetime. */
  readonly first: readonly SeriesRecord[];
  readonly scheduler: Scheduler;
  /** Runs a function as a step of the engine, with its time. */
  readonly step: (act: (nowMs: number) => void) => void;
  /** The venue's time, ms. */
  readonly venueMs: () => number;
  readonly journal: (body: SeriesRecord) => number;
  readonly log: (level: 'info' | 'warn', message: string) => void;
}

/** A value as its source gives it. `id`: distinguishes it from others of its time. */
interface ReceivedValue {
  readonly timeMs: number;
  readonly value: number;
  readonly id: string;
}

interface Intake {
  readonly name: string;
  readonly values: GrowingValues;
  /** Values by `seenKey`. */
  readonly seen: Map<string, number>;
  readonly stop: () => void;
}

export class ExternalReader {
  readonly #deps: ExternalReaderDeps;
  readonly #intakes: readonly Intake[];
  #isOver = false;

  constructor(deps: ExternalReaderDeps) {
    this.#deps = deps;
    this.#intakes = deps.series.map((series) => this.#open(series));
  }

  stop(): void {
    this.#isOver = true;
    for (const { stop } of this.#intakes) stop();
  }

  #open({ name, binding }: BoundSeries): Intake {
    const { plans, records, first } = this.#deps;
    const values = plans.find((plan) => plan.name === name)?.values;
    if (!(values instanceof GrowingValues)) throw new InvariantError(`series.${name}: its values do not grow`);
    const own = { name, values, seen: seenOf(name, [...records, ...first]) };
    return { ...own, stop: this.#follow(own, binding) };
  }

  /** Looks into a file again and again. Returns what ends that. */
  #follow(intake: Omit<Intake, 'stop'>, { path, time, knownAt, value, everyMs }: FileBinding): () => void {
    const { scheduler, venueMs, log } = this.#deps;
    const file = new GrowingFile(path, { time, knownAt, value, series: intake.name });
    let handle: number | null = null;
    /** Rows that become known later than now, as the file says. */
    let ahead: readonly FileRow[] = [];
    const look = (): void => {
      handle = null;
      if (this.#isOver) return;
      let isAtEnd = true;
      try {
        const found = file.look();
        ({ isAtEnd } = found);
        for (const problem of found.problems) log('warn', `series ${intake.name}: ${problem}`);
        const [rows, nowMs] = [[...ahead, ...found.rows], venueMs()];
        ahead = rows.filter(({ knownMs }) => knownMs > nowMs);
        const due = rows.filter(({ knownMs }) => knownMs <= nowMs);
        this.#take(intake, 'file', due.map((row) => ({ timeMs: row.timeMs, value: row.value, id: String(row.knownMs) }))); // prettier-ignore
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        log('warn', `series ${intake.name}: ${error.message}`);
      }
      handle = scheduler.at(scheduler.nowMs + (isAtEnd ? everyMs : 0), look);
    };
    look();
    return () => {
      if (handle !== null) scheduler.cancel(handle);
    };
  }

  /** Journals values that are new, and lets strategies see them. Returns the number of the record; null: none was new. */
  #take({ name, values, seen }: Omit<Intake, 'stop'>, from: SeriesRecord['from'], received: readonly ReceivedValue[]): number | null {
    const fresh = received.filter(({ timeMs, value, id }) => {
      const known = seen.get(seenKey(timeMs, id));
      if (known !== undefined && known !== value)
        this.#deps.log('warn', `series ${name}: a second value of ${formatTime(timeMs)}, ${value} after ${known}, is left out`);
      if (known === undefined) seen.set(seenKey(timeMs, id), value);
      return known === undefined;
    });
    if (fresh.length === 0) return null;
    let seq: number | null = null;
    this.#deps.step((nowMs) => {
      // Later than anything that has been read by now, so that a value is seen after its record and never before, in a replay too.
      const knownMs = Math.max(Math.floor(nowMs) + 1, values.lastKnownMs);
      const rows = fresh.toSorted((a, b) => a.timeMs - b.timeMs);
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
