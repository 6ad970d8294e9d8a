// Tests lie beside their sources, beside the strategies, and under test/; `isobar` resolves to the built package by its own exports.
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['src/**/*.test.ts', 'strategies/**/*.test.ts', 'test/**/*.test.ts', 'bench/**/*.test.ts'],
    testTimeout: 60_000,
    reporters: process.env['CI'] ? ['default', new URL('./countReporter.ts', import.meta.url).pathname] : ['default'],
  },
});
