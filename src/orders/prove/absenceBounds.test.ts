// Tests the measured absence bounds: they follow what the exchange shows, never fall below their minimum, and widen after incidents.

import { describe, expect, it } from 'vitest';
import { DEFAULT_ABSENCE_BOUNDS, MeasuredAbsenceBounds } from './absenceBounds.ts';

const NOW_MS = 1_700_000_000_000;

describe('measured absence bounds', () => {
  it('measured absence bounds begin at their minimum', () => {
    expect(new MeasuredAbsenceBounds()).toMatchObject({ visibilityDelayMs: 60_000, readLagMs: 3000, recvWindowMs: 5000, clockEpoch: 0 });
  });

  it('the measured visibility delay is ten times the 99.9th percentile of a day of admissions', () => {
    const bounds = new MeasuredAbsenceBounds();
    for (let offsetMs = 0; offsetMs < 999; offsetMs++) bounds.onAdmission(100, NOW_MS + offsetMs);
    bounds.onAdmission(9000, NOW_MS + 999);
    // The 99.9th percentile of 1,000 values is the 999th, so one value may be higher.
    expect(bounds.visibilityDelayMs).toBe(60_000);
    bounds.onAdmission(9000, NOW_MS + 1000);
    expect(bounds.visibilityDelayMs).toBe(90_000);
    bounds.onVenueTime(NOW_MS + 86_400_000 + 1001);
    expect(bounds.visibilityDelayMs).toBe(60_000);
  });

  it('the visibility delay is ten minutes for a quarter of an hour after an incident', () => {
    const bounds = new MeasuredAbsenceBounds();
    bounds.onIncident(NOW_MS);
    bounds.onVenueTime(NOW_MS + 900_000);
    expect(bounds.visibilityDelayMs).toBe(600_000);
    bounds.onVenueTime(NOW_MS + 900_001);
    expect(bounds.visibilityDelayMs).toBe(60_000);
  });

  it('the measured read lag is three times the largest one', () => {
    const bounds = new MeasuredAbsenceBounds();
    for (const lag of [900, 1500, 1000]) bounds.onReadLag(lag);
    expect(bounds.readLagMs).toBe(4500);
  });

  it('measured absence bounds begin a new epoch at the highest known venue time when the clock has jumped', () => {
    const bounds = new MeasuredAbsenceBounds(DEFAULT_ABSENCE_BOUNDS);
    bounds.onVenueTime(NOW_MS);
    bounds.onVenueTime(NOW_MS - 10_000);
    bounds.onClockJump();
    expect([bounds.clockEpoch, bounds.epochMs]).toEqual([1, NOW_MS]);
  });
});
