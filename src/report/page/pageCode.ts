// Reads the scripts and styles that a page contains: the built scripts of isobar, and the chart libraries.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { InvariantError } from '../../base/errors.ts';
import { builtUrl, packageUrl } from '../../base/inPackage.ts';

/** Scripts and style of the page of a run. */
export interface PageCode {
  readonly priceLibrary: string;
  readonly plotLibrary: string;
  readonly plotStyle: string;
  readonly script: string;
}

let cachedCode: PageCode | null = null;

/** Returns the scripts and the style of the page of a run. They are read once for each process. */
export function pageCode(): PageCode {
  cachedCode ??= {
    priceLibrary: scriptSafe(fileOfPackage('lightweight-charts', 'lightweight-charts.standalone.production.js')),
    ...plotCode(),
    script: pageScript('run/page/main'),
  };
  return cachedCode;
}

/** Returns the script and the style of the plots alone. */
export function plotCode(): Pick<PageCode, 'plotLibrary' | 'plotStyle'> {
  return { plotLibrary: scriptSafe(fileOfPackage('uplot', 'uPlot.iife.min.js')), plotStyle: fileOfPackage('uplot', 'uPlot.min.css') };
}

/** Returns a file of a package's `dist` folder. Packages do not export that folder, so it is found beside their package.json. */
export function fileOfPackage(name: string, file: string): string {
  const description = createRequire(packageUrl).resolve(`${name}/package.json`);
  return readFileSync(join(dirname(description), 'dist', file), 'utf8');
}

/** Returns the script of a page, safe inside a script element. `module` is a path below src/report. */
export function pageScript(module: string): string {
  return scriptSafe(builtScript(`report/${module}`));
}

/** Returns a built script: one file without imports. Throws InvariantError when the package is not built. */
export function builtScript(module: string): string {
  const url = builtUrl(module);
  if (!existsSync(url)) throw new InvariantError(`${fileURLToPath(url)} is absent: the package is not built (npm run build)`);
  return readFileSync(url, 'utf8');
}

/** Returns code that cannot end its script element or start a comment. */
function scriptSafe(code: string): string {
  return code.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
}
