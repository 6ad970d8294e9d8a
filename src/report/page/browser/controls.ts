// Page controls other than charts: theme, tooltips, copy buttons, keyboard shortcuts, printing and range buttons.

import { byId, element, forgetColours, oncePerFrame } from './dom.ts';
import type { TimeWindow } from './timeWindow.ts';

const THEMES = ['system', 'light', 'dark'] as const;
type Theme = (typeof THEMES)[number];
/** Factor of one zoom step. */
const ZOOM_STEP = 1.5;
/** Key under which the browser stores the chosen theme. */
const THEME_STORAGE_KEY = 'isobar-theme';
const DAY_MS = 86_400_000;
/** Lengths of the range buttons, in ms. */
const RANGE_MS: Readonly<Record<string, number>> = {
  '1d': DAY_MS,
  '1w': 7 * DAY_MS,
  '1M': 30 * DAY_MS,
  '3M': 91 * DAY_MS,
  '1y': 365 * DAY_MS,
};

/** Returns the theme that is set on the page. */
function currentTheme(): Theme {
  return THEMES.find((theme) => theme === document.documentElement.dataset['theme']) ?? 'system';
}

/**
 * Adds the theme switch. It follows the system until the reader chooses a theme, and remembers the choice. `onChange` redraws the charts.
 */
export function addTheme(onChange: () => void): { readonly next: () => void } {
  const button = byId('theme');
  const onThemeChange = () => {
    if (button) button.textContent = `theme: ${currentTheme()}`;
    forgetColours();
    onChange();
  };
  const next = () => {
    const theme = THEMES[(THEMES.indexOf(currentTheme()) + 1) % THEMES.length] ?? 'system';
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
    storeTheme(theme);
    onThemeChange();
  };
  if (button) button.textContent = `theme: ${currentTheme()}`;
  button?.addEventListener('click', next);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', onThemeChange);
  return { next };
}

/** Stores the choice in the browser. */
function storeTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(THEME_STORAGE_KEY);
    else localStorage.setItem(THEME_STORAGE_KEY, theme);
  } catch (error) {
    // Some browsers deny storage to a page from a file. The choice then lasts until the page is closed.
    if (!(error instanceof DOMException)) throw error;
  }
}

/** Distances of a tooltip from its element and from the edges of the window, in pixels. */
const TIP_GAP = 6;
const EDGE_GAP = 8;

/** Shows the hidden note of an element with `data-tip` beside it. */
export function addTips(): void {
  const tip = byId('tip');
  if (!tip) return;
  let owner: Element | null = null;
  const show = (target: EventTarget | null) => {
    const tipOwner = target instanceof Element ? target.closest('[data-tip]') : null;
    if (tipOwner === owner) return;
    owner = tipOwner;
    const text = tipOwner?.querySelector('.sr')?.textContent ?? '';
    tip.hidden = text === '';
    if (!tipOwner || text === '') return;
    tip.textContent = text;
    const box = tipOwner.getBoundingClientRect();
    const width = document.documentElement.clientWidth;
    const left = Math.min(Math.max(EDGE_GAP, box.left), width - tip.offsetWidth - EDGE_GAP);
    const fitsBelow = box.bottom + tip.offsetHeight + EDGE_GAP < innerHeight;
    const top = fitsBelow ? box.bottom + TIP_GAP : box.top - tip.offsetHeight - TIP_GAP;
    tip.style.left = `${left + scrollX}px`;
    tip.style.top = `${top + scrollY}px`;
  };
  document.addEventListener('pointerover', (event) => show(event.target));
  document.addEventListener('focusin', (event) => show(event.target));
  document.addEventListener('focusout', () => show(null));
}

/** Time for which a button says `copied`. */
const COPIED_SHOWN_MS = 1500;

/** Makes the copy buttons work. */
export function addCopying(): void {
  for (const button of document.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.addEventListener('click', () => {
      const text = button.dataset['copy'] ?? '';
      const showCopied = () => {
        button.textContent = 'copied';
        setTimeout(() => (button.textContent = 'copy'), COPIED_SHOWN_MS);
      };
      // A page from a file can be denied clipboard access. The text is then selected, so that the reader can copy it.
      navigator.clipboard.writeText(text).then(showCopied, () => selectText(button));
    });
  }
}

/** Selects the text beside a button. */
function selectText(button: HTMLElement): void {
  const code = button.parentElement?.querySelector('code');
  if (code) getSelection()?.selectAllChildren(code);
}

/** Adds printing support. Paper is light and narrow, and printing does not wait for a frame: `redraw` runs before and after it. */
export function addPrinting(redraw: (isPaper: boolean) => void): void {
  let theme: string | undefined;
  addEventListener('beforeprint', () => {
    theme = document.documentElement.dataset['theme'];
    document.documentElement.dataset['theme'] = 'light';
    document.documentElement.dataset['print'] = '';
    forgetColours();
    redraw(true);
  });
  addEventListener('afterprint', () => {
    if (theme === undefined) delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
    delete document.documentElement.dataset['print'];
    forgetColours();
    redraw(false);
  });
}

/** Calls `redraw` when the window width changes. The height is ignored, because phones change it while scrolling. */
export function addWidths(redraw: () => void): void {
  let width = innerWidth;
  addEventListener(
    'resize',
    oncePerFrame(() => {
      if (innerWidth === width) return;
      width = innerWidth;
      redraw();
    }),
  );
}

/**
 * Adds a scroll hint above each table that is wider than its box, because phones hide scroll bars. The hint disappears at the end of the
 * table. Call it again after tables were added.
 */
export function addScrollCues(): void {
  for (const box of document.querySelectorAll<HTMLElement>('.scroll:not([data-cued])')) {
    box.dataset['cued'] = '';
    const cue = element('p', { class: 'cue', 'aria-hidden': 'true' }, 'scroll for more →');
    const update = () => (cue.hidden = box.scrollLeft + box.clientWidth >= box.scrollWidth - 2);
    box.before(cue);
    box.addEventListener('scroll', update, { passive: true });
    const observer = new ResizeObserver(update);
    for (const observed of [box, ...box.children]) observer.observe(observed);
    update();
  }
}

/** Adds the buttons of a chart: time spans that end at the end of the window, and zoom. */
export function addRanges(target: string, timeWindow: TimeWindow): void {
  const group = document.querySelector(`[data-target="${target}"]`);
  group?.addEventListener('click', (event) => {
    const button = event.target instanceof HTMLElement ? event.target.closest('button') : null;
    const { range, zoom } = button?.dataset ?? {};
    if (zoom !== undefined) timeWindow.zoom(zoom === 'in' ? 1 / ZOOM_STEP : ZOOM_STEP);
    else if (range === 'all') timeWindow.show(timeWindow.runStartMs, timeWindow.runEndMs);
    else if (range !== undefined) timeWindow.show(timeWindow.toMs - (RANGE_MS[range] ?? timeWindow.spanMs), timeWindow.toMs);
  });
}

/** Adds keyboard shortcuts that work anywhere except in input fields. */
export function addKeys(actions: Readonly<Record<string, () => void>>): void {
  const list = byId('keys-list');
  const open = () => {
    if (list instanceof HTMLDialogElement && !list.open) list.showModal();
  };
  byId('keys')?.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const isListOpen = list instanceof HTMLDialogElement && list.open;
    if (event.target instanceof HTMLSelectElement || isListOpen) return;
    const action = event.key === '?' ? open : actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
}
