// Writes the texts of the price chart: the marks of its axes, and the legend that explains its signs.

import type * as Charts from 'lightweight-charts';
import { assertNever } from '../../../base/assert.ts';
import { briefNumber, clockText, dayText } from '../../../base/text/format.ts';
import { element } from '../../page/browser/dom.ts';
import { numberTexts } from '../../page/browser/ticks.ts';
import type { WireInstrument } from '../../page/wire.ts';

declare const LightweightCharts: typeof Charts;

/** Returns a text whose leading sign has its own colour. `colourName`: a colour of the page's style, without its two dashes. */
function colouredText(colourName: string, text: string): HTMLElement {
  return element('span', {}, element('span', { style: `color:var(--${colourName})` }, text.slice(0, 1)), text.slice(1));
}

/** Returns the meaning of the signs in the chart of an instrument. */
export function signLegend({ volume, isContract, base }: WireInstrument): HTMLElement[] {
  return [
    colouredText('gain', '▲ buy'),
    colouredText('loss', '▼ sell'),
    element('span', {}, 'line: entry to exit'),
    element('span', {}, 'dashed: stop, target'),
    element('span', {}, 'shaded: no data'),
    ...(volume === null ? [] : [element('span', {}, `below: volume, ${isContract ? 'contracts' : base}`)]),
  ];
}

/**
 * Returns the texts of a vertical axis. Values from a million on are shortened if they stay distinct, because they would not fit otherwise.
 */
export function axisTexts(values: readonly number[]): string[] {
  const briefTexts = values.map(briefNumber);
  const isLong = values.some((value) => Math.abs(value) >= 1e6);
  const isDistinct = new Set(briefTexts).size === briefTexts.length;
  return isLong && isDistinct ? briefTexts : numberTexts(values);
}

/** Returns the text of a mark below the chart, UTC. */
export function tickText(timeMs: number, kind: Charts.TickMarkType): string {
  switch (kind) {
    case LightweightCharts.TickMarkType.Year:
      return dayText(timeMs).slice(0, 4);
    case LightweightCharts.TickMarkType.Month:
      return dayText(timeMs).slice(0, 7);
    case LightweightCharts.TickMarkType.DayOfMonth:
      return dayText(timeMs).slice(5);
    case LightweightCharts.TickMarkType.Time:
    case LightweightCharts.TickMarkType.TimeWithSeconds:
      return clockText(timeMs);
    default:
      return assertNever(kind);
  }
}
