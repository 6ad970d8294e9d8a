// Compares bots of the eight strategies with their backtests: node test/eight/run.mjs [--bars N] strategy ...
import { readArguments, runBuilt } from '../fixtures/runBuilt.mjs';

const usage = 'node test/eight/run.mjs [--bars N] strategy ...';
const options = readArguments({ options: { bars: { type: 'string' } }, usage, whole: ['bars'], allowPositionals: true });
await runBuilt('eight', new URL('main.ts', import.meta.url), options, usage);
