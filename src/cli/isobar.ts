#!/usr/bin/env node
// Entry point of the command `isobar`: the first code of the process. It hides the secrets, handles a closed stdout, and starts the command line.

import { clearEnvironment } from '../access/environment.ts';
import { EXIT } from '../base/errors.ts';
import { ignoreInspectorSignal } from '../adapters/runtime/inspector.ts';
import { isTooManyFiles, TOO_MANY_FILES } from './terminal/openFiles.ts';
import { startEarly } from '../tasks/backtest/thread/prestartedWorker.ts';

const argv = process.argv.slice(2);
ignoreInspectorSignal();
// Runs before strategy code can get a copy of the environment.
clearEnvironment(process.env);
const isRun = argv[0] === 'backtest' || argv[0] === 'verify';
// The worker of a run starts while this thread still loads the command.
if (isRun && !argv.includes('--help')) startEarly();
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (isClosedByReader(error)) return;
  process.exitCode = 1;
  process.stderr.write(`stdout: cannot be written: ${error.message}\n  make room, or write elsewhere\n`);
});
process.stderr.on('error', (error: NodeJS.ErrnoException) => {
  if (!isClosedByReader(error)) process.exitCode = 1;
});
try {
  const { main } = await import('./main.ts');
  await main(argv);
} catch (error) {
  if (!isTooManyFiles(error)) throw error;
  process.exitCode = EXIT.badInput;
  process.stderr.write(`${TOO_MANY_FILES}\n`);
}

/** True when the reader of an output has closed it, such as `head`. This is no error of the command. */
function isClosedByReader({ code }: NodeJS.ErrnoException): boolean {
  return code === 'EPIPE';
}
