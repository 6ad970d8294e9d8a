// Scripts and styles that stand inside a page: those of the package's own pages, as the build has left them, and those of packages.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvariantError } from '../../base/errors.ts';
import { builtUrl, packageUrl } from '../../base/inPackage.ts';

/** Scripts and style of the page. Made once a process. */
export interface PageCode {
  readonly priceLibrary: string;
  readonly plotLibrary: string;
  readonly plotStyle: string;
  readonly script: string;
}

let made: PageCode | null = null;

export function pageCode(): PageCode {
  made ??= {
    priceLibrary: scriptSafe(fileOfPackage('lightweight-charts', 'lightweight-charts.standalone.production.js')),
    ...plotCode(),
    script: pageScript('run/page/main'),
  };
  return made;
}

/** Script and style of the plots alone. */
export function plotCode(): Pick<PageCode, 'plotLibrary' | 'plotStyle'> {
  return { plotLibrary: scriptSafe(fileOfPackage('uplot', 'uPlot.iife.min.js')), plotStyle: fileOfPackage('uplot', 'uPlot.min.css') };
}

/** A package does not export its standalone build by name, but its own description, which lies above it. */
export function fileOfPackage(name: string, file: string): string {
  const description = createRequire(packageUrl).resolve(`${name}/package.json`);
  return readFileSync(join(dirname(description), 'dist', file), 'utf8');
}

/** The script of a page of this room, to stand inside a document. */
export function pageScript(module: string): string {
  return scriptSafe(builtScript(`report/${module}`));
}

/** The built script of the page whose entry is `module`: one file without imports. */
export function builtScript(module: string): string {
  const url = builtUrl(module);
  if (!existsSync(url)) throw new InvariantError(`${fileURLToPath(url)} is absent: the package is not built (npm run build)`);
  return readFileSync(url, 'utf8');
}

function scriptSafe(code: string): string {
  return code.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
}
