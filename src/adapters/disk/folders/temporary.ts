// A folder for the bars of one run: apart from the runs and the catalog of the user, and removed with the run.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileError } from '../fileError.ts';

/** Makes a fresh folder and returns its path. Throws ConfigError where the system's folder for such (TMPDIR) cannot be used. */
export function temporaryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), 'isobar-bars-'));
  } catch (error) {
    throw fileError(tmpdir(), 'cannot be written', error);
  }
}
