// The child process that bundles one file: `node bundleEntry.js FILE NAME` prints the bundle as JSON.

import { ConfigError } from '../../base/errors.ts';
import { bundle } from './bundle.ts';
import type { BundleAnswer } from './bundler.ts';

const [file = '', displayName = file] = process.argv.slice(2);

/** Returns the bundle, or the ConfigError for the parent process. */
async function bundleAnswer(): Promise<BundleAnswer> {
  try {
    return { bundle: await bundle(file, displayName) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { refused: { message: error.message, remedy: error.remedy } };
  }
}

process.stdout.write(JSON.stringify(await bundleAnswer()));
