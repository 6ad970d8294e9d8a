// Connects to Redis. The packages bullmq and ioredis are loaded only when a sweep is shared.

import type * as Bull from 'bullmq';
import type { Redis } from 'ioredis';
import { ConfigError } from '../../../base/errors.ts';

const INSTALL = 'npm install bullmq@6 ioredis@6';
/** Prefix of isobar's keys, because others may use the same Redis. */
export const KEY_PREFIX = 'isobar';

const RETRY_MS = 500;

/** An open connection. */
export interface QueueClient {
  readonly bull: typeof Bull;
  /** For the list of sweeps. bullmq opens its own connections. */
  readonly redis: Redis;
  /** Connection options for bullmq. */
  readonly connection: { readonly url: string; readonly maxRetriesPerRequest: null };
  close(): Promise<void>;
}

/** Connects to `url` (`redis://[user:password@]host:port[/db]`, or `rediss://`). Throws ConfigError if the connection fails. */
export async function connectQueue(url: string): Promise<QueueClient> {
  checkRedisUrl(url);
  const { bull, RedisClient } = await loadPackages();
  // Reconnect only after a first success. A first failure is reported at once.
  let hasConnected = false;
  const redis = new RedisClient(url, {
    lazyConnect: true,
    maxRetriesPerRequest: null,
    retryStrategy: () => (hasConnected ? RETRY_MS : null),
  });
  let problem = '';
  redis.on('error', (error) => (problem = error.message));
  try {
    await redis.connect();
    hasConnected = true;
  } catch (error) {
    const reason = problem === '' && error instanceof Error ? error.message : problem;
    throw new ConfigError(
      `--queue ${withoutSecret(url)}: no connection: ${reason}`,
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

/** Loads the packages. Throws ConfigError, with the command that installs them, if they are missing. */
async function loadPackages(): Promise<{ readonly bull: typeof Bull; readonly RedisClient: typeof Redis }> {
  try {
    const [bull, ioredis] = await Promise.all([import('bullmq'), import('ioredis')]);
    return { bull, RedisClient: ioredis.Redis };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND')) throw error;
    throw new ConfigError(`--queue: the packages bullmq and ioredis are not installed`, INSTALL);
  }
}

/** Throws ConfigError for an invalid Redis address. */
export function checkRedisUrl(url: string): void {
  const { protocol = '', hostname = '' } = URL.canParse(url) ? new URL(url) : {};
  if ((protocol === 'redis:' || protocol === 'rediss:') && hostname !== '') return;
  throw new ConfigError(
    `--queue: expected the address of a Redis server, got ${withoutSecret(url)}`,
    'for example --queue redis://localhost:6379',
  );
}

/** Returns the URL without its password, for messages. */
export function withoutSecret(url: string): string {
  return url.replace(/:\/\/[^@/]*@/, '://');
}
