// How modules of ours become one file: as Node 20 runs it, with a map back to the sources, which stand beside it.
import { dirname, relative } from 'node:path';

export const ONE_FILE = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  sourcemap: true,
  sourcesContent: false,
  logLevel: 'error',
};

/** The address of `to` in a file at `from`. */
export const addressOf = (from, to) => relative(dirname(from), to).replace(/^(?!\.)/, './');
