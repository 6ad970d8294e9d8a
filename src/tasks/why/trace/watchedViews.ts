// Feeds, series and signals for a watched strategy: they have the same values, and record each read while the log is on.

import type { TimeMs } from '../../../base/brand.ts';
import { allowOnlyMembers } from '../../../base/number/onlyMembers.ts';
import { StrategyFeed } from '../../../engine/feeds/feedView.ts';
import { bind, outputOf } from '../../../indicators/graph/spec.ts';
import type { Series, Signal } from '../../../indicators/graph/series.ts';
import type { Instrument } from '../../../model/instrument.ts';
import type { Interval } from '../../../model/interval.ts';
import type { Bar, Feed, KnownSeries } from '../../../strategy/types.ts';
import type { CallLog } from './callLog.ts';

/** A series that records each read. */
class WatchedSeries implements Series {
  readonly #original: Series;
  readonly #name: () => string;
  readonly #log: CallLog;
  constructor(original: Series, name: () => string, log: CallLog) {
    this.#original = original;
    this.#name = name;
    this.#log = log;
    Object.freeze(this);
  }
  get value(): number {
    const { value } = this.#original;
    if (this.#log.isOn) this.#log.read(this.#name(), String(value));
    return value;
  }
  get prev(): number {
    const { prev } = this.#original;
    if (this.#log.isOn) this.#log.read(`${this.#name()} one bar before`, String(prev));
    return prev;
  }
  get ready(): boolean {
    const { ready } = this.#original;
    if (this.#log.isOn) this.#log.read(`${this.#name()} is ready`, String(ready));
    return ready;
  }
  ago(bars: number): number {
    const value = this.#original.ago(bars);
    if (this.#log.isOn) this.#log.read(`${this.#name()} ${bars} bars ago`, String(value));
    return value;
  }
}

/** An external series that records each read. */
class WatchedKnown extends WatchedSeries implements KnownSeries {
  readonly #original: KnownSeries;
  readonly #name: () => string;
  readonly #log: CallLog;
  constructor(original: KnownSeries, name: () => string, log: CallLog) {
    super(original, name, log);
    this.#original = original;
    this.#name = name;
    this.#log = log;
  }
  get timeMs(): number {
    return this.#recordRead('timeMs', this.#original.timeMs);
  }
  get knownMs(): number {
    return this.#recordRead('knownMs', this.#original.knownMs);
  }
  get ageMs(): number {
    return this.#recordRead('ageMs', this.#original.ageMs);
  }
  #recordRead(memberName: string, value: number): number {
    if (this.#log.isOn) this.#log.read(`${memberName} of ${this.#name()}`, String(value));
    return value;
  }
}

/** A signal that records each read. */
class WatchedSignal implements Signal {
  readonly #original: Signal;
  readonly #name: () => string;
  readonly #log: CallLog;
  constructor(original: Signal, name: () => string, log: CallLog) {
    this.#original = original;
    this.#name = name;
    this.#log = log;
    Object.freeze(this);
  }
  get value(): boolean {
    const { value } = this.#original;
    if (this.#log.isOn) this.#log.read(this.#name(), String(value));
    return value;
  }
  get prev(): boolean {
    const { prev } = this.#original;
    if (this.#log.isOn) this.#log.read(`${this.#name()} one bar before`, String(prev));
    return prev;
  }
  get ready(): boolean {
    const { ready } = this.#original;
    if (this.#log.isOn) this.#log.read(`${this.#name()} is ready`, String(ready));
    return ready;
  }
}

/** A bar that records each read of a price or volume. */
class WatchedBar implements Bar {
  readonly #original: Bar;
  readonly #name: () => string;
  readonly #log: CallLog;
  constructor(original: Bar, name: () => string, log: CallLog) {
    this.#original = original;
    this.#name = name;
    this.#log = log;
    Object.freeze(this);
  }
  get openMs(): TimeMs {
    return this.#recordRead('openMs', this.#original.openMs);
  }
  get closeMs(): TimeMs {
    return this.#recordRead('closeMs', this.#original.closeMs);
  }
  get open(): number {
    return this.#recordRead('open', this.#original.open);
  }
  get high(): number {
    return this.#recordRead('high', this.#original.high);
  }
  get low(): number {
    return this.#recordRead('low', this.#original.low);
  }
  get close(): number {
    return this.#recordRead('close', this.#original.close);
  }
  get volume(): number {
    return this.#recordRead('volume', this.#original.volume);
  }
  #recordRead<T extends number>(memberName: string, value: T): T {
    if (this.#log.isOn) this.#log.read(`${this.#name()}${memberName} of the bar`, String(value));
    return value;
  }
}

/** A feed whose series and bar record each read. */
class WatchedFeed implements Feed {
  readonly instrument: Instrument;
  readonly interval: Interval;
  readonly open: Series;
  readonly high: Series;
  readonly low: Series;
  readonly close: Series;
  readonly volume: Series;
  readonly bar: Bar;
  readonly #original: Feed;
  readonly #name: () => string;
  readonly #log: CallLog;
  constructor(original: Feed, name: () => string, log: CallLog, series: (original: Series) => Series) {
    this.instrument = original.instrument;
    this.interval = original.interval;
    this.open = series(original.open);
    this.high = series(original.high);
    this.low = series(original.low);
    this.close = series(original.close);
    this.volume = series(original.volume);
    this.bar = new WatchedBar(original.bar, name, log);
    this.#original = original;
    this.#name = name;
    this.#log = log;
    Object.freeze(this);
  }
  get fresh(): boolean {
    const { fresh } = this.#original;
    if (this.#log.isOn) this.#log.read(`${this.#name()}fresh`, String(fresh));
    return fresh;
  }
}

allowOnlyMembers(WatchedSeries.prototype, 'the series');
allowOnlyMembers(WatchedSignal.prototype, 'the signal');
allowOnlyMembers(WatchedBar.prototype, 'the bar');
allowOnlyMembers(WatchedFeed.prototype, 'the feed');

/** Names of the views of a run. The prefix of a feed is empty when the run has one feed. */
export interface ViewNames {
  prefixOf(feed: Feed): string;
  nameOf(view: Series | Signal): string;
}

/** Makes one watched view for each feed, series and signal, and returns the same one for the same original. */
export class WatchedViews {
  private readonly log: CallLog;
  private readonly names: ViewNames;
  private readonly wrappers = new Map<object, object>();
  private readonly originals = new WeakMap<object, object>();

  constructor(log: CallLog, names: ViewNames) {
    this.log = log;
    this.names = names;
  }

  /** Returns a view of the feed that logs each read. */
  feed(original: Feed): Feed {
    // The stand-in for a missing feed is of another class, and throws when it is read.
    if (!(original instanceof StrategyFeed)) return original;
    return this.wrapOnce<Feed>(
      original,
      () =>
        new WatchedFeed(
          original,
          () => this.names.prefixOf(original),
          this.log,
          (series) => this.wrapOutput(series),
        ),
    );
  }
  /** Returns a view of an external series that logs each read. */
  watchKnown(original: KnownSeries): KnownSeries {
    return this.wrapOnce<KnownSeries>(original, () =>
      bind(new WatchedKnown(original, () => this.names.nameOf(original), this.log), outputOf(original)),
    );
  }
  /** Wraps what `use` returned: a series, a signal, or a group of them. */
  wrapOutput<Out>(original: Out): Out {
    if (typeof original !== 'object' || original === null) return original;
    if (isSeriesView(original))
      return this.wrapOnce<Series>(original, () =>
        bind(new WatchedSeries(original, () => this.names.nameOf(original), this.log), outputOf(original)),
      ) as Out;
    if (isSignal(original))
      return this.wrapOnce<Signal>(original, () =>
        bind(new WatchedSignal(original, () => this.names.nameOf(original), this.log), outputOf(original)),
      ) as Out;
    return Object.fromEntries(Object.entries(original).map(([key, member]) => [key, this.wrapOutput<unknown>(member)])) as Out;
  }
  /** Returns the original of a wrapper; any other value unchanged. */
  original<T>(view: T): T {
    return typeof view === 'object' && view !== null ? ((this.originals.get(view) as T | undefined) ?? view) : view;
  }

  /** Returns the wrapper of an object. It is made once, so that identities hold. */
  private wrapOnce<T extends object>(original: T, make: () => T): T {
    const existing = this.wrappers.get(original);
    if (existing !== undefined) return existing as T;
    const wrapper = make();
    this.wrappers.set(original, wrapper);
    this.originals.set(wrapper, original);
    return wrapper;
  }
}

/** True for a series. Only a series can read earlier bars. */
export const isSeriesView = (view: object): view is Series => 'ago' in view && 'prev' in view;
/** True for a signal, which is true or false at each bar. */
export const isSignal = (view: object): view is Signal => 'ready' in view && 'prev' in view && !('ago' in view);
