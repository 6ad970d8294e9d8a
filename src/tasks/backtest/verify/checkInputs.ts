// Compares the input files of a run with their current content.

import { createHash } from 'node:crypto';
import { join, resolve } from 'node:path';
import { fileHash, lockFileIn, type InputFile } from '../folder/inputFiles.ts';
import { definitionText } from '../folder/writeRunFolder.ts';
import { readRunFile, type StoredRun } from '../folder/readRunFolder.ts';
import { displayPath } from '../../../definition/text/paths.ts';
import { versions } from '../../../adapters/runtime/version.ts';

/** An input that has changed since the run. Null: it was not there then, or is not there now. */
export interface ChangedInput {
  readonly use: InputFile['use'] | 'lock file';
  /** As the user would type it. */
  readonly file: string;
  /** SHA-256 of its bytes; null for a lock file that did not exist. */
  readonly recorded: string | null;
  /** Null: the file no longer exists. */
  readonly now: string | null;
}

/** The result of a comparison of the inputs with the recorded ones. */
export interface InputCheck {
  /** Number of files that were compared. */
  readonly files: number;
  readonly changed: readonly ChangedInput[];
  /** Versions that differ. They should not change a result. */
  readonly notes: readonly string[];
}

/** Hashes every input again. `startedIn`: the folder to which their paths are relative. */
export function checkInputs(run: StoredRun, startedIn: string): InputCheck {
  const { inputs, lockFile, versions: recorded } = run.manifest;
  const listed = [...inputs, ...(lockFile === null ? [] : [{ use: 'lock file' as const, ...lockFile }])];
  const changed = listed.flatMap(({ use, file, sha256 }): ChangedInput[] => {
    const path = resolve(startedIn, file);
    const now = fileHash(path);
    return now === sha256 ? [] : [{ use, file: displayPath(path), recorded: sha256, now }];
  });
  // Packages that were locked after the run may differ from those that it used.
  const lock = lockFileIn(startedIn);
  const isNew = lock !== null && lock.file !== lockFile?.file;
  if (isNew) {
    changed.push({ use: 'lock file', file: displayPath(resolve(startedIn, lock.file)), recorded: null, now: lock.sha256 });
  }
  const present = versions();
  const notes = [...new Set([...Object.keys(recorded), ...Object.keys(present)])].flatMap((name) =>
    recorded[name] === present[name] ? [] : [`${name} was ${recorded[name] ?? 'not recorded'}, is ${present[name] ?? 'not known'}`],
  );
  return { files: listed.length + (isNew ? 2 : 1), changed: [...ownDefinition(run), ...changed], notes };
}

/** Checks the definition in the run folder: remarks that the run wrote, then the text that was hashed. */
function ownDefinition({ folder, manifest }: StoredRun): readonly ChangedInput[] {
  const path = join(folder, manifest.definition.file);
  const text = readRunFile(path);
  const remarks = definitionText({ text: '' }, manifest.origin);
  const recorded = manifest.definition.sha256;
  const now = createHash('sha256')
    .update(text.startsWith(remarks) ? text.slice(remarks.length) : text)
    .digest('hex');
  return now === recorded ? [] : [{ use: 'definition', file: displayPath(resolve(path)), recorded, now }];
}
