// The way to Redis: bullmq and ioredis are loaded when a sweep is shared, and whoever has not installed them is told how.

import type * as Bull from 'bullmq';
import type { Redis } from 'ioredis';
import { ConfigError } from '../../../base/errors.ts';

const INSTALL = 'npm install bullmq@6 ioredis@6';
/** Keys of isobar in a Redis that others may use too. */
export const PREFIX = 'isobar';

const RETRY_MS = 500;

export interface QueueClient {
  readonly bull: typeof Bull;
  /** For the list of sweeps; bullmq makes connections of its own. */
  readonly redis: Redis;
  /** What bullmq connects with. */
  readonly connection: { readonly url: string; readonly maxRetriesPerRequest: null };
  close(): Promise<void>;
}

/** Connects to `url` (`redis://[user:password@]host:port[/db]`, or `rediss://`). Throws ConfigError when that cannot be done. */
export async function connectQueue(url: string): Promise<QueueClient> {
  checkUrl(url);
  const { bull, RedisClient } = await loadPackages();
  // A connection that was there comes back; one that never was is told at once.
  let isUp = false;
  const redis = new RedisClient(url, { lazyConnect: true, maxRetriesPerRequest: null, retryStrategy: () => (isUp ? RETRY_MS : null) });
  let problem = '';
  redis.on('error', (error) => (problem = error.message));
  try {
    await redis.connect();
    isUp = true;
  } catch (error) {
    const why = problem === '' && error instanceof Error ? error.message : problem;
    throw new ConfigError(
      `--queue ${withoutSecret(url)}: no connection: ${why}`,
      'start a Redis server there, version 5 or later: redis-server --port 6379',
    );
  }
  return {
    bull,
    redis,
    connection: { url, maxRetriesPerRequest: null },
    async close() {
      await redis.quit();
    },
  };
}

async function loadPackages(): Promise<{ readonly bull: typeof Bull; readonly RedisClient: typeof Redis }> {
  try {
    const [bull, ioredis] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bull, RedisClient: ioredis.Redis };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new ConfigError(`--queue: the packages bullmq and ioredis are not installed`, INSTALL);
  }
}

/** Throws ConfigError for what is no address of a Redis server. */
export function checkUrl(url: string): void {
  const { protocol = '', hostname = '' } = URL.canParse(url) ? new URL(url) : {};
  if ((protocol === 'redis:' || protocol === 'rediss:') && hostname !== '') return;
  throw new ConfigError(
    `--queue: expected the address of a Redis server, got ${withoutSecret(url)}`,
    'for example --queue redis://localhost:6379',
  );
}

/** A password is not for messages. */
export function withoutSecret(url: string): string {
  return url.replace(/:\/\/[^@/]*@/, '://');
}
