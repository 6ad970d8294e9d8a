// The bounds of a live fence follow what the exchange shows: never below their floor, wider after incidents.

import { describe, expect, it } from 'vitest';
import { DEFAULT_ABSENCE_BOUNDS, MeasuredAbsenceBounds } from './absenceBounds.ts';

const NOW = 1_700_000_000_000;

describe('measured absence bounds', () => {
  it('begins at its floors', () => {
    expect(new MeasuredAbsenceBounds()).toMatchObject({ visibilityDelayMs: 60_000, readLagMs: 3000, recvWindowMs: 5000, clockEpoch: 0 });
  });

  it('takes ten times the slowest admission of a day in a thousand', () => {
    const bounds = new MeasuredAbsenceBounds();
    for (let at = 0; at < 999; at++) bounds.onAdmission(100, NOW + at);
    bounds.onAdmission(9000, NOW + 999);
    // Of a thousand the 999th: one in a thousand may be slower.
    expect(bounds.visibilityDelayMs).toBe(60_000);
    bounds.onAdmission(9000, NOW + 1000);
    expect(bounds.visibilityDelayMs).toBe(90_000);
    bounds.onVenueTime(NOW + 86_400_000 + 1001);
    expect(bounds.visibilityDelayMs).toBe(60_000);
  });

  it('is ten minutes wide for a quarter of an hour after an incident', () => {
    const horizon = new MeasuredAbsenceBounds();
    horizon.onIncident(NOW);
    horizon.onVenueTime(NOW + 900_000);
    expect(horizon.visibilityDelayMs).toBe(600_000);
    horizon.onVenueTime(NOW + 900_001);
    expect(horizon.visibilityDelayMs).toBe(60_000);
  });

  it('takes three times the largest lag', () => {
    const otherBounds = new MeasuredAbsenceBounds();
    for (const lag of [900, 1500, 1000]) otherBounds.onReadLag(lag);
    expect(otherBounds.readLagMs).toBe(4500);
  });

  it('begins a new epoch at the highest time seen when the clock has jumped', () => {
    const bounds = new MeasuredAbsenceBounds(DEFAULT_ABSENCE_BOUNDS);
    bounds.onVenueTime(NOW);
    bounds.onVenueTime(NOW - 10_000);
    bounds.onClockJump();
    expect([bounds.clockEpoch, bounds.epochMs]).toEqual([1, NOW]);
  });
});
