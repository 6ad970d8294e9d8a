// Bundles a strategy file and its imports into one module. Its hash does not depend on where anything is installed.

import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { pathToFileURL } from 'node:url';
import { basename, dirname, extname, join, relative, sep } from 'node:path';
import type { BuildFailure, BuildResult, Loader, Message, Plugin } from 'esbuild';
import { ConfigError } from '../../base/errors.ts';
import type { Warning } from '../../model/warning.ts';
import { COMPOSE_TOKEN, HOST_TOKEN } from './hostToken.ts';
import { externalUseWarnings, packageFileTest, packageOf } from './externalUses.ts';
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

type Built = BuildResult<{ metafile: true; write: false }>;

/** Bundles `file` (an absolute path); `displayName` names it in messages. Throws ConfigError with file, line and column at a syntax error. */
export async function bundle(file: string, displayName: string): Promise<Bundle> {
  // The bundler follows links, and names all files relative to the folder that it works in.
  const path = realpathSync(file);
  const result = await buildFile(path, displayName, []);
  const foreignlyMapped = filesMappedIntoPackages(result, dirname(path));
  const plainResult = foreignlyMapped.length === 0 ? result : await buildFile(path, displayName, foreignlyMapped);
  return bundleFrom(plainResult, dirname(path), dirname(file));
}

/** Bundles a file. `unmapped`: absolute paths of files whose own source maps are ignored. */
function buildFile(file: string, displayName: string, unmapped: readonly string[]): Promise<Built> {
  return build({
    absWorkingDir: dirname(file),
    entryPoints: [`./${basename(file)}`],
    ...(unmapped.length === 0 ? {} : { plugins: [withoutOwnMaps(unmapped)] }),
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
}

const MAP_COMMENT = '# sourceMappingURL=';

/**
 * Returns the author's compiled files if a source map of one of them names a file of a package. What such a file calls would count as a call of that
 * package. `folder`: base of the paths of the build.
 */
function filesMappedIntoPackages({ metafile, outputFiles }: Built, folder: string): readonly string[] {
  const map = JSON.parse(outputFiles.find(({ path }) => path.endsWith('.map'))?.text ?? '{}') as { readonly sources?: readonly string[] };
  const isOfPackage = packageFileTest(folder);
  const isForeign = (source: string): boolean => isOfPackage(source) && !Object.hasOwn(metafile.inputs, source);
  if (map.sources?.some(isForeign) !== true) return [];
  const ownPaths = Object.keys(metafile.inputs).filter((path) => !isOfPackage(path) && /\.[cm]?[jt]sx?$/i.test(path));
  return ownPaths.map((path) => join(folder, path)).filter((path) => readFileSync(path, 'utf8').includes(MAP_COMMENT));
}

/** Returns a plugin that loads the files without their source maps. */
const withoutOwnMaps = (files: readonly string[]): Plugin => ({
  name: 'withoutOwnMaps',
  setup: (builder) =>
    builder.onLoad({ filter: /\.[cm]?[jt]sx?$/i }, ({ path }) => {
      if (!files.includes(path)) return null;
      const contents = readFileSync(path, 'utf8').replaceAll(MAP_COMMENT, '# withoutMap=');
      return {
        contents,
        loader: extname(path)
          .toLowerCase()
          .replace(/[.cm]+/, '') as Loader,
      };
    }),
});

/**
 * Returns a source map that also names the package in which the strategy file lies, such as one of strategies that were installed from npm. The files
 * of that package are the author's own. `folder`: of the strategy file.
 */
function withAuthorPackage(map: string, folder: string): string {
  const authorPackage = packageOf(pathToFileURL(folder).pathname);
  return authorPackage === '' ? map : JSON.stringify({ ...(JSON.parse(map) as object), authorPackage });
}

/** Modules of Node that cannot be imported in every thread. */
const NOT_IN_THREADS: ReadonlySet<string> = new Set(['trace_events', 'node:trace_events']);

/**
 * Returns code, without an end of line, that defines a `require` for the modules of Node that packages take by it. A module has none of its own,
 * and the bundler leaves such calls as they are. Empty if no package requires one.
 */
function nodeModulesByRequire({ metafile: { inputs } }: Built, folder: string): string {
  const isOfPackage = packageFileTest(folder);
  const required = Object.entries(inputs).flatMap(([path, { imports }]) =>
    isOfPackage(path) ? imports.filter(({ kind, external }) => kind === 'require-call' && external === true) : [],
  );
  const names = [...new Set(required.map(({ path }) => path))].filter((name) => isBuiltin(name) && !NOT_IN_THREADS.has(name)).toSorted();
  if (names.length === 0) return '';
  const imports = names.map((name, index) => `import __node${index} from ${JSON.stringify(name.replace(/^(?:node:)?/, 'node:'))}; `);
  const entries = names.map((name, index) => `[${JSON.stringify(name)}, __node${index}]`);
  const refusal = 'throw Error("Dynamic require of \\"" + name + "\\" is not supported");';
  const body = `if (require.modules.has(name)) return require.modules.get(name); ${refusal}`;
  return `${imports.join('')}function require(name) { ${body} } require.modules = new Map([${entries.join(', ')}]); `;
}

/** Returns the bundle of a build, with its hash and the files that went into it. `folder`: of the build. `inputFolder`: base of its inputs. */
function bundleFrom(result: Built, folder: string, inputFolder: string): Bundle {
  const outputText = (ending: string) => result.outputFiles.find((output) => output.path.endsWith(ending))?.text ?? '';
  const prefix = nodeModulesByRequire(result, folder);
  const bundledText = outputText('.mjs');
  // A line such as `#!/usr/bin/env node` may only be the first one.
  const code = prefix === '' ? bundledText : prefix + bundledText.replace(/^#!.*/, '');
  return {
    code,
    map: withAuthorPackage(outputText('.map'), folder),
    hash: createHash('sha256').update(code.replaceAll(HOST_TOKEN, 'isobar').replaceAll(COMPOSE_TOKEN, 'isobar/compose')).digest('hex'),
    inputs: Object.keys(result.metafile.inputs).map((path) => (folder === inputFolder ? path : relative(inputFolder, join(folder, path)))),
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
