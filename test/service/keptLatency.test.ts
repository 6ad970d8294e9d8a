// Measures how long a create waits for the disk, compared with an append and fdatasync of the same number of bytes.

import { closeSync, fdatasync, fdatasyncSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FileSystemDisk } from '../../src/adapters/disk/fileSystemDisk.ts';
import { KeptFixture } from '../fixtures/keptFixture.ts';

const CREATE_COUNT = 150;
/** Approximate number of bytes that the create of a limit order writes. */
const BYTES_PER_CREATE = 700;

/** Returns the median of times. */
const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)]!;

/** Returns how long asynchronous work took. */
async function durationMs(startWork: (done: () => void) => void): Promise<number> {
  const startMs = performance.now();
  await new Promise<void>((resolve) => startWork(resolve));
  return performance.now() - startMs;
}

it('a durable create takes at most four times as long as its sync, plus 2 ms', async () => {
  const root = mkdtempSync(join(tmpdir(), 'isobar-kept-latency-'));
  const files = new FileSystemDisk();
  const folder = join(root, 'data');
  files.prepare(folder);
  const fixture = new KeptFixture(files, queueMicrotask, { limits: { 'spot.newOrder': null } }, { folder, segmentBytes: 2 ** 24 });
  const bareFile = openSync(join(root, 'bare'), 'a');
  const bytes = Buffer.alloc(BYTES_PER_CREATE, 'x');
  const createTimesMs: number[] = [];
  const syncTimesMs: number[] = [];
  for (let createNumber = 0; createNumber < CREATE_COUNT; createNumber++) {
    createTimesMs.push(
      await durationMs((done) => {
        fixture.placeLimit('alice', 'BUY', '0.01', '10');
        fixture.storeWriter.whenDurable(() => done());
      }),
    );
    syncTimesMs.push(
      await durationMs((done) => {
        writeSync(bareFile, bytes);
        fdatasync(bareFile, () => done());
      }),
    );
  }
  fdatasyncSync(bareFile);
  closeSync(bareFile);
  files.close();
  rmSync(root, { recursive: true });
  const createMs = median(createTimesMs);
  const syncMs = median(syncTimesMs);
  const medians = `a durable create: ${createMs.toFixed(2)} ms; append and fdatasync alone: ${syncMs.toFixed(2)} ms`;
  console.log(`${medians} (medians of ${CREATE_COUNT})`);
  expect(createMs).toBeLessThan(syncMs * 4 + 2);
});
