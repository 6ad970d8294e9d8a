// Names and comments use the words of the project: none of those that the word list bans, in files, folders, types, functions, members and
// locals, and none of its phrases.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bannedNames, bannedPhrases, sourcesOf, type WordList } from './words.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const LIST = JSON.parse(readFileSync(new URL('./wordlist.json', import.meta.url), 'utf8')) as WordList;

it('no name of src, test or bench has a banned word', () => {
  expect(bannedNames(sourcesOf(ROOT, ['src', 'test', 'bench']), LIST)).toEqual([]);
});

it('no comment of src has a banned phrase', () => {
  const sources = [...sourcesOf(ROOT, ['src'])].filter(([path]) => !path.endsWith('.test.ts'));
  expect(bannedPhrases(new Map(sources), LIST)).toEqual([]);
});

it('finds a phrase in comments of both kinds, and not in code', () => {
  const text = "const told = 'told';\n/** The one\n * that is told. */\nconst a = 1; // nobody is told\n";
  expect(bannedPhrases(new Map([['src/a.ts', text]]), { phrases: [{ pattern: '\\btold\\b', use: 'reported' }] })).toEqual([
    'src/a.ts:3: "told" (use reported)',
    'src/a.ts:4: "told" (use reported)',
  ]);
});

const SMALL: WordList = {
  phrases: [],
  banned: [
    { word: 'desk', use: 'the noun of what it manages', except: ['Owner.desk', 'reception_desk', 'src/front/**', 'src/side/*#desk'] },
  ],
};

it.each([
  ['a type', 'src/a.ts', 'interface HaltDesk {}', ['src/a.ts:1: HaltDesk: desk (use the noun of what it manages)']],
  ['a constant', 'src/a.ts', 'const MAX_DESKS = 1, DESK_SIZE = 2;', ['src/a.ts:1: DESK_SIZE: desk (use the noun of what it manages)']],
  [
    'a local, a parameter and a binding',
    'src/a.ts',
    'function f(desk: X) {\n  const { desk: { size } } = desk;\n}',
    [expect.stringContaining('src/a.ts:1: desk')],
  ],
  ['a private member', 'src/a.ts', 'class A {\n  #desk = 1;\n}', [expect.stringContaining('src/a.ts:2: desk')]],
  ['the key of an object', 'src/a.ts', 'const a = { desk: 1 };', [expect.stringContaining('src/a.ts:1: desk')]],
  [
    'not an exception by path and name',
    'src/side/a.ts',
    'const desk = 1, deskSize = 2;',
    ['src/side/a.ts:1: deskSize: desk (use the noun of what it manages)'],
  ],
  ['a file', 'src/halt/desk.ts', '', [expect.stringContaining('src/halt/desk.ts:0: desk')]],
  ['not a part of a word', 'src/a.ts', 'const desktop = 1;', []],
  ['not an exception by name', 'src/a.ts', 'const reception_desk = 1;', []],
  ['not an exception by owner', 'src/a.ts', 'interface Owner { desk: number }', []],
  ['not an exception by path', 'src/front/deep/a.ts', 'const desk = 1;', []],
])('finds %s', (_, path, text, expected) => {
  expect(bannedNames(new Map([[path, text]]), SMALL)).toEqual(expected);
});
