#!/usr/bin/env node
// The command `isobar`.

import { clearEnvironment } from '../app/access/environment.ts';
import { startEarly } from '../app/worker/earlyWorker.ts';

const argv = process.argv.slice(2);
// Before anything that a strategy could reach gets a copy of it.
clearEnvironment(process.env);
if ((argv[0] === 'backtest' || argv[0] === 'verify') && !argv.includes('--help')) startEarly();
// A reader that closes early (isobar ... | head) is no fault.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
const { main } = await import('./main.ts');
await main(argv);
