// Tests that every exported name of src stands for one thing. No two files declare an export with the same name. No file has a type of its
// own with the name of another file's export.

import { posix } from 'node:path';
import ts from 'typescript59';
import { expect, it } from 'vitest';
import { sourcesOf } from './words.ts';

const ROOT = new URL('../..', import.meta.url).pathname;

it('no name is exported by two files of src, and none is a type that another file keeps to itself', () => {
  const sources = [...sourcesOf(ROOT, ['src'])].filter(([path]) => !path.endsWith('.test.ts'));
  expect(repeatedNames(new Map(sources))).toEqual([]);
});

it.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
  [
    'a type, a function and a constant',
    {
      'a.ts': 'export interface Row {}\nexport function rowOf() {}\nexport const [ROWS, { max: MAX }] = f();',
      'b.ts': 'export class Row {}\nexport const rowOf = 1, MAX = 2;',
    },
    ['MAX: a.ts, b.ts', 'Row: a.ts, b.ts', 'rowOf: a.ts, b.ts'],
  ],
  ['a list of exports', { 'a.ts': 'const row = 1;\nexport { row as sum };', 'b.ts': 'export type sum = 1;' }, ['sum: a.ts as row, b.ts']],
  ['an alias', { 'a.ts': "export { a as b } from './c.ts';", 'b.ts': 'export const b = 1;', 'c.ts': '' }, ['b: b.ts, c.ts as a']],
  ['not a re-export', { 'a.ts': "export { a } from './b.ts';", 'b.ts': "export { a } from './c.ts';", 'c.ts': 'export let a = 1;' }, []],
  ['not an import that is exported', { 'a.ts': "import { a as c } from './b.ts';\nexport { c as a };", 'b.ts': 'export enum a {}' }, []],
  [
    'a type that a file keeps to itself',
    { 'a.ts': 'interface Row {}\ntype Fill = 1;', 'b.ts': 'export const Row = 1;', 'c.ts': 'class Fill {}' },
    ['Row: a.ts, b.ts'],
  ],
  ['not a value that a file keeps to itself', { 'a.ts': 'const a = 1;\nexport default a;', 'b.ts': 'export const a = 1;' }, []],
])('the check of exported names finds %s', (_, files, expected) => {
  expect(repeatedNames(new Map(Object.entries(files)))).toEqual(expected);
});

/** Comments are not parsed, which would take longer than the rest. */
const PARSING: ts.CreateSourceFileOptions = {
  languageVersion: ts.ScriptTarget.Latest,
  jsDocParsingMode: ts.JSDocParsingMode.ParseNone,
};

/** A name with the file that declares or exports it. */
interface Place {
  readonly path: string;
  readonly name: string;
}

/** What one source declares. */
interface Declared {
  /** By exported name: the place where the export leads to, which is the source's own or that of an import. */
  readonly exported: ReadonlyMap<string, Place>;
  /** Types at the top of the source that are not exported. */
  readonly ownTypes: readonly string[];
}

/** Returns each exported name with several declarations, as `name: files`. A file that exports the thing under another name adds `as name`. */
function repeatedNames(files: ReadonlyMap<string, string>): string[] {
  const sources = new Map([...files].map(([path, text]) => [path, declaredIn(path, text)]));
  const placesByName = new Map<string, Set<string>>();
  for (const [path, { exported }] of sources) {
    for (const name of exported.keys()) {
      const declaration = declarationOf({ path, name }, sources);
      placesByName.set(
        name,
        (placesByName.get(name) ?? new Set()).add(
          declaration.name === name ? declaration.path : `${declaration.path} as ${declaration.name}`,
        ),
      );
    }
  }
  for (const [path, { ownTypes }] of sources) for (const name of ownTypes) placesByName.get(name)?.add(path);
  return [...placesByName]
    .filter(([, paths]) => paths.size > 1)
    .map(([name, paths]) => `${name}: ${[...paths].toSorted().join(', ')}`)
    .toSorted();
}

/** Returns the declaration that a file exports under a name, behind any number of re-exports. */
function declarationOf(place: Place, sources: ReadonlyMap<string, Declared>): Place {
  const next = sources.get(place.path)?.exported.get(place.name);
  return next === undefined || (next.path === place.path && next.name === place.name) ? place : declarationOf(next, sources);
}

/** Returns what a source declares. */
function declaredIn(path: string, text: string): Declared {
  const exported = new Map<string, Place>();
  const imported = new Map<string, Place>();
  const ownTypes: string[] = [];
  for (const statement of ts.createSourceFile(path, text, PARSING).statements) {
    if (ts.isImportDeclaration(statement)) {
      const bindings = statement.importClause?.namedBindings;
      if (bindings && ts.isNamedImports(bindings)) addSpecifiers(bindings.elements, fromOf(path, statement.moduleSpecifier), imported);
    } else if (ts.isExportDeclaration(statement)) {
      const { exportClause: clause, moduleSpecifier } = statement;
      if (clause && ts.isNamedExports(clause)) addSpecifiers(clause.elements, fromOf(path, moduleSpecifier), exported);
    } else if (isExported(statement)) {
      for (const name of namesOf(statement)) exported.set(name, { path, name });
    } else if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement) || ts.isClassDeclaration(statement)) {
      ownTypes.push(...namesOf(statement));
    }
  }
  // `export { a }` of an import leads to where the import comes from.
  const resolved = [...exported].map(([name, place]) => [name, (place.path === path && imported.get(place.name)) || place] as const);
  return { exported: new Map(resolved), ownTypes };
}

/** Adds `{ name as alias }` of an import or an export: by alias, the place in the file `from`. */
function addSpecifiers(specifiers: Iterable<ts.ImportOrExportSpecifier>, from: string, places: Map<string, Place>): void {
  for (const { name, propertyName } of specifiers) places.set(name.text, { path: from, name: (propertyName ?? name).text });
}

/** Returns the file that an import names, or the file itself for `export { ... }` without `from`. */
function fromOf(path: string, specifier: ts.Expression | undefined): string {
  if (specifier === undefined || !ts.isStringLiteral(specifier)) return path;
  return specifier.text.startsWith('.') ? posix.join(posix.dirname(path), specifier.text) : specifier.text;
}

const isExported = (statement: ts.Statement): boolean =>
  ts.canHaveModifiers(statement) && (ts.getModifiers(statement) ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword);

/** Returns the names that a statement declares. */
function namesOf(statement: ts.Statement): string[] {
  if (ts.isVariableStatement(statement)) return statement.declarationList.declarations.flatMap(({ name }) => boundNames(name));
  const { name } = statement as ts.DeclarationStatement;
  return name === undefined ? [] : [name.text];
}

/** Returns the names of a declaration such as `a`, `[a, b]` or `{ a, b: [c] }`. */
function boundNames(name: ts.BindingName): string[] {
  if (ts.isIdentifier(name)) return [name.text];
  return name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundNames(element.name) : []));
}
