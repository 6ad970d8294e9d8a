// Tests the file lists of CONTRIBUTING.md: one addition of each kind to a copy needs exactly these files, compiles and works.

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkTree } from '../architecture/check.mjs';
import { ROOT } from '../fixtures/packed.ts';
import { ADDITIONS, PROJECT, type Addition } from './additions.ts';

const COPIED_PATHS = ['src', 'test', 'strategies', 'bench', 'docs', 'config', 'backtests', 'package.json', 'tsconfig.json'];
/** The test runner's cache of compiled files. */
const COMPILE_CACHE = '.isobar-cache/native';
/** Folders that contain generated files. An addition is known to change a generated file if the file names the addition's marker. */
const GENERATED_FOLDERS = ['docs', 'docs/maintainers', 'config'];
const TIMEOUT_MS = 600_000;

/** The files that the page lists for one kind of addition. */
interface ListedAddition {
  /** Files that are edited by hand. */
  readonly editedFiles: readonly string[];
  readonly generatedFiles: readonly string[];
}

/** Returns the rows `| file | what to write | made by |` below each third-level heading. */
function listsOf(page: string): ReadonlyMap<string, ListedAddition> {
  return new Map(
    page
      .split(/^### /m)
      .slice(1)
      .map((section): [string, ListedAddition] => {
        const heading = section.slice(0, section.indexOf('\n')).trim();
        const rows = Array.from(section.matchAll(/^\| `([^`]+)` \|[^|]*\|([^|]*)\|$/gm), ([, path = '', maker = '']) => ({ path, maker }));
        const paths = (isGenerated: boolean) => rows.filter(({ maker }) => (maker.trim() !== '') === isGenerated).map(({ path }) => path);
        return [heading, { editedFiles: paths(false), generatedFiles: paths(true) }];
      }),
  );
}

/** Returns which files a list has without reason, and which ones it lacks. */
function listProblems(listed: readonly string[], edited: readonly string[]): readonly string[] {
  return [
    ...listed.filter((path) => !edited.includes(path)).map((path) => `listed, and not touched: ${path}`),
    ...edited.filter((path) => !listed.includes(path)).map((path) => `touched, and not listed: ${path}`),
  ];
}

/** Returns the files that the addition edits, by the names that a list has for them. */
const editedBy = ({ edits, marker }: Addition): readonly string[] =>
  Object.keys(edits).map((path) => path.replace(PROJECT, '').replaceAll(marker, '<name>'));

const page = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
const listsByAddition = listsOf(page);
const additions = Object.entries(ADDITIONS);
/** Folder of the copy with all additions. */
let copy = '';
/** What the compiler printed about the copy. */
let compilerOutput = '';
let testRun = { code: 0, text: '' };
/** The generated files that name each addition. */
const generatedFilesByName = new Map<string, readonly string[]>();

/** Runs Node in the copy, and returns its exit code and output. */
async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<{ readonly code: number; readonly text: string }> {
  const environment = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_OPTIONS|TEST$)/.test(name)));
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { cwd: copy, env: { ...environment, ...env, NO_COLOR: '1' }, maxBuffer: 1e8 },
      (error, stdout, stderr) => resolve({ code: error === null ? 0 : 1, text: `${stdout}${stderr}` }),
    );
  });
}

/** Applies the edits of an addition to the copy. */
function applyAddition({ edits }: Addition): void {
  for (const [path, edit] of Object.entries(edits)) {
    const file = join(copy, path);
    mkdirSync(dirname(file), { recursive: true });
    if (typeof edit === 'string') {
      if (existsSync(file)) throw new Error(`${path} exists already`);
      writeFileSync(file, edit);
      continue;
    }
    let text = readFileSync(file, 'utf8');
    for (const [from, to] of edit) {
      // Other additions may have inserted text before it, but the text itself is still there.
      if (!text.includes(from)) throw new Error(`${path} no longer contains: ${from}`);
      text = text.replace(from, () => to);
    }
    writeFileSync(file, text);
  }
}

/** A test that writes the files generated from tables. The two schemas are written by their own tests. */
const GENERATING_TEST = `import { writeFileSync } from 'node:fs';
import { test } from 'vitest';
import { coveragePage, tablesOf } from '../../docs/make/coverage.mjs';
import { demoSettings } from '../../src/paperExchange/process/demo.ts';
import { SWITCHES } from '../../src/paperExchange/dialect/switches.ts';
import { Service } from '../../src/paperExchange/service.ts';
import { endpointOf, OPS } from '../../src/protocol/endpoints/endpoints.ts';
import { ERROR_CODES } from '../../src/protocol/errors/errorCodes.ts';
import { openApi } from '../../src/protocol/openapi/openApi.ts';

test('the copy generates its pages', () => {
  const file = (name: string) => new URL('../../docs/' + name, import.meta.url);
  writeFileSync(file('maintainers/coverage.md'), coveragePage(tablesOf({ OPS, endpointOf, ERROR_CODES, SWITCHES, Service, demoSettings })));
  writeFileSync(file('openapi.json'), JSON.stringify(openApi(), null, 2) + '\\n');
});
`;
const SCHEMAS = ['test/e2e/schema.test.ts', 'test/live/exampleConfigs.test.ts'];

/** Returns the generated files that name the marker more often than in the original. */
function generatedFilesFor({ marker, edits }: Addition): readonly string[] {
  const countIn = (file: string) => readFileSync(file, 'utf8').split(marker).length;
  return GENERATED_FOLDERS.flatMap((folder) => readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`)).filter(
    (path) => /\.(md|json)$/.test(path) && edits[path] === undefined && countIn(join(copy, path)) > countIn(join(ROOT, path)),
  );
}

beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'isobar-copy-'));
  const isCopied = (path: string): boolean => !path.endsWith('/node_modules');
  // The copies keep their times, so that the test runner's cache of compiled files stays valid.
  for (const path of [...COPIED_PATHS, ...(existsSync(join(ROOT, COMPILE_CACHE)) ? [COMPILE_CACHE] : [])])
    cpSync(join(ROOT, path), join(copy, path), { recursive: true, filter: isCopied, preserveTimestamps: true });
  for (const path of ['node_modules', 'dist']) symlinkSync(join(ROOT, path), join(copy, path));
  mkdirSync(join(copy, 'test/added'));
  writeFileSync(join(copy, 'test/added/make.test.ts'), GENERATING_TEST);
  for (const [index, [, addition]] of additions.entries()) {
    applyAddition(addition);
    writeFileSync(join(copy, `test/added/proof${index}.test.ts`), addition.usageTest);
  }
  const compiler = join('node_modules', '@typescript', 'native', 'bin', 'tsc');
  const testPaths = [...new Set(['test/added', ...SCHEMAS, ...additions.flatMap(([, addition]) => addition.tests)])];
  const runner = join('node_modules', 'vitest', 'vitest.mjs');
  const [compiled, tested] = await Promise.all([
    // More threads would check the same types several times.
    run([compiler, '-p', '.', '--noEmit', '--singleThreaded']),
    run([runner, 'run', '--config', 'test/vitest.config.ts', '--reporter=dot', ...testPaths], { ISOBAR_UPDATE: '1' }),
    run(['docs/make/api.mjs']),
  ]);
  compilerOutput = compiled.text;
  testRun = tested;
  for (const [name, addition] of additions) generatedFilesByName.set(name, generatedFilesFor(addition));
}, TIMEOUT_MS);
afterAll(() => rmSync(copy, { recursive: true, force: true }));

