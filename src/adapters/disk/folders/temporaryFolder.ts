// A temporary folder for the bars of one run, outside the user's runs and catalog. It is removed with the run.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileError } from '../fileError.ts';

/** Creates a new folder and returns its path. Throws ConfigError if the system's temporary folder (TMPDIR) cannot be used. */
export function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'isobar-bars-'));
  } catch (error) {
    throw fileError(tmpdir(), 'cannot be written', error);
  }
}
