// Tests the measured absence bounds: they follow what the exchange shows, never fall below their minimum, and widen after incidents.

import { describe, expect, it } from 'vitest';
import { DEFAULT_ABSENCE_BOUNDS, MeasuredAbsenceBounds } from './absenceBounds.ts';

const NOW = 1_700_000_000_000;

describe('measured absence bounds', () => {
  it('begin at their minimum', () => {
    expect(new MeasuredAbsenceBounds()).toMatchObject({ visibilityDelayMs: 60_000, readLagMs: 3000, recvWindowMs: 5000, clockEpoch: 0 });
  });

  it('have a visibility delay of ten times the 99.9th percentile of a day of admissions', () => {
    const bounds = new MeasuredAbsenceBounds();
    for (let at = 0; at < 999; at++) bounds.onAdmission(100, NOW + at);
    bounds.onAdmission(9000, NOW + 999);
    // The 99.9th percentile of a thousand values is the 999th: one value may be higher.
    expect(bounds.visibilityDelayMs).toBe(60_000);
    bounds.onAdmission(9000, NOW + 1000);
    expect(bounds.visibilityDelayMs).toBe(90_000);
    bounds.onVenueTime(NOW + 86_400_000 + 1001);
    expect(bounds.visibilityDelayMs).toBe(60_000);
  });

  it('have a visibility delay of ten minutes for a quarter of an hour after an incident', () => {
    const bounds = new MeasuredAbsenceBounds();
    bounds.onIncident(NOW);
    bounds.onVenueTime(NOW + 900_000);
    expect(bounds.visibilityDelayMs).toBe(600_000);
    bounds.onVenueTime(NOW + 900_001);
    expect(bounds.visibilityDelayMs).toBe(60_000);
  });

  it('have a read lag of three times the largest measured one', () => {
    const bounds = new MeasuredAbsenceBounds();
    for (const lag of [900, 1500, 1000]) bounds.onReadLag(lag);
    expect(bounds.readLagMs).toBe(4500);
  });

  it('begin a new epoch at the highest venue time seen when the clock has jumped', () => {
    const bounds = new MeasuredAbsenceBounds(DEFAULT_ABSENCE_BOUNDS);
    bounds.onVenueTime(NOW);
    bounds.onVenueTime(NOW - 10_000);
    bounds.onClockJump();
    expect([bounds.clockEpoch, bounds.epochMs]).toEqual([1, NOW]);
  });
});
