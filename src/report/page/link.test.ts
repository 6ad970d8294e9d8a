// The page's linker: modules become one script that runs, without imports, each with a scope of its own.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runInNewContext, Script } from 'node:vm';
import { afterAll, describe, expect, test } from 'vitest';
import { linked, pageCode } from './link.ts';
import { html, scriptJson } from './markup.ts';

const folder = mkdtempSync(join(tmpdir(), 'isobar-link-'));
afterAll(() => rmSync(folder, { recursive: true }));

function moduleAt(name: string, text: string): URL {
  writeFileSync(join(folder, name), text);
  return pathToFileURL(join(folder, name));
}

describe('the linker', () => {
  test('joins modules that share one, keeps their scopes apart, and runs each once', () => {
    moduleAt('base.js', "export const log = [];\nlog.push('base');\nexport class Thing {}\n//# sourceMappingURL=base.js.map\n");
    moduleAt('left.js', "import { log } from './base.js';\nconst own = 'left';\nexport function say() { log.push(own); }\n");
    const main = moduleAt(
      'main.js',
      "import { log as lines,\n  Thing } from './base.js';\nimport { say } from './left.js';\nconst own = new Thing() && 'main';\nsay();\nlines.push(own);\nresult(lines);\nexport {};\n",
    );
    let text: readonly string[] = [];
    runInNewContext(linked(main), { result: (lines: readonly string[]) => (text = [...lines]) });
    expect(text).toEqual(['base', 'left', 'main']);
  });

  test('refuses a form of import that it does not know', () => {
    expect(() => linked(moduleAt('odd.js', "import * as all from './base.js';\nall;\n"))).toThrow(/does not know 'import \* as all/);
  });

  test('makes the page one script that parses and cannot end its element', () => {
    const { script, priceLibrary, plotLibrary } = pageCode();
    expect(() => new Script(script)).not.toThrow();
    expect(script).not.toMatch(/^\s*(import|export)\b/m);
    for (const code of [script, priceLibrary, plotLibrary]) expect(code).not.toMatch(/<\/script|<!--/i);
  });
});

describe('markup', () => {
  test('escapes what is inserted, keeps what is markup', () => {
    expect(html`<p title="${'"><script>'}">${html`<b>${'a & b'}</b>`}${[1, null, 'c']}</p>`.text).toBe(
      '<p title="&#34;&#62;&#60;script&#62;"><b>a &#38; b</b>1c</p>',
    );
  });

  test('data in a script element cannot end it', () => {
    const text = scriptJson({ name: '</script><!--' });
    expect(text).not.toContain('<');
    expect(JSON.parse(text)).toEqual({ name: '</script><!--' });
  });
});
