// Follows one page like a reader, block by block, in an empty folder in which the package is installed.

import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { parseDefinition, parseSource } from '../../src/definition/text/parse.ts';
import { yamlSource } from '../../src/definition/text/source.ts';
import { LIVE_FILE } from '../../src/tasks/bot/config/liveConfig.ts';
import { commandInKeptThread, type CommandLine } from '../fixtures/inProcess.ts';
import { LATE_OPTIMIZING } from '../fixtures/nodeOptions.ts';
import type { InstalledPackage } from '../fixtures/packed.ts';
import { stepsOf, type Block } from './blocks.ts';
import { PythonBlocks } from './pythonBlocks.ts';
import { writeReaderFiles } from './readerFiles.ts';

/** Time limit for a block. Blocks take seconds on a free machine. */
const BLOCK_TIMEOUT_MS = 300_000;
/** The Python packages that pages use. */
const PYTHON_PACKAGES = ['pandas', 'polars', 'pyarrow'];
/** The required keys of a run definition. They complete blocks that show only a part of one. */
const REQUIRED_KEYS = { strategy: 'x.ts', feeds: { bars: { symbol: 'BTCUSDT', interval: '1h' } }, cash: { USDT: '10000' } };

/** The folder of one reader, with what the blocks before have left in it. */
export class PageFixture {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'isobar-docs-')));
  readonly #installed: InstalledPackage;
  /** The reader's current folder. A `cd` in one block applies to the next. */
  #cwd = this.folder;
  /** The TypeScript files that the page has shown, by path, with the block that showed them last. */
  readonly #typescript = new Map<string, Block>();

  constructor(installed: InstalledPackage) {
    this.#installed = installed;
    symlinkSync(installed.modules, join(this.folder, 'node_modules'));
  }

  /** Removes the folder of the reader. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Runs a block. Returns what went wrong, or null. */
  async follow(block: Block): Promise<string | null> {
    const { language, file, text } = block;
    await writeReaderFiles(this.#cwd, text);
    if (file !== null) return this.#write(file, block);
    switch (language) {
      case 'sh':
        return this.#runShellBlock(text);
      case 'ts':
        return this.#runTypescript(block);
      case 'python':
        return this.#runPython(text);
      case 'yaml':
        return errorOf(() => this.#checkDefinition(text));
      case 'json':
        return errorOf(() => void JSON.parse(text));
      case 'text':
        return null;
      default:
        return `a block is one of sh, ts, python, yaml, json, text (output, not run), or has a file name; got '${language}'`;
    }
  }

  /** All TypeScript files that the page has shown. */
  get typescript(): ReadonlyMap<string, Block> {
    return this.#typescript;
  }

  /** Writes a block into its file. Returns what is wrong with its content, or null. */
  #write(file: string, block: Block): string | null {
    const path = join(this.#cwd, file);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, block.text);
    if (block.language === 'ts') this.#typescript.set(path, block);
    if (block.language === 'json') return errorOf(() => void JSON.parse(block.text));
    return block.language === 'yaml' ? errorOf(() => this.#checkDefinition(block.text)) : null;
  }

  /** Checks a run definition, a part of one, or the config of a bot. Throws if it is invalid. */
  #checkDefinition(text: string): void {
    const source = yamlSource('the block', this.#cwd, text);
    if (typeof source.data !== 'object') throw new Error('expected keys and values');
    // Only the config of a bot has an exchange.
    if (source.data !== null && 'exchange' in source.data) parseSource(LIVE_FILE, source);
    else parseDefinition({ ...source, data: { ...REQUIRED_KEYS, ...source.data } });
  }

  /**
   * Runs the lines of a block. An `isobar` command that needs no shell runs in this process, because a start takes longer than most
   * commands.
   */
  async #runShellBlock(text: string): Promise<string | null> {
    for (const step of stepsOf(text)) {
      const failure = 'isobar' in step ? await this.#runIsobar(step.isobar) : await this.#runBash(step.shell);
      if (failure !== null) return failure;
    }
    return null;
  }

  /** Runs the lines of a shell block. The next block starts in the folder where this one ended. */
  async #runBash(lines: string): Promise<string | null> {
    const folderFile = join(this.folder, '.cwd');
    const script = `set -euo pipefail\n${lines}\npwd > '${folderFile}'\n`;
    const failure = await this.#runProgram('bash', ['-c', script]);
    if (failure === null) this.#cwd = readFileSync(folderFile, 'utf8').trim();
    rmSync(folderFile, { force: true });
    return failure;
  }

  /** Runs an `isobar` command of the installed package in a thread of this process. Returns its output if it failed, else null. */
  async #runIsobar(args: readonly string[]): Promise<string | null> {
    const url = pathToFileURL(join(this.#installed.modules, 'isobar/dist/cli/main.js')).href;
    const { main } = (await import(url)) as { readonly main: CommandLine };
    const { code, stdout, stderr } = await commandInKeptThread(this.#cwd, shortenProve(args), main);
    return code === 0 ? null : failureText(code, `isobar ${args.join(' ')}\n${stdout}${stderr}`);
  }

  /** Bundles a TypeScript block and runs it. Returns what went wrong, or null. */
  async #runTypescript(block: Block): Promise<string | null> {
    const stem = join(this.#cwd, `.block${block.place.split(':').at(-1)}`);
    writeFileSync(`${stem}.ts`, block.text);
    this.#typescript.set(`${stem}.ts`, block);
    try {
      await build({
        entryPoints: [`${stem}.ts`],
        outfile: `${stem}.mjs`,
        bundle: true,
        packages: 'external',
        platform: 'node',
        format: 'esm',
        target: 'node20',
        logLevel: 'silent',
      });
    } catch (error) {
      return String(error);
    }
    return this.#runProgram(process.execPath, [...LATE_OPTIMIZING, `${stem}.mjs`]);
  }

  /** Runs a Python block, if Python is installed. Returns its output if it failed, else null. */
  async #runPython(text: string): Promise<string | null> {
    if (!hasPython()) return null;
    const { code, output } = await python.run(this.#cwd, text);
    return code === 0 ? null : failureText(code, output);
  }

  /** Runs a program. Returns its output if it failed, else null. */
  async #runProgram(program: string, args: readonly string[]): Promise<string | null> {
    const { code, output } = await this.#spawn(program, args, this.#cwd);
    return code === 0 ? null : failureText(code, output);
  }

  /** Runs a program with the installed package on its path. Resolves with exit code and output. */
  #spawn(program: string, args: readonly string[], cwd: string): Promise<{ code: number | null; output: string }> {
    return new Promise((resolve, reject) => {
      const path = `${commandFolder(this.#installed)}:${join(this.#installed.modules, '.bin')}:${process.env['PATH']}`;
      const env = { ...process.env, PATH: path, NO_COLOR: '1', FORCE_COLOR: '0', CI: '', VITEST: '' };
      const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: BLOCK_TIMEOUT_MS });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
      child.on('error', reject);
      child.on('close', (code, signal) => resolve({ code, output: signal === null ? output : `${output}\nended by ${signal}` }));
    });
  }
}

