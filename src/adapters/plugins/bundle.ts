// Bundles a strategy file and its imports into one module. Its hash does not depend on where anything is installed.

import { createHash } from 'node:crypto';
import { basename, dirname, sep } from 'node:path';
import type { BuildFailure, BuildResult, Message } from 'esbuild';
import { ConfigError } from '../../base/errors.ts';
import type { Warning } from '../../model/warning.ts';
import { COMPOSE_TOKEN, HOST_TOKEN } from './hostToken.ts';
import { externalUseWarnings } from './externalUses.ts';
import { requirePackage } from '../runtime/requirePackage.ts';

const { build } = requirePackage('esbuild') as typeof import('esbuild');

/** The bundled code of an author's file. */
export interface Bundle {
  /** ESM that imports isobar's entry points by their tokens. */
  readonly code: string;
  /** The source map of `code`, as JSON. */
  readonly map: string;
  /** sha-256 of the code with the bare names of the entry points, so that equal code has equal hashes on every machine. */
  readonly hash: string;
  /** All bundled files, relative to the folder of the strategy. */
  readonly inputs: readonly string[];
  /** Warnings about what the code uses outside the run. */
  readonly reach: readonly Warning[];
}

/** Bundles `file` (an absolute path); `displayName` names it in messages. Throws ConfigError with file, line and column at a syntax error. */
export async function bundle(file: string, displayName: string): Promise<Bundle> {
  const result = await build({
    absWorkingDir: dirname(file),
    entryPoints: [`./${basename(file)}`],
    outfile: 'strategy.mjs',
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'external',
    // Node appends the source name directly to this.
    sourceRoot: `${dirname(file)}${sep}`,
    metafile: true,
    alias: { isobar: HOST_TOKEN, 'isobar/compose': COMPOSE_TOKEN },
    external: [HOST_TOKEN, COMPOSE_TOKEN],
    // Packages read it to leave out their development checks. It has one value, so that the result does not depend on the environment.
    define: { 'process.env.NODE_ENV': '"production"' },
    // The author's tsconfig must not change the result.
    tsconfigRaw: { compilerOptions: { target: 'ES2022', verbatimModuleSyntax: true } },
    logLevel: 'silent',
  }).catch((error: unknown): never => {
    if (isBuildFailure(error)) throw refusedImportError(error, displayName, basename(file));
    throw error;
  });
  return bundleFrom(result, dirname(file));
}

/** Returns the bundle of a build, with its hash and the files that went into it. */
function bundleFrom(result: BuildResult<{ metafile: true; write: false }>, folder: string): Bundle {
  const outputText = (ending: string) => result.outputFiles.find((output) => output.path.endsWith(ending))?.text ?? '';
  const code = outputText('.mjs');
  return {
    code,
    map: outputText('.map'),
    hash: createHash('sha256').update(code.replaceAll(HOST_TOKEN, 'isobar').replaceAll(COMPOSE_TOKEN, 'isobar/compose')).digest('hex'),
    inputs: Object.keys(result.metafile.inputs),
    reach: externalUseWarnings(result.metafile, folder),
  };
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && 'errors' in error && Array.isArray(error.errors);
}

/** Returns the error for a file that does not compile, with file, line and column. */
function refusedImportError(failure: BuildFailure, displayName: string, entry: string): ConfigError {
  const first: Message | undefined = failure.errors[0];
  const location = first?.location;
  if (!first || !location) return new ConfigError(`${displayName}: ${first?.text ?? failure.message}`, 'correct the strategy file');
  const place = location.file === entry ? displayName : location.file;
  return new ConfigError(
    `${place}:${location.line}:${location.column + 1}: ${first.text}`,
    location.lineText.trim() === '' ? 'correct the strategy file' : `the line reads: ${location.lineText.trim()}`,
  );
}
