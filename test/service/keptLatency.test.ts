// How long a create waits for the disk, compared with an append and fdatasync of the same number of bytes.

import { closeSync, fdatasync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FileSystemDisk } from '../../src/adapters/disk/fileSystemDisk.ts';
import { KeptFixture } from '../fixtures/keptFixture.ts';

const CREATES = 150;
/** What a create of a limit order writes, about. */
const BYTES = 700;

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;

async function timed(act: (done: () => void) => void): Promise<number> {
  const startMs = performance.now();
  await new Promise<void>((resolve) => act(resolve));
  return performance.now() - startMs;
}

it('a create waits for its sync and little more', async () => {
  const root = mkdtempSync(join(tmpdir(), 'isobar-kept-latency-'));
  const files = new FileSystemDisk();
  const folder = join(root, 'data');
  files.prepare(folder);
  const fixture = new KeptFixture(files, queueMicrotask, { limits: { 'spot.newOrder': null } }, { folder, segmentBytes: 2 ** 24 });
  const bare = openSync(join(root, 'bare'), 'a');
  const bytes = Buffer.alloc(BYTES, 'x');
  const [creates, syncs]: [number[], number[]] = [[], []];
  for (let number = 0; number < CREATES; number++) {
    creates.push(
      await timed((done) => {
        fixture.limit('alice', 'BUY', '0.01', '10');
        fixture.journal.whenLasting(() => done());
      }),
    );
    syncs.push(
      await timed((done) => {
        writeSync(bare, bytes);
        fdatasync(bare, () => done());
      }),
    );
  }
  fdatasyncSync(bare);
  closeSync(bare);
  files.close();
  rmSync(root, { recursive: true });
  console.log(
    `a create that lasts: ${median(creates).toFixed(2)} ms; append and fdatasync alone: ${median(syncs).toFixed(2)} ms (medians of ${CREATES})`,
  );
  expect(median(creates)).toBeLessThan(median(syncs) * 4 + 2);
});
