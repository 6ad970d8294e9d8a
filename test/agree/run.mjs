// Compares isobar with backtesting.py and vectorbt from scratch: npm run agree -- [--json] [--seeds N] [--bars N]
import { readArguments, runBuilt } from '../fixtures/runBuilt.mjs';

const usage = 'npm run agree -- [--json] [--seeds N] [--bars N]';
const text = { type: 'string' };
const options = readArguments({ options: { json: { type: 'boolean' }, seeds: text, bars: text }, usage, whole: ['seeds', 'bars'] });
await runBuilt('agree', new URL('main.ts', import.meta.url), options, usage);
