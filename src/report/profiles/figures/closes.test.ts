// Tests the close beside the equity of a bar, worked out by hand.

import { expect, it } from 'vitest';
import type { BarColumns } from '../../../model/bars/bars.ts';
import { closesAt } from './closes.ts';

const DAY_MS = 86_400_000;
/** Three days with the opens 10, 11, 12 and the closes 11, 12, 13. */
const days = {
  length: 3,
  openMs: Float64Array.of(0, DAY_MS, 2 * DAY_MS),
  closeMs: Float64Array.of(DAY_MS, 2 * DAY_MS, 3 * DAY_MS),
  open: Float64Array.of(10, 11, 12),
  close: Float64Array.of(11, 12, 13),
} as unknown as BarColumns;

it('a run that starts in the middle of a bar has the close of that bar beside the first equity, and not the close of the next bar', () => {
  expect(closesAt(days.closeMs, [{ bars: days, firstRow: 1 }])).toEqual(Float64Array.of(11, 12, 13));
});
