// Tests how long an order waits for its journal on this disk, compared with a bare append and fdatasync of as many bytes.

import { expect, it } from 'vitest';
import { journalLatency, latencyText } from '../fixtures/journalLatency.ts';

it('an order waits hardly longer than a bare append and sync of as many bytes', async () => {
  const { journal, bare, callMs } = await journalLatency(150);
  console.log(`write-ahead: ${latencyText(journal)}; append + fdatasync alone: ${latencyText(bare)}; the call: ${latencyText(callMs)}`);
  expect(journal.p50Ms).toBeLessThan(bare.p50Ms * 4 + 2);
});
