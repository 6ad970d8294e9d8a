// The external series of a running bot in its view: the newest value of each, and how old it is.

import type { SeriesPlan } from '../../../definition/plan/plan.ts';
import type { SeriesView } from '../../control/botView.ts';
import type { BoundSeries } from '../external/seriesSources.ts';

/** Returns the newest value of each series that was known at `timeMs`. */
export function seriesViews(series: readonly BoundSeries[], plans: readonly SeriesPlan[] = [], timeMs: number): readonly SeriesView[] {
  return series.map(({ name, binding: { kind: source } }) => {
    const values = plans.find((plan) => plan.name === name)?.values;
    // A value that becomes known later is journalled already, but strategies do not see it yet.
    let newestRow = (values?.length ?? 0) - 1;
    while (newestRow >= 0 && values!.knownMs[newestRow]! > timeMs) newestRow--;
    if (values === undefined || newestRow < 0) return { name, source, value: null, valueMs: null, knownMs: null, ageMs: null };
    const valueMs = values.timeMs[newestRow]!;
    const knownMs = values.knownMs[newestRow]!;
    return { name, source, value: values.value[newestRow]!, valueMs, knownMs, ageMs: timeMs - valueMs };
  });
}
