// Runs every shipped strategy as a backtest and as a live bot over HTTP on the same bars: npm run parity
import { readArguments, runBuilt } from '../fixtures/runBuilt.mjs';

const usage = 'npm run parity -- [--json] [--bars N] [--jobs N] [--folder DIR] [--verbose] [name ...]';
const text = { type: 'string' };
const flag = { type: 'boolean' };
const options = { json: flag, bars: text, jobs: text, folder: text, verbose: flag };
const args = readArguments({ options, usage, whole: ['bars', 'jobs'], allowPositionals: true });
await runBuilt('parity', new URL('main.ts', import.meta.url), args, usage);
