// Every block of the documentation does what its page says: the pages are followed top to bottom, each in an empty folder.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installPackage, ROOT, type InstalledPackage } from '../fixtures/packed.ts';
import { blocksOf, type Block } from './blocks.ts';
import { PageDesk } from './desk.ts';

const AT_ONCE = 2;
const TIMEOUT_MS = 180_000;
const pages = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const read = (page: string) => blocksOf(page, readFileSync(join(ROOT, page), 'utf8'));

let installed: InstalledPackage | null = null;
const problems = new Map<string, readonly string[]>();

beforeAll(async () => {
  installed = installPackage();
  const waiting = [...pages];
  const lane = async () => {
    for (let page = waiting.shift(); page !== undefined; page = waiting.shift()) problems.set(page, await follow(page));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}, TIMEOUT_MS);
afterAll(() => installed?.remove());

/** What is wrong with a page. After a block that failed the rest is not followed: it may rest on it. */
async function follow(page: string): Promise<readonly string[]> {
  if (installed === null) throw new Error('the package is installed first');
  const desk = new PageDesk(installed);
  try {
    for (const block of read(page).filter(({ norun }) => norun === null)) {
      const failure = await desk.follow(block);
      if (failure !== null) return [`${block.place} (${block.language}): ${failure}`];
    }
    return await desk.typeErrors();
  } finally {
    desk.remove();
  }
}

test.each(pages)('%s', (page) => expect(problems.get(page)?.join('\n')).toBe(''));

test('blocks that are not run say why', () => {
  const left: readonly Block[] = pages.flatMap(read).filter(({ norun }) => norun !== null);
  for (const { place, norun } of left) console.log(`not run: ${place}: ${norun}`);
  expect(left.filter(({ norun }) => norun?.trim() === '')).toEqual([]);
});
