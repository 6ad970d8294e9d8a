#!/usr/bin/env node
// Entry point of the command `isobar`.

import { clearEnvironment } from '../access/environment.ts';
import { ignoreInspectorSignal } from '../adapters/runtime/inspector.ts';
import { startEarly } from '../tasks/backtest/thread/prestartedWorker.ts';

const argv = process.argv.slice(2);
ignoreInspectorSignal();
// Runs before strategy code can get a copy of the environment.
clearEnvironment(process.env);
if ((argv[0] === 'backtest' || argv[0] === 'verify') && !argv.includes('--help')) startEarly();
for (const [name, stream] of [['stdout', process.stdout] as const, ['stderr', process.stderr] as const]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A reader that closes early, such as `head`, is not an error. If stdout fails otherwise, as on a full disk, stderr reports it.
    if (error.code === 'EPIPE') return;
    process.exitCode = 1;
    if (name === 'stdout') process.stderr.write(`stdout: cannot be written: ${error.message}\n  make room, or write elsewhere\n`);
  });
}
const { main } = await import('./main.ts');
await main(argv);