it('CONTRIBUTING.md has a list for each kind of addition, and no other list', () => {
  expect([...listsByAddition.keys()]).toEqual(Object.keys(ADDITIONS));
});

describe.each(additions)('the list of CONTRIBUTING.md for "%s"', (name, addition) => {
  const list = listsByAddition.get(name) ?? { editedFiles: [], generatedFiles: [] };
  it('the list names exactly the files that the addition edits by hand', () =>
    expect(listProblems(list.editedFiles, editedBy(addition))).toEqual([]));
  it('the list names exactly the generated files that change with the addition', () =>
    expect(listProblems(list.generatedFiles, generatedFilesByName.get(name) ?? [])).toEqual([]));
});

it('a fill parameter touches at most six files', () => {
  const { editedFiles, generatedFiles } = listsByAddition.get('Fill parameter') ?? { editedFiles: [], generatedFiles: [] };
  expect(editedFiles.length + generatedFiles.length).toBeLessThanOrEqual(6);
});

it('the copy with all additions compiles', () => expect(compilerOutput).toBe(''));

it('the copy with all additions keeps the rules for rooms', () => {
  const { files: _, imports: __, ...found } = checkTree(join(copy, 'src'));
  expect(Object.values(found).flat()).toEqual([]);
});

it('the additions work, and the tests of their rooms pass', () => expect(testRun.code === 0 ? '' : testRun.text).toBe(''));

it('the comparison with a list reports a surplus file and a missing one', () => {
  const { editedFiles } = listsOf('### Command\n| file | what | made by |\n|---|---|---|\n| `a.ts` | x | |\n| `b.ts` | x | |\n').get(
    'Command',
  )!;
  expect(listProblems(editedFiles, ['b.ts', 'c.ts'])).toEqual(['listed, and not touched: a.ts', 'touched, and not listed: c.ts']);
});
