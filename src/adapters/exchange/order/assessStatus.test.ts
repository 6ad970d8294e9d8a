// Tests that a terminal status is believed only when it was read twice, far enough apart, and the fills add up.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStatus, STATUS_MEANING } from '../../../protocol/shapes/codes.ts';
import { assessStatus, type StatusReading, type StatusVerdict } from './assessStatus.ts';

const READ_LAG_MS = 3000;
const reading = (status: string, executedLots: number, atMs: number): StatusReading => ({ status: readStatus(status), executedLots, atMs });

describe('assessStatus', () => {
  it.each([
    { situation: 'NEW is live', firstReading: null, newReading: reading('NEW', 0, 0), filled: 0, expected: { kind: 'live' } },
    {
      situation: 'PENDING_CANCEL is live',
      firstReading: reading('CANCELED', 0, 0),
      newReading: reading('PENDING_CANCEL', 0, 9000),
      filled: 0,
      expected: { kind: 'live' },
    },
    {
      situation: 'an unknown status is live',
      firstReading: reading('CANCELED', 0, 0),
      newReading: reading('MELTED', 0, 9000),
      filled: 0,
      expected: { kind: 'live' },
    },
    {
      situation: 'a first terminal reading is unconfirmed',
      firstReading: null,
      newReading: reading('CANCELED', 5, 100),
      filled: 5,
      expected: { kind: 'unconfirmed', againMs: 3100, needsTrades: false },
    },
    {
      situation: 'a second terminal reading too early is unconfirmed',
      firstReading: reading('CANCELED', 5, 100),
      newReading: reading('CANCELED', 5, 3099),
      filled: 5,
      expected: { kind: 'unconfirmed', againMs: 3100 },
    },
    {
      situation: 'a second terminal reading after the read lag is confirmed',
      firstReading: reading('CANCELED', 5, 100),
      newReading: reading('4', 5, 3100),
      filled: 5,
      expected: { kind: 'confirmed', reason: 'canceled' },
    },
    {
      situation: 'missing fills leave the status unconfirmed',
      firstReading: reading('CANCELED', 5, 100),
      newReading: reading('CANCELED', 5, 3100),
      filled: 4,
      expected: { kind: 'unconfirmed', needsTrades: true },
    },
    {
      situation: 'a reading with another quantity counts as the first',
      firstReading: reading('CANCELED', 4, 100),
      newReading: reading('CANCELED', 5, 3100),
      filled: 5,
      expected: { kind: 'unconfirmed', againMs: 6100 },
    },
    {
      situation: 'a reading with another terminal status counts as the first',
      firstReading: reading('EXPIRED', 5, 100),
      newReading: reading('CANCELED', 5, 3100),
      filled: 5,
      expected: { kind: 'unconfirmed', againMs: 6100 },
    },
  ] as const)('assessStatus: $situation', ({ firstReading, newReading, filled, expected }) => {
    expect(assessStatus(firstReading, newReading, filled, READ_LAG_MS)).toMatchObject(expected);
  });

  const statuses = ['INIT', 'NEW', 'PARTIALLY_FILLED', 'FILLED', 'CANCELED', '7', 'PENDING_CANCEL', 'EXPIRED', 'REJECTED', 'MELTED', ''];
  const steps = fc.array(
    fc.record({
      status: fc.constantFrom(...statuses),
      executed: fc.nat({ max: 2 }),
      filled: fc.nat({ max: 2 }),
      afterMs: fc.nat({ max: 4000 }),
    }),
    { maxLength: 12 },
  );

  it('assessStatus never confirms without two equal terminal readings at the required distance, whatever is read between them', () => {
    fc.assert(
      fc.property(steps, (history) => {
        let first: StatusReading | null = null;
        let atMs = 0;
        const readings: StatusReading[] = [];
        for (const { status, executed, filled, afterMs } of history) {
          atMs += afterMs;
          const newReading = reading(status, executed, atMs);
          readings.push(newReading);
          const verdict: StatusVerdict = assessStatus(first, newReading, filled, READ_LAG_MS);
          first = verdict.kind === 'unconfirmed' ? verdict.first : null;
          if (verdict.kind !== 'confirmed') continue;
          expect(STATUS_MEANING[newReading.status.word]).toMatchObject({ kind: 'terminal', reason: verdict.reason });
          expect(executed).toBe(filled);
          const firstEqualIndex =
            readings.findLastIndex(
              (earlierReading) => earlierReading.status.word !== newReading.status.word || earlierReading.executedLots !== executed,
            ) + 1;
          expect(atMs - readings[firstEqualIndex]!.atMs).toBeGreaterThanOrEqual(READ_LAG_MS);
          return;
        }
      }),
      { numRuns: 3000 },
    );
  });
});