/**
 * Returns the type errors of all TypeScript that pages have shown, each with its page and line. Pages without an error are missing in the
 * result.
 */
export function typeErrors(
  { modules, folder }: InstalledPackage,
  fixtures: readonly PageFixture[],
): ReadonlyMap<PageFixture, readonly string[]> {
  const shownFiles = fixtures.flatMap((fixture) => Array.from(fixture.typescript, ([path, block]) => ({ fixture, path, block })));
  const errors = new Map<PageFixture, string[]>();
  if (shownFiles.length === 0) return errors;
  const options = ['--strict', '--noEmit', '--singleThreaded', '--skipLibCheck', '--allowImportingTsExtensions', '--target', 'ES2023'];
  const settings = ['--module', 'preserve', '--moduleResolution', 'bundler', '--types', 'node', '--noImplicitOverride'];
  // The files lie in different folders, each with its own node_modules. The compiler's start folder matters only for the types of Node.js.
  const paths = shownFiles.map(({ path }) => path);
  const args = [join(modules, '@typescript/native/bin/tsc'), ...options, ...settings, '--pretty', 'false', ...paths];
  const realFolder = realpathSync(folder);
  const { stdout } = spawnSync(process.execPath, args, { cwd: realFolder, encoding: 'utf8' });
  for (const line of stdout.split('\n')) {
    const [, path, blockLine, message] = /^(.+?)\((\d+),\d+\): (.*)$/.exec(line) ?? [];
    if (path === undefined && !line.includes('error')) continue;
    const shownFile = shownFiles.find((file) => path !== undefined && file.path === join(realFolder, path));
    // Output without a file, such as a wrong option, belongs to all pages.
    const problem = shownFile === undefined ? line : `${lineOf(shownFile.block, Number(blockLine))} ${message}`;
    for (const fixture of shownFile === undefined ? fixtures : [shownFile.fixture]) {
      errors.set(fixture, [...(errors.get(fixture) ?? []), problem]);
    }
  }
  return errors;
}

