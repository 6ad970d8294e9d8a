// Links of the documents lead to files, and the index of docs/ has every page once.

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

it('every anchor leads to a heading of its page', () => {
  const slugs = (page: string): readonly string[] =>
    Array.from(readFileSync(join(ROOT, page), 'utf8').matchAll(/^#+ (.+)$/gm), ([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    );
  const lost = ['README.md', 'CONTRIBUTING.md', ...pages].flatMap((page) =>
    linksOf(page)
      .filter((target) => target.includes('.md#'))
      .filter((target) => !slugs(fileOf(page, target)).includes(target.split('#')[1] ?? ''))
      .map((target) => `${page}: ${target}`),
  );
  expect(lost).toEqual([]);
});
