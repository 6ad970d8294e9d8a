// Tests lie beside their sources, beside the strategies, and under test/; `isobar` resolves to the built package by its own exports.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './longestFirst.ts';

/** Rooms without I/O, time and chance: nothing of one file of theirs can be there for the next one, so a worker keeps what it has loaded. */
const PURE = ['base', 'model', 'portfolio', 'venue', 'indicators', 'scheduler', 'orders', 'strategy', 'risk', 'engine'].map(
  (room) => `src/${room}/**/*.test.ts`,
);

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Many tests wait for other processes, sockets and timers.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        extends: true,
        test: {
          name: 'all',
          include: ['src/**/*.test.ts', 'strategies/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: [...PURE, '**/node_modules/**'],
        },
      },
      { extends: true, test: { name: 'pure', include: PURE, isolate: false } },
    ],
    reporters: process.env['CI'] ? ['default', new URL('./countReporter.ts', import.meta.url).pathname] : ['default'],
  },
});
