// Tests the order statistics: how many orders were sent, accepted, filled and denied, and how long they took.

import { expect, test } from 'vitest';
import { MINUTE, runRecord, START_MS, testBars, testInstrument } from '../../../test/fixtures/runRecord.ts';
import { orderSummary } from './orderStatistics.ts';

test('order statistics count fills and times, and denied orders by code', () => {
  const bars = [testBars(testInstrument(), 400, 3)];
  const script = [
    { row: 10, isBuy: true, lots: 100, isMaker: true, inside: true },
    { row: 12, isBuy: true, lots: 50, sameOrder: true },
    { row: 20, isBuy: false, lots: 150 },
  ];
  const record = runRecord({ bars, script });
  const ending = record.orders.ending.slice();
  const orders = { ...record.orders, ending };
  expect(orderSummary({ ...record, orders })).toMatchObject({
    created: 2,
    sent: 2,
    accepted: 2,
    filled: 2,
    partlyFilled: 0,
    rejected: 0,
    fills: 3,
    meanTimeToAckMs: MINUTE,
    meanTimeToFirstFillMs: MINUTE,
    reasons: { cancelsLostToFill: 'not-recorded' },
  });
  // Risk denies the second order, with a code from the texts.
  ending[1] = 1;
  const code = Float64Array.of(0, 3);
  const denied = orderSummary({
    ...record,
    orders: { ...orders, code, texts: [...orders.texts, 'MAX_NOTIONAL'], arrivedMs: Float64Array.of(START_MS, NaN) },
  });
  expect(denied).toMatchObject({ sent: 1, accepted: 1, refusedByRisk: 1, refusedByRiskByCode: { MAX_NOTIONAL: 1 } });
});
