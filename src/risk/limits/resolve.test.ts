// Tests the conversion of the limits of a definition to whole numbers of each instrument.

import { expect, test } from 'vitest';
import { ConfigError } from '../../base/errors.ts';
import { spotInstrument } from '../../../test/fixtures/drafts.ts';
import type { RiskLimits } from './limits.ts';
import { resolveLimits } from './resolve.ts';

const INSTRUMENTS = [spotInstrument('BTC'), spotInstrument('ETH', { quantityDigits: 1, baseDigits: 4 })];

test('limits become whole numbers of each instrument, rounded down, and a limit that is not set is infinite', () => {
  const limits = resolveLimits(
    { maxOrderQty: '1.23456', maxPositionQty: '2.00009', maxOrderNotional: '10', priceBand: '0.030', maxOpenOrders: 5 },
    INSTRUMENTS,
  );
  expect(Array.from(limits.orderLots)).toEqual([1234, 12]);
  expect(Array.from(limits.positionBase)).toEqual([2_000_090, 20_000]);
  expect(Array.from(limits.orderUnits)).toEqual([1e9, 1e9]);
  expect(limits.priceBand).toEqual({ numerator: 3, denominator: 100 });
  expect([limits.openOrders, limits.openOrdersTotal, limits.grossUnits, limits.leverage]).toEqual([5, Infinity, Infinity, null]);
  expect([...limits.set]).toEqual(['maxOrderQty', 'maxOrderNotional', 'maxPositionQty', 'maxOpenOrders', 'priceBand']);
});

test.each<[RiskLimits, string]>([
  [{ maxLeverage: 1 }, 'risk.maxLeverage: expected a quoted decimal above 0, got 1'],
  [{ maxLeverage: '0.0' }, 'risk.maxLeverage: expected a quoted decimal above 0, got 0.0'],
  [{ maxOrderQty: '-1' }, 'risk.maxOrderQty: expected a quoted decimal above 0, got -1'],
  [{ maxOrderQty: '1e3' }, 'risk.maxOrderQty'],
  [{ maxDailyLoss: '1.01' }, 'risk.maxDailyLoss: expected at most 1, with at most 9 decimals, got 1.01'],
  [{ restricted: '01:00-02:00, 22:00-22:00' }, 'risk.restricted: expected windows that are longer than nothing'],
  [{ priceBand: '0.0000000001' }, 'risk.priceBand'],
  [{ maxOpenOrders: '5' }, 'risk.maxOpenOrders: expected a whole number from 1 to 1000000, got 5'],
  [{ maxOrdersPerMinute: 0 }, 'risk.maxOrdersPerMinute'],
  [{ maxOrdersPerMinute: 1.5 }, 'risk.maxOrdersPerMinute'],
  [{ maxOrdersPerMinute: NaN }, 'risk.maxOrdersPerMinute'],
])('the limit %j is rejected with its key', (limits, message) => {
  expect(() => resolveLimits(limits, INSTRUMENTS)).toThrow(ConfigError);
  expect(() => resolveLimits(limits, INSTRUMENTS)).toThrow(message);
});
