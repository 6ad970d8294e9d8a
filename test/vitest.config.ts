// Tests lie beside their sources, beside the strategies, and under test/; `isobar` resolves to the built package by its own exports.
import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['src/**/*.test.ts', 'strategies/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    testTimeout: 60_000,
    // Many tests wait for other processes, sockets and timers.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    reporters: process.env['CI'] ? ['default', new URL('./countReporter.ts', import.meta.url).pathname] : ['default'],
  },
});
