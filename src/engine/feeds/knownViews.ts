// A strategy's view of an external series: the newest value that is known by now, and its age. Later values are not reachable.

import { ConfigError } from '../../base/errors.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import { allowOnlyMembers } from '../../base/number/onlyMembers.ts';
import { knownSeries } from '../../indicators/graph/known.ts';
import { bind, outputOf } from '../../indicators/graph/spec.ts';
import type { Series } from '../../indicators/graph/series.ts';
import type { KnownValues } from '../../model/bars/knownValues.ts';
import type { KnownSeries } from '../../strategy/types.ts';
import type { FeedRun } from './feed.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** An external series of a run. `symbol`: the only symbol whose feeds have it; null: all feeds have it. */
export interface NamedValues {
  readonly name: string;
  readonly symbol: string | null;
  readonly values: KnownValues;
}

interface Clock {
  readonly nowMs: number;
}

/** The view of one series, on the clock of its run. */
class KnownView implements KnownSeries {
  readonly #rows: Series;
  readonly #values: KnownValues;
  readonly #clock: Clock;
  /**
   * Number of values known at the last read, where the next search starts. Time can also move back a little: in a live bot an event may
   * come before the decision on a bar that closed earlier.
   */
  #knownCount = 0;

  constructor(rows: Series, values: KnownValues, clock: Clock) {
    this.#rows = rows;
    this.#values = values;
    this.#clock = clock;
    Object.freeze(this);
  }

  get value(): number {
    return this.#read(this.#values.value);
  }
  get prev(): number {
    return this.#rows.prev;
  }
  get ready(): boolean {
    const { value } = this;
    return value === value;
  }
  ago(bars: number): number {
    return bars === 0 ? this.value : this.#rows.ago(bars);
  }
  get timeMs(): number {
    return this.#read(this.#values.timeMs);
  }
  get knownMs(): number {
    return this.#read(this.#values.knownMs);
  }
  get ageMs(): number {
    return this.#clock.nowMs - this.timeMs;
  }

  /** Returns the element of a column that belongs to the newest known value; NaN without one. */
  #read(column: Float64Array): number {
    const { length, knownMs } = this.#values;
    const { nowMs } = this.#clock;
    while (this.#knownCount < length && knownMs[this.#knownCount]! <= nowMs) this.#knownCount++;
    while (this.#knownCount > 0 && knownMs[this.#knownCount - 1]! > nowMs) this.#knownCount--;
    return this.#knownCount === 0 ? NAN : column[this.#knownCount - 1]!;
  }
}

allowOnlyMembers(KnownView.prototype, 'the external series');
Object.freeze(KnownView.prototype);

/** The views of one strategy. */
export class KnownViews {
  private readonly strategy: string;
  /** The external series of the run. */
  private readonly namedValues: readonly NamedValues[];
  private readonly clock: Clock;
  private readonly views = new Map<FeedRun, Map<string, KnownSeries>>();

  constructor(strategy: string, namedValues: readonly NamedValues[], clock: Clock) {
    this.strategy = strategy;
    this.namedValues = namedValues;
    this.clock = clock;
  }

  /** Returns a series on the rows of a feed. Throws ConfigError if it is unknown. `checkCanRegister` throws when it is too late to register. */
  on(feed: FeedRun, name: string, checkCanRegister: () => void): KnownSeries {
    const views = this.views.get(feed) ?? new Map<string, KnownSeries>();
    this.views.set(feed, views);
    let view = views.get(name);
    if (view === undefined) {
      const { values } = this.find(feed, name);
      checkCanRegister();
      const rows = feed.indicators.use(knownSeries(feed.view.close, name, values));
      view = bind(new KnownView(rows, values, this.clock), outputOf(rows));
      views.set(name, view);
    }
    return view;
  }

  /** Returns the values of a series for the symbol of a feed. Throws ConfigError if the run has no such series, or none of that symbol. */
  private find({ instrument: { wireName } }: FeedRun, name: string): NamedValues {
    const ofName = this.namedValues.filter((series) => series.name === name);
    const values = ofName.find(({ symbol }) => symbol === null || symbol === wireName);
    if (values !== undefined) return values;
    if (ofName.length > 0) {
      const symbols = ofName.map(({ symbol }) => symbol).join(', ');
      throw new ConfigError(
        `${this.strategy}: the series ${name} has no values of ${wireName}, only of ${symbols}`,
        `import them: isobar data import FILE --as series --name ${name} --symbol ${wireName}`,
      );
    }
    const nearestKnown = nearestName(name, [...new Set(this.namedValues.map((series) => series.name))]);
    const suggestion = nearestKnown ? `did you mean ${nearestKnown}? ` : '';
    throw new ConfigError(
      `${this.strategy}: the run has no series called ${name}`,
      `${suggestion}add it to the definition: series: { ${name}: {} }; a live bot also needs its source`,
    );
  }
}
