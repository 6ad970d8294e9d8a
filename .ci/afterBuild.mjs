// What tsc leaves to be done: the bin file must be executable for `npx isobar`; packages of many files become one file each, and the commands one.
import { chmodSync, existsSync } from 'node:fs';
import { mergeCommands } from './commands.mjs';
import { vendor } from './vendor.mjs';

const bin = 'dist/cli/isobar.js';
if (existsSync(bin)) {
  await vendor('dist');
  await mergeCommands('dist');
  chmodSync(bin, 0o755);
}
