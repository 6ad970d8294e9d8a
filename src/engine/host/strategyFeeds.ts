// The feeds that a strategy sees, and the indicators, signals and handlers that it registers over them.

import { ConfigError } from '../../base/errors.ts';
import { listOf } from '../../base/memory/listOf.ts';
import { nearestName } from '../../base/number/nearestName.ts';
import type { Series, Signal } from '../../indicators/graph/series.ts';
import type { IndicatorSpec, SignalSource } from '../../indicators/graph/spec.ts';
import type { Interval } from '../../model/interval.ts';
import type { UseOptions } from '../../strategy/host.ts';
import type { Feed } from '../../strategy/types.ts';
import type { FeedRun } from '../feeds/feed.ts';
import { defaultFeed, feedOf } from '../feeds/feedSearch.ts';
import { NO_ROW, type SignalWatch } from '../feeds/signalQueue.ts';
import { paneOf } from '../../indicators/panes.ts';
import { isSeries } from './views.ts';

// hot: docs/performance.md#file-constants
const NAN = NaN;

/** A series or signal on the rows of `feed` that reads other feeds too. */
export interface LinkedView {
  readonly feed: FeedRun;
  readonly view: Series | Signal;
}

/** An indicator that the report and the dashboard draw. */
export interface DrawnIndicator {
  readonly feed: FeedRun;
  readonly series: Series;
  readonly name: string;
  /** `price` draws over the bars; any other name is a pane of its own. */
  readonly pane: string;
}

/** What one strategy has asked for while it was constructed: feeds, indicators, signals and handlers. */
export class StrategyFeeds {
  /** The feed of calls that name none: `bars`, or the only one. Null when the run has several and none is called `bars`. */
  readonly main: FeedRun | null;
  /** Feeds whose indicators must be ready before the first callback. */
  readonly needed = new Set<FeedRun>();
  /** Feeds whose bars call `onBar`. */
  readonly listened: FeedRun[] = [];
  /** The handlers of `when`, in the order of registration. */
  readonly watches: SignalWatch[] = [];
  /** Indicators that the report draws. */
  readonly drawn: DrawnIndicator[] = [];
  /** Series and signals that read several feeds. */
  readonly linked: LinkedView[] = [];
  private readonly strategy: string;
  /** Feeds that the strategy can ask for. */
  private readonly visibleFeeds: readonly FeedRun[];
  private readonly blockRows: number;
  /** The feed behind each view that the strategy gets. */
  private readonly byView = new Map<Feed, FeedRun>();
  /** By feed: the first row at which every series over it is ready. */
  private readonly readyRows = new Map<FeedRun, number>();

  constructor(strategy: string, feeds: readonly FeedRun[], blockRows: number) {
    this.strategy = strategy;
    this.blockRows = blockRows;
    this.visibleFeeds = feeds.filter(({ isExecutionOnly }) => !isExecutionOnly);
    for (const feed of this.visibleFeeds) this.byView.set(feed.view, feed);
    this.main = this.visibleFeeds.find((feed) => feed.name === 'bars') ?? (this.visibleFeeds.length === 1 ? this.visibleFeeds[0]! : null);
    if (this.main) this.needed.add(this.main);
    if (this.main) this.listen(this.main);
  }

  /** One feed of each instrument that the strategy can trade, in the order of the instruments. */
  get tradable(): readonly FeedRun[] {
    const byInstrument = new Map(this.visibleFeeds.toReversed().map((feed) => [feed.instrumentIndex, feed]));
    return [...byInstrument.values()].toSorted((a, b) => a.instrumentIndex - b.instrumentIndex);
  }
  /** Returns the first row of a feed at which every series of this strategy over it is ready. */
  readyRow(feed: FeedRun): number {
    return this.readyRows.get(feed) ?? 0;
  }
  /** Returns the feed of a view, or the main feed without one. Throws ConfigError if there is no such feed. */
  feedFor(view: Feed | undefined): FeedRun {
    const feed = view === undefined ? this.main : this.byView.get(view);
    if (!feed && view !== undefined)
      throw new ConfigError(`${this.strategy}: expected a feed of this strategy`, 'pass one that this.feed(name) returned');
    if (!feed)
      throw new ConfigError(
        `${this.strategy}: the run has several feeds and none is called bars`,
        'name the feed in the call: buy(size, { feed })',
      );
    return feed;
  }

