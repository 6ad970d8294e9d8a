// Joins the compiled scripts of a page into one script: each module becomes a function that returns its exports.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { InvariantError } from '../../base/errors.ts';

const IMPORT = /^import\s*\{([^}]*)\}\s*from\s*'([^']+)';$/gm;
const EXPORT = /^export (?:async )?(?:function|const|class) (\w+)/gm;

/** Returns the script of a page with resolved imports. `entry` is the URL of the compiled module that runs last. */
export function linked(entry: URL): string {
  const names = new Map<string, string>();
  const modules: string[] = [];
  const nameOf = (url: URL): string => {
    const known = names.get(url.href);
    if (known !== undefined) return known;
    const source = readFileSync(url, 'utf8').replace(/^\/\/# sourceMappingURL=.*$/m, '');
    const body = source.replace(IMPORT, (_, list: string, from: string) => {
      const module = nameOf(new URL(from, url));
      return `const {${list.replace(/\bas\b/g, ':')}} = ${module};`;
    });
    const exported = [...body.matchAll(EXPORT)].map((match) => match[1]);
    const inner = body.replace(EXPORT, (text) => text.slice('export '.length)).replace(/^export \{\};$/m, '');
    // An import or export in an unsupported form would be a syntax error in the reader's browser.
    const unusual = /^(?:import|export)\b.*$/m.exec(inner);
    if (unusual) throw new InvariantError(`${url.pathname}: the page's linker does not know '${unusual[0]}'`);
    const name = `m${names.size}`;
    names.set(url.href, name);
    modules.push(`const ${name} = (() => {\n${inner.trim()}\nreturn {${exported.join(', ')}};\n})();`);
    return name;
  };
  nameOf(entry);
  return modules.join('\n');
}

/** Scripts and style of a page. Created once in a process. */
export interface PageCode {
  readonly priceLibrary: string;
  readonly plotLibrary: string;
  readonly plotStyle: string;
  readonly script: string;
}

let made: PageCode | null = null;

export function pageCode(): PageCode {
  made ??= {
    priceLibrary: scriptSafe(inPackage('lightweight-charts', 'lightweight-charts.standalone.production.js')),
    ...plotCode(),
    script: pageScript('run/page/main.js'),
  };
  return made;
}

/** Returns the script and style of the plots alone. */
export function plotCode(): Pick<PageCode, 'plotLibrary' | 'plotStyle'> {
  return { plotLibrary: scriptSafe(inPackage('uplot', 'uPlot.iife.min.js')), plotStyle: inPackage('uplot', 'uPlot.min.css') };
}

/** Returns the text of a file in a package. A package does not export its standalone build, but its package.json leads to it. */
export function inPackage(name: string, file: string): string {
  const description = createRequire(import.meta.url).resolve(`${name}/package.json`);
  return readFileSync(join(dirname(description), 'dist', file), 'utf8');
}

/** Returns the script of a page of this room, for inclusion in a document. */
export function pageScript(path: string): string {
  return scriptSafe(linkedPage(`report/${path}`));
}

/** Returns the script of the page whose compiled entry is `path` in the package. When isobar runs from source, it uses the last build. */
export function linkedPage(path: string): string {
  const beside = new URL(`../../${path}`, import.meta.url);
  if (existsSync(beside)) return linked(beside);
  const built = new URL(`../../../dist/${path}`, import.meta.url);
  if (existsSync(built)) return linked(built);
  throw new InvariantError(`${beside.pathname} is absent: the package is not built (npm run build)`);
}

function scriptSafe(code: string): string {
  return code.replace(/<\/(script)/gi, '<\\/$1').replace(/<!--/g, '<\\!--');
}
