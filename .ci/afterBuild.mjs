// What tsc leaves to be done: the bin file must be executable for `npx isobar`, and packages of many files become one file each.
import { chmodSync, existsSync } from 'node:fs';
import { vendor } from './vendor.mjs';

const bin = 'dist/cli/isobar.js';
if (existsSync(bin)) {
  await vendor('dist');
  chmodSync(bin, 0o755);
}
