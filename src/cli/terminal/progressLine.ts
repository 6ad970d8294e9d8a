// A progress line on stderr for work that takes over a second. If stderr is not a terminal, it prints a line every ten seconds.

import { monotonicMs } from '../../adapters/clock/wallClock.ts';
import { count, fixed } from '../../base/text/format.ts';

export interface ProgressLine {
  /** Shows progress: `name` of the work, `done` items, `share` (0 to 1) of the whole. */
  readonly show: (name: string, done: number, share: number) => void;
  /** Removes the line. */
  readonly clear: () => void;
}

const FIRST_AFTER_MS = 1000;
const BAR_CELLS = 10;
const MAX_NAME_LENGTH = 40;
/** The shortest name. If it would get shorter, the bar or the rate is dropped. */
const MIN_NAME_LENGTH = 12;

/** Returns a progress line. `what` names the counted items in the plural: rows, bars. */
export function progressLine(what: string): ProgressLine {
  const isTerminal = process.stderr.isTTY;
  const everyMs = isTerminal ? 100 : 10_000;
  const startMs = monotonicMs();
  let nextMs = startMs + FIRST_AFTER_MS;
  let isShown = false;
  return {
    show(name, done, share) {
      const now = monotonicMs();
      if (now < nextMs) return;
      nextMs = now + everyMs;
      // Leaves the last column free, because some terminals wrap a line that fills it.
      const columns = isTerminal ? (process.stderr.columns || 100) - 1 : 100;
      const text = progressText(name, what, done, share, now - startMs, columns);
      process.stderr.write(isTerminal ? `\r${text}\u001b[K` : `${text}\n`);
      isShown = isTerminal;
    },
    clear() {
      if (isShown) process.stderr.write('\r\u001b[K');
      isShown = false;
    },
  };
}

/**
 * Returns `name  42 %  ▇▇▇▇▁▁▁▁▁▁  1.2 M rows/s  0:03 left`, at most `columns` wide. The name is cut first, then the bar is dropped, then
 * the rate.
 */
export function progressText(name: string, what: string, done: number, share: number, elapsedMs: number, columns = 100): string {
  const filled = Math.min(BAR_CELLS, Math.floor(share * BAR_CELLS));
  const perSecond = (done / elapsedMs) * 1000;
  const rate = perSecond >= 1e6 ? `${(perSecond / 1e6).toFixed(1)} M` : perSecond < 10 ? fixed(perSecond, 1) : count(Math.round(perSecond));
  const left = share > 0 ? Math.ceil((elapsedMs * (1 - share)) / share / 1000) : 0;
  const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')} left`;
  const percent = `${String(Math.floor(share * 100)).padStart(2)} %`;
  const bar = '▇'.repeat(filled) + '▁'.repeat(BAR_CELLS - filled);
  const figures = [`${percent}  ${bar}  ${rate} ${what}/s  ${clock}`, `${percent}  ${rate} ${what}/s  ${clock}`, `${percent}  ${clock}`];
  const max = Math.min(MAX_NAME_LENGTH, name.length);
  const fits = figures.find((text) => text.length + 2 + Math.min(max, MIN_NAME_LENGTH) <= columns) ?? percent;
  return `${shortenName(name, Math.min(max, columns - fits.length - 2))}  ${fits}`.slice(0, Math.max(0, columns));
}

/** Cuts the start of the name, because the end distinguishes one file from another. */
function shortenName(name: string, max: number): string {
  if (name.length <= max) return name;
  return max > 3 ? `...${name.slice(3 - max)}` : name.slice(0, Math.max(0, max));
}