/** Returns the place of a line of the block, such as `page.md:17`. */
function lineOf({ place }: Block, row: number): string {
  const [page, line] = place.split(':');
  return `${page}:${Number(line) + row}`;
}

/** Returns the message of an error; null if there was none. */
function errorOf(check: () => void): string | null {
  try {
    check();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Shortens `isobar prove` to a tenth. Pages only show the command; test/e2e/prove.test.ts tests what it proves. */
const shortenProve = (args: readonly string[]): readonly string[] =>
  args[0] === 'prove' && !args.includes('--times') && !args.includes('--quick') ? [...args, '--quick'] : args;

/** Returns how a command has ended, with the last lines of its output. */
const failureText = (code: number | null, output: string): string =>
  `ended with ${code}\n${output.trimEnd().split('\n').slice(-40).join('\n')}`;

/** One Python process for the blocks of all pages, because loading the readers takes seconds. */
export const python = new PythonBlocks();
let isPythonInstalled: boolean | null = null;

/** Returns true if python3 has the packages that the pages use. Prints a line once if it does not. */
function hasPython(): boolean {
  if (isPythonInstalled !== null) return isPythonInstalled;
  try {
    const program = `import importlib.util; exit(None in map(importlib.util.find_spec, '${PYTHON_PACKAGES.join(' ')}'.split()))`;
    execFileSync('python3', ['-c', program], { stdio: 'ignore' });
    isPythonInstalled = true;
  } catch {
    console.log(`skipped: python3 with ${PYTHON_PACKAGES.join(', ')} is not installed, so python blocks are not run`);
    isPythonInstalled = false;
  }
  return isPythonInstalled;
}

/**
 * Returns a folder of commands that come before the system's in PATH. Its `npx` queries no registry, its `npm install` links the installed
 * package, and its `isobar` has the options for short runs. All other npm commands are npm's own.
 */
function commandFolder({ folder, modules }: InstalledPackage): string {
  const bin = join(folder, 'bin');
  if (existsSync(bin)) return bin;
  mkdirSync(bin);
  const npm = execFileSync('bash', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim();
  const scripts = {
    npx: '#!/bin/sh\n[ "$1" = --yes ] || [ "$1" = -y ] && shift\nexec "$@"\n',
    npm: `#!/bin/sh\ncase "$1" in i|install|ci) ln -sfn '${modules}' node_modules ;; *) exec '${npm}' "$@" ;; esac\n`,
    isobar: `#!/bin/sh\nexec '${process.execPath}' ${LATE_OPTIMIZING.join(' ')} '${join(modules, '.bin/isobar')}' "$@"\n`,
  };
  for (const [name, text] of Object.entries(scripts)) {
    writeFileSync(join(bin, name), text);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}
