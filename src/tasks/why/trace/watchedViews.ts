// Feeds, series and signals as a watched strategy sees them: the same values, and each read is noted while the log is on.

import type { TimeMs } from '../../../base/brand.ts';
import { StrategyFeed } from '../../../engine/feeds/feedView.ts';
import { bind, outputOf } from '../../../indicators/graph/spec.ts';
import type { Series, Signal } from '../../../indicators/graph/series.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Interval } from '../../../model/interval.ts';
import type { Bar, Feed, KnownSeries } from '../../../strategy/types.ts';
import type { CallLog } from './callLog.ts';

class WatchedSeries implements Series {
  readonly #of: Series;
  readonly #name: () => string;
  readonly #log: CallLog;
  constructor(of: Series, name: () => string, log: CallLog) {
    this.#of = of;
    this.#name = name;
    this.#log = log;
    Object.freeze(this);
  }
  get value(): number {
    const { value } = this.#of;
    if (this.#log.isOn) this.#log.read(this.#name(), String(value));
    return value;
  }
  get prev(): number {
    const { prev } = this.#of;
    if (this.#log.isOn) this.#log.read(`${this.#name()} one bar before`, String(prev));
    return prev;
  }
  get ready(): boolean {
    const { ready } = this.#of;
    if (this.#log.isOn) this.#log.read(`${this.#name()} is ready`, String(ready));
    return ready;
  }
  ago(bars: number): number {
    const value = this.#of.ago(bars);
    if (this.#log.isOn) this.#log.read(`${this.#name()} ${bars} bars ago`, String(value));
    return value;
  }
}

class WatchedKnown extends WatchedSeries implements KnownSeries {
  readonly #of: KnownSeries;
  readonly #name: () => string;
  readonly #log: CallLog;
  constructor(of: KnownSeries, name: () => string, log: CallLog) {
    super(of, name, log);
    this.#of = of;
    this.#name = name;
    this.#log = log;
  }
  get timeMs(): number {
    return this.#seen('timeMs', this.#of.timeMs);
  }
  get knownMs(): number {
    return this.#seen('knownMs', this.#of.knownMs);
  }
  get ageMs(): number {
    return this.#seen('ageMs', this.#of.ageMs);
  }
  #seen(what: string, value: number): number {
    if (this.#log.isOn) this.#log.read(`${what} of ${this.#name()}`, String(value));
    return value;
  }
}

class WatchedSignal implements Signal {
  readonly #of: Signal;
  readonly #name: () => string;
  readonly #log: CallLog;
  constructor(of: Signal, name: () => string, log: CallLog) {
    this.#of = of;
    this.#name = name;
    this.#log = log;
    Object.freeze(this);
  }
  get value(): boolean {
    const { value } = this.#of;
    if (this.#log.isOn) this.#log.read(this.#name(), String(value));
    return value;
  }
  get prev(): boolean {
    const { prev } = this.#of;
    if (this.#log.isOn) this.#log.read(`${this.#name()} one bar before`, String(prev));
    return prev;
  }
  get ready(): boolean {
    const { ready } = this.#of;
    if (this.#log.isOn) this.#log.read(`${this.#name()} is ready`, String(ready));
    return ready;
  }
}

class WatchedBar implements Bar {
  readonly #of: Bar;
  readonly #name: () => string;
  readonly #log: CallLog;
  constructor(of: Bar, name: () => string, log: CallLog) {
    this.#of = of;
    this.#name = name;
    this.#log = log;
    Object.freeze(this);
  }
  get openMs(): TimeMs {
    return this.#seen('openMs', this.#of.openMs);
  }
  get closeMs(): TimeMs {
    return this.#seen('closeMs', this.#of.closeMs);
  }
  get open(): number {
    return this.#seen('open', this.#of.open);
  }
  get high(): number {
    return this.#seen('high', this.#of.high);
  }
  get low(): number {
    return this.#seen('low', this.#of.low);
  }
  get close(): number {
    return this.#seen('close', this.#of.close);
  }
  get volume(): number {
    return this.#seen('volume', this.#of.volume);
  }
  #seen<T extends number>(what: string, value: T): T {
    if (this.#log.isOn) this.#log.read(`${this.#name()}${what} of the bar`, String(value));
    return value;
  }
}

class WatchedFeed implements Feed {
  readonly instrument: Instrument;
  readonly interval: Interval;
  readonly open: Series;
  readonly high: Series;
  readonly low: Series;
  readonly close: Series;
  readonly volume: Series;
  readonly bar: Bar;
  readonly #of: Feed;
  readonly #name: () => string;
  readonly #log: CallLog;
  constructor(of: Feed, name: () => string, log: CallLog, series: (of: Series) => Series) {
    this.instrument = of.instrument;
    this.interval = of.interval;
    this.open = series(of.open);
    this.high = series(of.high);
    this.low = series(of.low);
    this.close = series(of.close);
    this.volume = series(of.volume);
    this.bar = new WatchedBar(of.bar, name, log);
    this.#of = of;
    this.#name = name;
    this.#log = log;
    Object.freeze(this);
  }
  get fresh(): boolean {
    const { fresh } = this.#of;
    if (this.#log.isOn) this.#log.read(`${this.#name()}fresh`, String(fresh));
    return fresh;
  }
}

/** What the views of a run are called, once its feeds are known: feeds by a prefix, empty when there is one feed. */
export interface ViewNames {
  prefixOf(feed: Feed): string;
  nameOf(view: Series | Signal): string;
}

export class WatchedViews {
  private readonly log: CallLog;
  private readonly names: ViewNames;
  private readonly wrappers = new Map<object, object>();
  private readonly originals = new WeakMap<object, object>();

  constructor(log: CallLog, names: ViewNames) {
    this.log = log;
    this.names = names;
  }

  feed(of: Feed): Feed {
    // The stand-in for a missing feed is of another class, and throws when it is read.
    if (!(of instanceof StrategyFeed)) return of;
    return this.wrapped<Feed>(
      of,
      () =>
        new WatchedFeed(
          of,
          () => this.names.prefixOf(of),
          this.log,
          (series) => this.out(series),
        ),
    );
  }
  known(of: KnownSeries): KnownSeries {
    return this.wrapped<KnownSeries>(of, () => bind(new WatchedKnown(of, () => this.names.nameOf(of), this.log), outputOf(of)));
  }
  /** Wraps what `use` returned: a series, a signal, or a group of them. */
  out<Out>(of: Out): Out {
    if (typeof of !== 'object' || of === null) return of;
    if (isSeries(of))
      return this.wrapped<Series>(of, () => bind(new WatchedSeries(of, () => this.names.nameOf(of), this.log), outputOf(of))) as Out;
    if (isSignal(of))
      return this.wrapped<Signal>(of, () => bind(new WatchedSignal(of, () => this.names.nameOf(of), this.log), outputOf(of))) as Out;
    return Object.fromEntries(Object.entries(of).map(([key, each]) => [key, this.out<unknown>(each)])) as Out;
  }
  /** Returns what a wrapper stands for; anything else unchanged. */
  original<T>(view: T): T {
    return typeof view === 'object' && view !== null ? ((this.originals.get(view) as T | undefined) ?? view) : view;
  }

  private wrapped<T extends object>(of: T, make: () => T): T {
    const known = this.wrappers.get(of);
    if (known !== undefined) return known as T;
    const made = make();
    this.wrappers.set(of, made);
    this.originals.set(made, of);
    return made;
  }
}

export const isSeries = (view: object): view is Series => 'ago' in view && 'prev' in view;
export const isSignal = (view: object): view is Signal => 'ready' in view && 'prev' in view && !('ago' in view);
