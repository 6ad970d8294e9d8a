// What the dashboard's page is made of, read once: its script joined from compiled modules, the chart library, style and markup. Nothing of it is secret.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { InvariantError } from '../../base/errors.ts';
import { linked } from '../../report/html/link.ts';
import { DOCUMENT } from './document.ts';
import { DASHBOARD_STYLE } from './style.ts';

export interface Asset {
  readonly type: string;
  readonly body: Buffer;
}

const TEXT = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
} as const;
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="none" stroke="#2456b8" stroke-width="2" d="M1 12l4-5 3 3 6-8"/></svg>`;

/** By path. */
export function assets(): ReadonlyMap<string, Asset> {
  const asset = (type: keyof typeof TEXT, text: string): Asset => ({ type: TEXT[type], body: Buffer.from(text) });
  return new Map([
    ['/', asset('html', DOCUMENT)],
    ['/style.css', asset('css', DASHBOARD_STYLE)],
    ['/page.js', asset('js', linked(compiledPage()))],
    ['/charts.js', asset('js', chartLibrary())],
    ['/icon.svg', asset('svg', ICON)],
  ]);
}

/** Run from its source, the page is the one that was built last. */
function compiledPage(): URL {
  const places = ['./page/main.js', '../../../dist/live/dashboard/page/main.js'].map((path) => new URL(path, import.meta.url));
  const found = places.find((place) => existsSync(place));
  if (!found) throw new InvariantError(`${places[0]?.pathname}: the package is not built (npm run build)`);
  return found;
}

function chartLibrary(): string {
  const description = createRequire(import.meta.url).resolve('lightweight-charts/package.json');
  return readFileSync(join(dirname(description), 'dist', 'lightweight-charts.standalone.production.js'), 'utf8');
}
