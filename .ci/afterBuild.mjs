// tsc sets no executable bit, and `npx isobar` needs one on the bin file.
import { chmodSync, existsSync } from 'node:fs';

const bin = 'dist/cli/isobar.js';
if (existsSync(bin)) chmodSync(bin, 0o755);
