// Tests the code of a page: scripts run without imports and cannot end their element, and markup escapes inserted text.

import { Script } from 'node:vm';
import { describe, expect, test } from 'vitest';
import { builtScript, pageCode } from './pageCode.ts';
import { html, scriptJson, scriptElement } from './markup.ts';

describe('the scripts of a page', () => {
  test.each(['report/run', 'report/sweep', 'report/compare', 'tasks/bot/dashboard'])(
    'the page %s has one script without imports',
    (page) => {
      const script = builtScript(`${page}/page/main`);
      expect(() => new Script(script)).not.toThrow();
      expect(script).not.toMatch(/^\s*(import|export)\b/m);
    },
  );

  test('the scripts of a page cannot end their element', () => {
    const { script, priceLibrary, plotLibrary } = pageCode();
    for (const code of [script, priceLibrary, plotLibrary]) expect(code).not.toMatch(/<\/script|<!--/i);
  });
});

describe('markup', () => {
  test('markup escapes inserted text and keeps inserted markup', () => {
    expect(html`<p title="${'"><script>'}">${html`<b>${'a & b'}</b>`}${[1, null, 'c']}</p>`.text).toBe(
      '<p title="&#34;&#62;&#60;script&#62;"><b>a &#38; b</b>1c</p>',
    );
  });

  test('a script element keeps its attributes and its code unchanged', () => {
    expect(html`<p>${scriptElement('a < b;', 'id="x"')}${scriptElement('')}</p>`.text).toBe(
      '<p><script id="x">a < b;</script><script></script></p>',
    );
  });

  test('data in a script element cannot end it', () => {
    const text = scriptJson({ name: '</script><!--' });
    expect(text).not.toContain('<');
    expect(JSON.parse(text)).toEqual({ name: '</script><!--' });
  });
});
