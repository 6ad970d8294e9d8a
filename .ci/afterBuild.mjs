// What tsc leaves to be done: packages of many files, the commands, and modules that are needed together become one file each, pages one
// script, and the bin file executable for `npx isobar`.
import { chmodSync, existsSync } from 'node:fs';
import { mergeCommands } from './commands.mjs';
import { removeLeftovers } from './leftovers.mjs';
import { mergeModules } from './merge.mjs';
import { ownConstants } from './ownConstants.mjs';
import { linkPages } from './pages.mjs';
import { plainFields } from './plainFields.mjs';
import { vendor } from './vendor.mjs';

const bin = 'dist/cli/isobar.js';
if (existsSync(bin)) {
  removeLeftovers('dist', 'src');
  plainFields('dist');
  ownConstants('dist');
  await vendor('dist');
  await mergeCommands('dist');
  await linkPages('dist');
  await mergeModules('dist');
  chmodSync(bin, 0o755);
}
