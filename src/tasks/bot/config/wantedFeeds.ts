// Lists the feeds of a bot: those of its definition, and execution-only feeds for local stops.

import type { BarKey } from '../../../adapters/catalog/files/paths.ts';
import { ConfigError } from '../../../base/errors.ts';
import { DEFINITION_DEFAULTS } from '../../../definition/load/withDefaults.ts';
import type { Definition } from '../../../definition/text/schema.ts';
import { whereIs, type DefinitionSource } from '../../../definition/text/source.ts';
import { nestedIn } from '../../../model/bars/aggregateBars.ts';
import { INTERVALS, nests, parseFeedInterval, parseInterval, typicalLengthMs } from '../../../model/interval.ts';
import { isTradeBars } from '../../../model/tradeBars.ts';

/** The keys of a bot config that name its feeds, and where they stand in it. */
export interface FeedDefinition {
  readonly definition: Pick<Definition, 'feeds' | 'market' | 'fills'>;
  readonly source: DefinitionSource;
}

/** One feed of a bot. */
export interface WantedFeed {
  readonly name: string;
  readonly key: BarKey;
  readonly isExecutionOnly: boolean;
}

/** Returns the feeds of a config as text, in order. Every start of one lifetime of a bot has the same feeds. */
export function feedNames(behaviour: FeedDefinition): readonly string[] {
  return wantedFeeds(behaviour).map(({ name, key: { market, symbol, interval } }) => `${name}: ${market} ${symbol} ${interval}`);
}

/** Returns the id of the bars of one symbol and interval. */
export const barSetIdOf = ({ market, symbol, interval }: BarKey): string => `${market} ${symbol} ${interval}`;

/**
 * Returns the feeds of a definition in order, execution-only feeds last. Throws ConfigError for invalid execution-only feeds. With `isChecked`
 * false they are left out, for a caller that does not start the bot.
 */
export function wantedFeeds(
  { definition, source }: FeedDefinition,
  { isChecked }: { readonly isChecked: boolean } = { isChecked: true },
): readonly WantedFeed[] {
  const defaultMarket = definition.market ?? DEFINITION_DEFAULTS.market;
  const visibleFeeds = Object.entries(definition.feeds).flatMap(([name, feed]): readonly WantedFeed[] => {
    const place = whereIs(source, ['feeds', name, 'interval']);
    const interval = parseFeedInterval(feed.interval);
    const market = feed.market ?? defaultMarket;
    if (interval === null) throw new ConfigError(`${place}: no interval '${feed.interval}'`);
    if (isTradeBars(interval) && market === 'futures' && isChecked) {
      throw new ConfigError(
        `${place}: expected a length of time for a bot on futures, got ${feed.interval}`,
        'write an interval such as 1m: the exchange has no endpoint for the trades of contracts',
      );
    }
    const symbols = feed.symbols ?? [feed.symbol ?? ''];
    return symbols.map((symbol) => ({ name, key: { market, symbol, interval }, isExecutionOnly: false }));
  });
  return [...visibleFeeds, ...executionOnlyFeedsOf(visibleFeeds, definition.fills?.inside, source, isChecked)];
}

/**
 * Returns execution-only feeds: for each symbol with coarser feeds, the bars in which local stops are checked. A backtest does the same.
 */
function executionOnlyFeedsOf(
  visibleFeeds: readonly WantedFeed[],
  executionInterval: string | undefined,
  source: DefinitionSource,
  isChecked: boolean,
): readonly WantedFeed[] {
  const interval = executionInterval === undefined ? null : parseInterval(executionInterval);
  if (interval === null) return [];
  const lengthOf = ({ key }: WantedFeed): number => typicalLengthMs(key.interval);
  const finestBySymbol = new Map<string, WantedFeed>();
  for (const feed of visibleFeeds) {
    const symbol = `${feed.key.market} ${feed.key.symbol}`;
    const finest = finestBySymbol.get(symbol);
    if (finest === undefined || lengthOf(feed) < lengthOf(finest)) finestBySymbol.set(symbol, feed);
  }
  return [...finestBySymbol.values()].flatMap(({ name, key }) => {
    // The feed itself is fine enough.
    if (typicalLengthMs(interval) >= typicalLengthMs(key.interval)) return [];
    if (nests(interval, key.interval)) return [{ name: `inside ${name}`, key: { ...key, interval }, isExecutionOnly: true }];
    if (!isChecked) return [];
    throw new ConfigError(
      `${whereIs(source, ['fills', 'inside'])}: expected an interval that divides ${key.interval}, got ${executionInterval}`,
      `one of ${nestedIn(key.interval, INTERVALS).join(' ')}`,
    );
  });
}
