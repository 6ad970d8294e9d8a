// The texts of the time axis of the price chart.

import type * as Charts from 'lightweight-charts';
import { assertNever } from '../../../base/assert.ts';
import { clockText, dayText } from '../../../base/text/format.ts';

declare const LightweightCharts: typeof Charts;

/** Returns the text of a tick: the finest part of its time that the axis shows there. */
export function tickText(ms: number, kind: Charts.TickMarkType): string {
  switch (kind) {
    case LightweightCharts.TickMarkType.Year:
      return dayText(ms).slice(0, 4);
    case LightweightCharts.TickMarkType.Month:
      return dayText(ms).slice(0, 7);
    case LightweightCharts.TickMarkType.DayOfMonth:
      return dayText(ms).slice(5);
    case LightweightCharts.TickMarkType.Time:
    case LightweightCharts.TickMarkType.TimeWithSeconds:
      return clockText(ms);
    default:
      return assertNever(kind);
  }
}
