// Tests a sweep shared through a real Redis server: the same table as without it, even when a worker is killed.

import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasRedis, startRedis, type RedisServer } from '../fixtures/redis.ts';
import { killAfter, SweepFixture } from '../fixtures/sweepFixture.ts';

const GRID = ['--grid', 'fast=2..16:2', '--grid', 'slow=18..40:2'];

describe.skipIf(!hasRedis)('a shared sweep', () => {
  const fixture = new SweepFixture(4000);
  let redis: RedisServer;
  /** The sweep without a queue, for comparison. */
  let singleMachine: { readonly hash: string; readonly table: string };

  beforeAll(async () => {
    redis = await startRedis();
    await fixture.sweep(...GRID, '--workers', '1');
    singleMachine = { hash: fixture.json().sweepHash, table: fixture.table() };
  });
  afterAll(async () => {
    await redis.stop();
    fixture.remove();
  });

  it('a shared sweep gives the table of a sweep alone, each set in the ledger once, and leaves nothing in Redis', async () => {
    const before = fixture.ledgerSets().length;
    const { code, stderr } = await fixture.sweep(...GRID, '--fresh', '--queue', redis.url, '--workers', '1');
    expect(code, stderr).toBe(0);
    expect(fixture.json().sweepHash).toBe(singleMachine.hash);
    expect(fixture.table()).toBe(singleMachine.table);
    expect(fixture.ledgerSets().length - before).toBe(96);
    expect(await keysIn(redis.url)).toEqual([]);
  });

  it('a shared sweep gives the same table when a worker is killed in the middle of a task', async () => {
    const run = fixture.sweep(...GRID, '--fresh', '--queue', redis.url, '--no-work');
    const killedWorker = fixture.start('sweep-worker', '--queue', redis.url, '--workers', '1');
    const isKilled = untilActive(redis.url).then(() => killAfter(killedWorker, 0));
    const before = fixture.ledgerSets().length;
    expect(await isKilled).toBeNull();
    const helper = fixture.start('sweep-worker', '--queue', redis.url, '--workers', '1');
    const { code, stderr } = await run;
    expect(code, stderr).toBe(0);
    expect(fixture.json().sweepHash).toBe(singleMachine.hash);
    expect(fixture.ledgerSets().length - before).toBe(96);
    helper.kill('SIGTERM');
    expect(await killAfter(helper, 10_000)).toBe(143);
  });

  it('a machine with another strategy or other bars rejects a shared sweep', async () => {
    const otherMachine = new SweepFixture(4001);
    const run = fixture.start('sweep', 'cross.yaml', ...GRID, '--fresh', '--queue', redis.url, '--no-work');
    const isOver = killAfter(run, 20_000);
    await untilShared(redis.url);
    otherMachine.write('cross.ts', '// Changed.\nexport { default } from "./own.ts";\n');
    cpSync(join(fixture.folder, 'cross.ts'), join(otherMachine.folder, 'own.ts'));
    const { code, stderr } = await otherMachine.run('sweep-worker', '--queue', redis.url, '--once');
    expect(stderr).toMatch(/the sweep cross has other inputs than this machine: .*cross.ts was .* bars: spot:DEMOUSDT 1h was/);
    expect(code).toBe(2);
    run.kill('SIGINT');
    expect(await isOver).toBe(130);
    otherMachine.remove();
  });
});

/** Connects to the server. */
async function redisClient(url: string) {
  const { Redis } = await import('ioredis');
  return new Redis(url);
}

/** Returns all keys of the server. */
async function keysIn(url: string): Promise<readonly string[]> {
  const redis = await redisClient(url);
  const keys = await redis.keys('*');
  await redis.quit();
  return keys;
}

/** Resolves when a worker runs a task, at the latest after 400 polls. */
async function untilActive(url: string): Promise<void> {
  const redis = await redisClient(url);
  for (let attempt = 0; attempt < 400; attempt++) {
    const [queue] = await redis.keys('isobar:sweep-*:active');
    if (queue !== undefined && (await redis.llen(queue)) > 0) break;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  await redis.quit();
}

/** Waits until a worker takes part in the sweep. */
async function untilShared(url: string): Promise<void> {
  const redis = await redisClient(url);
  for (let attempt = 0; attempt < 400 && (await redis.keys('isobar:alive:*')).length === 0; attempt++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  await redis.quit();
}
