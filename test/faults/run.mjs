// Runs the faults of the table against a live bot over HTTP: npm run faults
import { readArguments, runBuilt } from '../fixtures/runBuilt.mjs';

const usage = 'npm run faults -- [--json] [--orders 500] [--only FAULT,...] [--seed 1] [--speed 10] [--jobs 4] [--verbose]';
const [text, flag] = [{ type: 'string' }, { type: 'boolean' }];
const options = { json: flag, orders: text, only: text, seed: text, speed: text, jobs: text, verbose: flag };
const args = readArguments({ options, usage, whole: ['orders', 'seed', 'speed', 'jobs'] });
await runBuilt('faults', new URL('main.ts', import.meta.url), args, usage);