  /** Registers the one feed of a name. `interval` finds a feed whose name the definition does not have. */
  listenToOne(name: string, interval: Interval | undefined): Feed {
    const matching = this.visibleFeeds.filter((feed) => feed.name === name);
    if (matching.length > 1) throw new ConfigError(`${this.strategy}: the feed ${name} is a list`, `ask for it by feeds('${name}')`);
    const feed = matching[0] ?? defaultFeed(this.visibleFeeds, interval ?? null, this.main);
    if (!feed) throw this.missingFeedError(name, interval);
    this.needed.add(feed);
    this.listen(feed);
    return feed.view;
  }
  /** Registers all feeds of a name. The strategy does not wait for the warm-up of each. */
  listenToAll(name: string): readonly Feed[] {
    const matching = this.visibleFeeds.filter((feed) => feed.name === name);
    if (matching.length === 0) throw this.missingFeedError(name, undefined);
    for (const feed of matching) this.listen(feed);
    return listOf(matching, (feed) => feed.view);
  }
  /** Registers an indicator, and returns its output with `depth` past values (default 1). */
  use<Out>(specOrSeries: IndicatorSpec<Out> | Series, options: UseOptions): Out | Series {
    const feed = feedOf(this.visibleFeeds, specOrSeries);
    this.noteWarmup(feed, specOrSeries);
    const registeredSeries = feed.indicators.use(specOrSeries as IndicatorSpec<Out>, options.depth ?? 1);
    this.noteLinks(feed, registeredSeries);
    this.noteDrawn(feed, specOrSeries, registeredSeries, options);
    return registeredSeries;
  }
  /** Registers a handler that is called at each row at which the signal is true. */
  watch(signal: SignalSource, handler: () => void): Signal {
    const feed = feedOf(this.visibleFeeds, signal);
    this.noteWarmup(feed, signal);
    const registeredSeries = feed.indicators.use(signal as IndicatorSpec<Signal>, 1);
    this.noteLinks(feed, registeredSeries);
    const rows = new Int32Array(this.blockRows);
    this.watches.push({
      signal: registeredSeries,
      feed,
      handler,
      rows,
      place: this.watches.length,
      count: 0,
      row: NO_ROW,
      rowIndex: 0,
      dueMs: NAN,
    });
    return registeredSeries;
  }

  /** Notes the warm-up of an indicator for this strategy only: indicators of other strategies do not delay it. */
  private noteWarmup(feed: FeedRun, specOrSeries: object): void {
    if ('warmupBars' in specOrSeries) this.readyRows.set(feed, Math.max(this.readyRow(feed), Number(specOrSeries.warmupBars) - 1));
  }
  /** Notes that a series over several feeds needs the warm-up of each of them. */
  private noteLinks(feed: FeedRun, registered: unknown): void {
    if (typeof registered !== 'object' || registered === null) return;
    const views = (isView(registered) ? [registered] : Object.values(registered)).filter(isView);
    for (const view of views) {
      const needs = feed.indicators.otherFeedNeeds(view);
      if (needs.length > 0) this.linked.push({ feed, view });
      for (const { home, warmupBars } of needs) {
        const otherFeed = this.visibleFeeds.find(({ indicators }) => indicators === home);
        if (otherFeed !== undefined) this.readyRows.set(otherFeed, Math.max(this.readyRow(otherFeed), warmupBars - 1));
      }
    }
  }
  /** Notes the indicators that the report draws: those with a name. */
  private noteDrawn(feed: FeedRun, specOrSeries: object, registered: unknown, { name: givenName, pane: givenPane }: UseOptions): void {
    if (typeof registered !== 'object' || registered === null) return;
    const name = givenName ?? ('key' in specOrSeries ? String(specOrSeries.key) : null);
    if (name === null) return;
    // A series that gets a name is drawn once, under that name.
    if (givenName !== undefined) {
      const index = this.drawn.findIndex(({ series }) => series === registered);
      if (index >= 0) this.drawn.splice(index, 1);
    }
    const addSeries = (series: Series, drawnName: string): void =>
      void this.drawn.push({ feed, series, name: drawnName, pane: givenPane ?? paneOf(drawnName) });
    if (isSeries(registered)) return addSeries(registered, name);
    for (const [output, series] of Object.entries(registered)) if (isSeries(series)) addSeries(series, `${name} ${output}`);
  }
  /** Notes that bars of a feed call `onBar`. */
  private listen(feed: FeedRun): void {
    if (!this.listened.includes(feed)) this.listened.push(feed);
  }
  private missingFeedError(name: string, interval: Interval | undefined): ConfigError {
    const names = [...new Set(this.visibleFeeds.map((feed) => feed.name))];
    const nearest = nearestName(name, names);
    const suggestion = nearest ? `did you mean ${nearest}? ` : '';
    const intervalText = interval ? `, interval: ${interval}` : '';
    return new ConfigError(
      `${this.strategy}: the run has no feed called ${name}${intervalText}`,
      `${suggestion}add it to the definition: feeds: { ${name}: { symbol: ...${intervalText} } } (it has ${names.join(', ')})`,
    );
  }
}

/** True for a series or a signal. */
function isView(registered: unknown): registered is Series | Signal {
  return typeof registered === 'object' && registered !== null && 'ready' in registered && 'value' in registered;
}
