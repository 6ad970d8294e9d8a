// Tests that the code uses the words of the project. No name of a file, folder, type, function, member or local has a banned word of
// wordlist.json. No comment, message or test title has a banned phrase. The last tests check the search itself.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { bannedNames, bannedPhrases, checkedFiles, messagesIn, sourcesOf, titlesIn, type WordList } from './words.ts';

const ROOT = new URL('../..', import.meta.url).pathname;
const WORD_LIST = JSON.parse(readFileSync(new URL('./wordlist.json', import.meta.url), 'utf8')) as WordList;
/** This file quotes banned phrases in its examples, so its comments are not checked. */
const THIS_FILE = 'test/architecture/words.test.ts';

it('no name of src, test or bench has a banned word', () => {
  expect(bannedNames(sourcesOf(ROOT, ['src', 'test', 'bench']), WORD_LIST)).toEqual([]);
});

it('no comment has a banned phrase', () => {
  const sources = [...sourcesOf(ROOT, ['src', 'test', 'strategies', 'bench', 'build'])].filter(([path]) => path !== THIS_FILE);
  expect(bannedPhrases(new Map(sources), WORD_LIST)).toEqual([]);
});

it('no message of src has a banned phrase', () => {
  const sources = [...sourcesOf(ROOT, ['src'])].filter(([path]) => !path.endsWith('.test.ts'));
  expect(bannedPhrases(checkedFiles(new Map(sources), WORD_LIST), WORD_LIST, messagesIn)).toEqual([]);
});

it('no test title has a banned phrase', () => {
  const tests = [...sourcesOf(ROOT, ['src', 'test', 'strategies'])].filter(([path]) => /\.test\.ts$|^test\//.test(path));
  expect(bannedPhrases(checkedFiles(new Map(tests), WORD_LIST), WORD_LIST, titlesIn)).toEqual([]);
});

it('every rule under `unchecked` of the word list excludes at least one phrase, so that no rule outlives its reason', () => {
  const files = sourcesOf(ROOT, ['src', 'test', 'strategies']);
  const unneeded = WORD_LIST.unchecked.filter((rule) => {
    const checked = checkedFiles(files, { ...WORD_LIST, unchecked: [rule] });
    const excluded = new Map([...files].filter(([path]) => !checked.has(path)));
    return bannedPhrases(excluded, WORD_LIST, messagesIn).length + bannedPhrases(excluded, WORD_LIST, titlesIn).length === 0;
  });
  expect(unneeded).toEqual([]);
});

it('the search of messages finds a phrase in any case and in each part of a template, not in names or codes', () => {
  const text = "const told = 'told';\nfail('Told: nobody, TOLD');\nfail(`${who}\n was told ${what}`);\n";
  expect(bannedPhrases(new Map([['src/a.ts', text]]), { phrases: [{ pattern: '\\btold\\b', use: 'reported' }] }, messagesIn)).toEqual([
    'src/a.ts:2: "Told" (use reported)',
    'src/a.ts:4: "told" (use reported)',
  ]);
});

it('the search of titles finds a phrase in the title of a test, a table of tests or a group, and nowhere else', () => {
  const text = "it('is told', f('told so'));\ntest.each([['told so']])('%s is told', f);\ndescribe(`${a} told`, f);\nexpect('is told');\n";
  expect(bannedPhrases(new Map([['src/a.test.ts', text]]), { phrases: [{ pattern: '\\btold\\b', use: 'reported' }] }, titlesIn)).toEqual([
    'src/a.test.ts:1: "told" (use reported)',
    'src/a.test.ts:2: "told" (use reported)',
    'src/a.test.ts:3: "told" (use reported)',
  ]);
});

it('the search of comments finds a phrase in comments of both kinds, and not in code', () => {
  const text = "const told = 'told';\n/** The one\n * that is told. */\nconst a = 1; // nobody is told\n";
  expect(bannedPhrases(new Map([['src/a.ts', text]]), { phrases: [{ pattern: '\\btold\\b', use: 'reported' }] })).toEqual([
    'src/a.ts:3: "told" (use reported)',
    'src/a.ts:4: "told" (use reported)',
  ]);
});

/** A word list with one banned word, `desk`, and one exception of each kind. */
const ONE_WORD_LIST: WordList = {
  phrases: [],
  unchecked: [],
  banned: [
    { word: 'desk', use: 'the noun of what it manages', except: ['Owner.desk', 'reception_desk', 'src/front/**', 'src/side/*#desk'] },
  ],
};

it.each([
  ['a type', 'src/a.ts', 'interface HaltDesk {}', ['src/a.ts:1: HaltDesk: desk (use the noun of what it manages)']],
  ['a constant', 'src/a.ts', 'const MAX_DESKS = 1, DESK_SIZE = 2;', ['src/a.ts:1: DESK_SIZE: desk (use the noun of what it manages)']],
  [
    'a parameter',
    'src/a.ts',
    'function f(desk: X) {\n  const { desk: { size } } = desk;\n}',
    [expect.stringContaining('src/a.ts:1: desk')],
  ],
  ['a private member', 'src/a.ts', 'class A {\n  #desk = 1;\n}', [expect.stringContaining('src/a.ts:2: desk')]],
  ['the key of an object', 'src/a.ts', 'const a = { desk: 1 };', [expect.stringContaining('src/a.ts:1: desk')]],
  [
    'a name that only begins with an exception by path and name',
    'src/side/a.ts',
    'const desk = 1, deskSize = 2;',
    ['src/side/a.ts:1: deskSize: desk (use the noun of what it manages)'],
  ],
  ['a file', 'src/halt/desk.ts', '', [expect.stringContaining('src/halt/desk.ts:0: desk')]],
  ['nothing in a part of a word', 'src/a.ts', 'const desktop = 1;', []],
  ['nothing in an exception by name', 'src/a.ts', 'const reception_desk = 1;', []],
  ['nothing in an exception by owner', 'src/a.ts', 'interface Owner { desk: number }', []],
  ['nothing in an exception by path', 'src/front/deep/a.ts', 'const desk = 1;', []],
])('the search of names finds %s', (_, path, text, expected) => {
  expect(bannedNames(new Map([[path, text]]), ONE_WORD_LIST)).toEqual(expected);
});
