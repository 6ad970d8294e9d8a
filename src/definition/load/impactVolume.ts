// Checks that the bars of a run with market impact have volume, on which the impact depends.

import { ConfigError } from '../../base/errors.ts';
import { finestFeeds } from '../plan/finestFeeds.ts';
import type { FeedPlan } from '../plan/plan.ts';
import type { Definition } from '../text/schema.ts';
import { whereIs, type DefinitionSource } from '../text/source.ts';

/** Throws ConfigError if the run has market impact, and all bars in which an instrument's orders fill have no volume. */
export function checkImpactVolume({ fills }: Definition, source: DefinitionSource, feeds: readonly FeedPlan[]): void {
  if (Number(fills?.impact?.coefficient ?? 0) === 0) return;
  for (const { bars } of finestFeeds(feeds)) {
    if (bars.length === 0 || bars.volume.subarray(0, bars.length).some((volume) => volume > 0)) continue;
    throw new ConfigError(
      `${whereIs(source, ['fills', 'impact'])}: expected bars with volume, got none in ${bars.instrument.wireName} ${bars.interval}`,
      'import bars with volume, or leave fills.impact out',
    );
  }
}
