// Draws a series as one line of block characters.

import { largestOf, smallestOf } from '../../base/number/extremes.ts';

const BLOCKS = '▁▂▃▄▅▆▇█';

/**
 * Returns at most `width` characters. Each shows the last value of its part of the series, scaled from the lowest to the highest of them.
 */
export function sparkline(values: ArrayLike<number>, length: number, width: number): string {
  const count = Math.min(width, length);
  if (count === 0) return '';
  const heights = Array.from({ length: count }, (_, i) => values[Math.floor(((i + 1) * length) / count) - 1]!);
  const low = smallestOf(heights);
  const spread = largestOf(heights) - low;
  return heights.map((value) => BLOCKS[spread > 0 ? Math.min(7, Math.floor(((value - low) / spread) * 8)) : 0]).join('');
}
