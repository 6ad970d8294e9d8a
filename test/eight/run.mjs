// Compares bots of the eight strategies with backtests of their time: node test/eight/run.mjs [strategy ...]
import { readArguments, runBuilt } from '../fixtures/runBuilt.mjs';

const usage = 'node test/eight/run.mjs strategy ...';
const { names } = readArguments({ options: {}, usage, whole: [], allowPositionals: true });
await runBuilt('eight', new URL('main.ts', import.meta.url), { names }, usage);
