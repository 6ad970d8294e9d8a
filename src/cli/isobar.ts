#!/usr/bin/env node
// The command `isobar`.

import { clearEnvironment } from '../access/environment.ts';
import { ignoreInspectorSignal } from '../adapters/runtime/inspector.ts';
import { startEarly } from '../tasks/backtest/thread/prestartedWorker.ts';

const argv = process.argv.slice(2);
ignoreInspectorSignal();
// Before anything that a strategy could reach gets a copy of it.
clearEnvironment(process.env);
if ((argv[0] === 'backtest' || argv[0] === 'verify') && !argv.includes('--help')) startEarly();
for (const [name, stream] of [['stdout', process.stdout] as const, ['stderr', process.stderr] as const]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes early (isobar ... | head) is no fault; a full disk is none of isobar's, and nothing more can be told there.
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    if (name === 'stdout') process.stderr.write(`stdout: cannot be written: ${error.message}\n  make room, or write elsewhere\n`);
  });
}
const { main } = await import('./main.ts');
await main(argv);
