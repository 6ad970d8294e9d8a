// Parts of the first screen that all pages share: the stamp with the hash, the trust strip, and the figure card.

import type { FigureText } from '../words/figures.ts';
import { html, type Markup } from './markup.ts';
import { THIN } from '../../base/text/format.ts';

/** Returns the stamp: the hash that identifies the result, who wrote the page, and the buttons of every page. */
export function stamp(name: string, hash: string, writer: string): Markup {
  return html`<div class="stamp">
    <p>
      <span class="muted">${name}</span> <code title="${hash}">${hash.slice(0, 12)}</code>
      <button type="button" data-copy="${hash}">copy</button>
    </p>
    <p class="muted">${writer}</p>
    <p class="tools">
      <button type="button" id="theme" aria-live="polite">theme: system</button>
      <button type="button" id="keys">keys <kbd>?</kbd></button>
    </p>
  </div>`;
}

export interface Chip {
  readonly label: string;
  readonly text: string;
  readonly note: string;
  readonly href: string;
  readonly isWarning: boolean;
}

/** Returns the trust strip: chips that link to details, and the warnings in one sentence. */
export function trustStrip(list: readonly Chip[], warnings: readonly string[]): Markup {
  const warning = warnings.length === 0 ? null : html`<p class="doubts"><b>Look here first</b> ${warnings.join('; ')}.</p>`;
  return html`<nav class="trust" aria-label="How far to trust it">
      ${list.map(
        ({ label, text, note, href, isWarning }) =>
          html`<a class="chip${isWarning ? ' warn' : ''}" href="#${href}" data-tip
            ><span class="muted">${label}</span> ${text}<span class="sr">${note}</span></a
          >`,
      )}
    </nav>
    ${warning}`;
}

/** Returns a number with its unit in smaller type. */
export function withUnit(text: string): Markup {
  const at = text.lastIndexOf(THIN);
  return at > 0 && /^\D+$/.test(text.slice(at + 1))
    ? html`${text.slice(0, at)}<span class="unit">${THIN}${text.slice(at + 1)}</span>`
    : html`${text}`;
}

/** Returns the card of one figure with a line below it. Its note appears on hover and focus. */
export function card({ label, text, note, sign, isNone, reason }: FigureText, sub: string, isWarning = false): Markup {
  const colour = isNone ? ' muted' : sign > 0 ? ' gain' : sign < 0 ? ' loss' : '';
  return html`<div class="card" tabindex="0" data-tip>
    <span class="label">${label}</span><span class="value${colour}">${withUnit(text)}</span
    ><span class="sub${isWarning && !isNone ? ' amber' : ''}">${reason ?? sub}</span><span class="sr">${note}</span>
  </div>`;
}
