// The scripts of pages are joined here, so that no run reads their thirty modules again.
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const PAGES = ['report/run', 'report/sweep', 'report/compare', 'tasks/bot/dashboard'];

export async function linkPages(dist) {
  const { linked } = await import(pathToFileURL(resolve(dist, 'report/page/link.js')).href);
  for (const page of PAGES) {
    const file = resolve(dist, page, 'page/main.js');
    writeFileSync(file, `${linked(pathToFileURL(file))}\n`);
  }
}
