// Tests that a terminal status is believed only when it was read twice, far enough apart, and the fills add up.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readStatus, STATUS_MEANING } from '../../../protocol/shapes/codes.ts';
import { assessStatus, type StatusReading, type StatusVerdict } from './assessStatus.ts';

const READ_LAG_MS = 3000;
const reading = (status: string, executedLots: number, atMs: number): StatusReading => ({ status: readStatus(status), executedLots, atMs });

describe('assessStatus', () => {
  it.each([
    ['NEW is live', null, reading('NEW', 0, 0), 0, { kind: 'live' }],
    ['PENDING_CANCEL is live', reading('CANCELED', 0, 0), reading('PENDING_CANCEL', 0, 9000), 0, { kind: 'live' }],
    ['an unknown status is live', reading('CANCELED', 0, 0), reading('MELTED', 0, 9000), 0, { kind: 'live' }],
    [
      'a first terminal reading is unconfirmed',
      null,
      reading('CANCELED', 5, 100),
      5,
      { kind: 'unconfirmed', againMs: 3100, needsTrades: false },
    ],
    [
      'a second terminal reading too early is unconfirmed',
      reading('CANCELED', 5, 100),
      reading('CANCELED', 5, 3099),
      5,
      { kind: 'unconfirmed', againMs: 3100 },
    ],
    [
      'a second terminal reading after the read lag is confirmed',
      reading('CANCELED', 5, 100),
      reading('4', 5, 3100),
      5,
      { kind: 'confirmed', reason: 'canceled' },
    ],
    [
      'missing fills leave the status unconfirmed',
      reading('CANCELED', 5, 100),
      reading('CANCELED', 5, 3100),
      4,
      { kind: 'unconfirmed', needsTrades: true },
    ],
    [
      'a reading with another quantity counts as the first',
      reading('CANCELED', 4, 100),
      reading('CANCELED', 5, 3100),
      5,
      { kind: 'unconfirmed', againMs: 6100 },
    ],
    [
      'a reading with another terminal status counts as the first',
      reading('EXPIRED', 5, 100),
      reading('CANCELED', 5, 3100),
      5,
      { kind: 'unconfirmed', againMs: 6100 },
    ],
  ] as const)('assessStatus: %s', (_, firstReading, newReading, filled, expected) => {
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
