// The public files of the dashboard page, read once: its built script, the chart library, style and markup.

import { builtScript, fileOfPackage } from '../../../report/page/pageCode.ts';
import { DOCUMENT } from './document.ts';
import { DASHBOARD_STYLE } from './style.ts';

/** A file of the page, as the server sends it. */
export interface PageAsset {
  readonly type: string;
  readonly body: Buffer;
}

const CONTENT_TYPES = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
} as const;
/** A line chart. */
const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path fill="none" stroke="#2456b8" stroke-width="2" d="M1 12l4-5 3 3 6-8"/></svg>`;

/** Returns the files by URL path. */
export function assets(): ReadonlyMap<string, PageAsset> {
  const asset = (type: keyof typeof CONTENT_TYPES, text: string): PageAsset => ({ type: CONTENT_TYPES[type], body: Buffer.from(text) });
  return new Map([
    ['/', asset('html', DOCUMENT)],
    ['/style.css', asset('css', DASHBOARD_STYLE)],
    ['/page.js', asset('js', builtScript('tasks/bot/dashboard/page/main'))],
    ['/charts.js', asset('js', fileOfPackage('lightweight-charts', 'lightweight-charts.standalone.production.js'))],
    ['/icon.svg', asset('svg', ICON)],
  ]);
}
