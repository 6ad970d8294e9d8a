// Parts of the first screen that all pages share: the stamp with the hash, the trust strip, and the figure card.

import type { FigureText } from '../words/figures.ts';
import { html, type Markup } from './markup.ts';
import { THIN } from '../../base/text/format.ts';

/** Returns the stamp: the hash that identifies the result, the version that wrote the page, and the buttons of every page. */
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

/** One statement of the trust strip. `note` appears on hover, and `href` is the id of the section with the details. */
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
  const unitStart = text.lastIndexOf(THIN);
  return unitStart > 0 && /^\D+$/.test(text.slice(unitStart + 1))
    ? html`${text.slice(0, unitStart)}<span class="unit">${THIN}${text.slice(unitStart + 1)}</span>`
    : html`${text}`;
}

/** Returns the card of one figure with a line below it. Its note appears on hover and focus. */
export function card({ label, text, note, sign, isNone, reason }: FigureText, sub: string, isWarning = false): Markup {
  const lossColour = sign < 0 ? ' loss' : '';
  const signColour = sign > 0 ? ' gain' : lossColour;
  const colour = isNone ? ' muted' : signColour;
  return html`<div class="card" tabindex="0" data-tip>
    <span class="label">${label}</span><span class="value${colour}">${withUnit(text)}</span
    ><span class="sub${isWarning && !isNone ? ' amber' : ''}">${reason ?? sub}</span><span class="sr">${note}</span>
  </div>`;
}
