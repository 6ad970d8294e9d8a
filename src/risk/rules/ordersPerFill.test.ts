// Tests the limit of orders for each fill of MESSAGE_RATE: its count by strategy and hour, and reductions, which it passes.

import { describe, expect, test } from 'vitest';
import { fillOf } from '../../../test/fixtures/fills.ts';
import { RiskFixture } from '../../../test/fixtures/riskFixture.ts';

describe('MESSAGE_RATE, orders for each fill', () => {
  const limitedFixture = () => new RiskFixture({ maxOrdersPerFill: 3 });
  const HOUR_MS = 3_600_000;
  const reportFill = (fixture: RiskFixture, timeMs: number) => fixture.risk.filled(fixture.draft({ lots: 2 }), fillOf({ timeMs }));
  test('MESSAGE_RATE per fill denies at the limit of orders without a fill, and passes again an hour later', () => {
    const fixture = limitedFixture();
    for (let order = 0; order < 3; order++) fixture.send({ lots: 2 });
    expect(fixture.code({ lots: 2 })).toBe('MESSAGE_RATE');
    expect(fixture.risk.detail()).toBe('3 orders and 0 fills of the strategy in the last hour, at most 3 orders a fill');
    fixture.nowMs += HOUR_MS - 1;
    expect(fixture.code({ lots: 2 })).toBe('MESSAGE_RATE');
    fixture.nowMs += 1;
    expect(fixture.code({ lots: 2 })).toBeNull();
  });
  /** Returns a fixture whose strategy 0 has a position, has sent three orders and has one fill. */
  function fixtureAtLimit(): RiskFixture {
    const fixture = limitedFixture();
    fixture.hold(10);
    for (let order = 0; order < 3; order++) fixture.send({ lots: 2 });
    reportFill(fixture, fixture.nowMs);
    return fixture;
  }
  test('MESSAGE_RATE per fill counts each strategy separately', () => {
    const fixture = fixtureAtLimit();
    expect(fixture.code({ lots: 2 })).toBe('MESSAGE_RATE');
    expect(fixture.code({ lots: 2, strategy: 1 })).toBeNull();
  });
  test('MESSAGE_RATE per fill passes reductions', () => {
    expect(fixtureAtLimit().code({ lots: 2, side: 'sell' })).toBeNull();
  });
  test('MESSAGE_RATE per fill allows more orders from the second fill on', () => {
    const fixture = fixtureAtLimit();
    reportFill(fixture, fixture.nowMs);
    expect(fixture.code({ lots: 2 })).toBeNull();
  });
  test('MESSAGE_RATE per fill is off unless its limit is set', () => {
    const fixture = new RiskFixture();
    for (let order = 0; order < 30; order++) fixture.send({ lots: 2 });
    expect(fixture.code({ lots: 2 })).toBeNull();
  });
  test('a tightened MESSAGE_RATE per fill counts the orders that were already sent', () => {
    const tightenedFixture = limitedFixture();
    for (let order = 0; order < 2; order++) tightenedFixture.send({ lots: 2 });
    tightenedFixture.risk.tighten({ maxOrdersPerFill: 2 });
    expect(tightenedFixture.code({ lots: 2 })).toBe('MESSAGE_RATE');
  });
});
