// The bounds of a live fence follow what the exchange shows: never below their floor, wider after incidents.

import { describe, expect, it } from 'vitest';
import { FENCE_DEFAULTS, LiveFence } from './fence.ts';

const NOW = 1_700_000_000_000;

describe('LiveFence', () => {
  it('begins at its floors', () => {
    expect(new LiveFence()).toMatchObject({ busDelayMs: 60_000, readLagMs: 3000, recvWindowMs: 5000, epoch: 0 });
  });

  it('takes ten times the slowest admission of a day in a thousand', () => {
    const fence = new LiveFence();
    for (let at = 0; at < 999; at++) fence.admitted(100, NOW + at);
    fence.admitted(9000, NOW + 999);
    // Of a thousand the 999th: one in a thousand may be slower.
    expect(fence.busDelayMs).toBe(60_000);
    fence.admitted(9000, NOW + 1000);
    expect(fence.busDelayMs).toBe(90_000);
    fence.seen(NOW + 86_400_000 + 1001);
    expect(fence.busDelayMs).toBe(60_000);
  });

  it('is ten minutes wide for a quarter of an hour after an incident', () => {
    const fence = new LiveFence();
    fence.incident(NOW);
    fence.seen(NOW + 900_000);
    expect(fence.busDelayMs).toBe(600_000);
    fence.seen(NOW + 900_001);
    expect(fence.busDelayMs).toBe(60_000);
  });

  it('takes three times the largest lag', () => {
    const fence = new LiveFence();
    for (const lag of [900, 1500, 1000]) fence.lagged(lag);
    expect(fence.readLagMs).toBe(4500);
  });

  it('begins a new epoch at the highest time seen when the clock has jumped', () => {
    const fence = new LiveFence(FENCE_DEFAULTS);
    fence.seen(NOW);
    fence.seen(NOW - 10_000);
    fence.jumped();
    expect([fence.epoch, fence.epochMs]).toEqual([1, NOW]);
  });
});
