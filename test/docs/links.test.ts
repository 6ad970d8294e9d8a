// Tests that links of the documents lead to files, that docs/ indexes every page once, and that notes about speed link docs/performance.md.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../fixtures/packed.ts';

const pages = ['docs', 'docs/maintainers'].flatMap((folder) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`),
);
const linksOf = (page: string): readonly string[] =>
  Array.from(readFileSync(join(ROOT, page), 'utf8').matchAll(/\]\(([^)\s]+)\)/g), ([, target = '']) => target).filter(
    (target) => !/^(https?:|mailto:|#)/.test(target),
  );
const fileOf = (page: string, target: string): string => join(dirname(page), target.split('#')[0] ?? '');

it.each(['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...pages])('every link of %s leads to a file', (page) => {
  expect(linksOf(page).filter((target) => !existsSync(join(ROOT, fileOf(page, target))))).toEqual([]);
});

it('docs/README.md lists every other page of docs/ once', () => {
  const listed = linksOf('docs/README.md').map((target) => fileOf('docs/README.md', target));
  expect(listed.filter((path) => path.startsWith('docs/') && path.endsWith('.md')).toSorted()).toEqual(
    pages.filter((path) => path !== 'docs/README.md').toSorted(),
  );
});

/** Returns the named anchors that stand directly before a heading. */
const namesIn = (text: string): readonly string[] => Array.from(text.matchAll(/^<a id="([^"]+)"><\/a>\n+#+ /gm), ([, name = '']) => name);
/** Returns the anchors of a page: its headings and their named anchors. */
const anchorsOf = (page: string): readonly string[] => {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const slugs = Array.from(text.matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
  return [...slugs, ...namesIn(text)];
};

it('every anchor leads to a heading of its page', () => {
  const lost = ['README.md', 'CONTRIBUTING.md', ...pages].flatMap((page) =>
    linksOf(page)
      .filter((target) => target.includes('.md#'))
      .filter((target) => !anchorsOf(fileOf(page, target)).includes(target.split('#')[1] ?? ''))
      .map((target) => `${page}: ${target}`),
  );
  expect(lost).toEqual([]);
});

const sources = ['src', 'strategies', 'test', 'build', 'bench'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.m?ts$|\.mjs$/.test(name))
    .map((name) => `${folder}/${name}`),
);

it('every note of the sources that names docs/performance.md leads to a section', () => {
  const sections = namesIn(readFileSync(join(ROOT, 'docs/performance.md'), 'utf8'));
  const notes = sources.flatMap((file) =>
    Array.from(readFileSync(join(ROOT, file), 'utf8').matchAll(/docs\/performance\.md#([a-z\d-]+)/g), ([, name = '']) => ({ file, name })),
  );
  expect(notes.length).toBeGreaterThan(100);
  expect(notes.filter(({ name }) => !sections.includes(name))).toEqual([]);
  expect(sections.filter((section) => !notes.some(({ name }) => name === section))).toEqual([]);
});

it('the index of docs/performance.md lists every section once, in the order of the page', () => {
  const text = readFileSync(join(ROOT, 'docs/performance.md'), 'utf8');
  const listed = Array.from(text.matchAll(/^\| \[([a-z\d-]+)\]\(#\1\) \|/gm), ([, name = '']) => name);
  expect(listed).toEqual(namesIn(text));
});

it('no comment of src and strategies mentions V8', () => {
  const ours = sources.filter((file) => /^(src|strategies)\//.test(file));
  expect(ours.filter((file) => /^\s*\/?\*.*\bV8\b|\/\/.*\bV8\b/m.test(readFileSync(join(ROOT, file), 'utf8')))).toEqual([]);
});
