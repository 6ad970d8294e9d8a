// Draws a series as one line of block characters.

import { largestOf, smallestOf } from '../../base/number/extremes.ts';

const BLOCKS = '▁▂▃▄▅▆▇█';

/**
 * Returns at most `width` characters. Each shows the last value of its part of the series. The lowest shown value has the lowest block, the
 * highest one the highest.
 */
export function sparkline(values: ArrayLike<number>, length: number, width: number): string {
  const count = Math.min(width, length);
  if (count === 0) return '';
  const shownValues = Array.from({ length: count }, (_, i) => values[Math.floor(((i + 1) * length) / count) - 1]!);
  const low = smallestOf(shownValues);
  const spread = largestOf(shownValues) - low;
  const blockOf = (value: number): number => Math.min(BLOCKS.length - 1, Math.floor(((value - low) / spread) * BLOCKS.length));
  return shownValues.map((value) => BLOCKS[spread > 0 ? blockOf(value) : 0]).join('');
}
