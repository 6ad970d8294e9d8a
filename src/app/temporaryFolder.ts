// A folder for the bars of one run: apart from the runs and the catalog of the user, and removed with the run.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Makes a fresh folder and returns its path. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'isobar-bars-'));
}
