// One line of progress on stderr for work that takes over a second; quiet where stderr is no terminal, but for a line every ten seconds.

import { monotonicMs } from '../adapters/clock/wallClock.ts';
import { count, fixed } from '../report/html/page/format.ts';

export interface ProgressLine {
  /** `done` things of the `name`d work, `share` (0 to 1) of all of it. */
  readonly show: (name: string, done: number, share: number) => void;
  /** Removes the line. */
  readonly clear: () => void;
}

const FIRST_AFTER_MS = 1000;
const BAR_CELLS = 10;

/** `what` is counted, in the plural: rows, bars. */
export function progressLine(what: string): ProgressLine {
  const terminal = process.stderr.isTTY;
  const everyMs = terminal ? 100 : 10_000;
  const startMs = monotonicMs();
  let nextMs = startMs + FIRST_AFTER_MS;
  let shown = false;
  return {
    show(name, done, share) {
      const now = monotonicMs();
      if (now < nextMs) return;
      nextMs = now + everyMs;
      const text = progressText(name, what, done, share, now - startMs);
      process.stderr.write(terminal ? `\r${text}\u001b[K` : `${text}\n`);
      shown = terminal;
    },
    clear() {
      if (shown) process.stderr.write('\r\u001b[K');
      shown = false;
    },
  };
}

/** `name  42 %  ▇▇▇▇▁▁▁▁▁▁  1.2 M rows/s  0:03 left`, at most 100 columns. */
export function progressText(name: string, what: string, done: number, share: number, elapsedMs: number): string {
  const filled = Math.min(BAR_CELLS, Math.floor(share * BAR_CELLS));
  const perSecond = (done / elapsedMs) * 1000;
  const rate = perSecond >= 1e6 ? `${(perSecond / 1e6).toFixed(1)} M` : perSecond < 10 ? fixed(perSecond, 1) : count(Math.round(perSecond));
  const left = share > 0 ? Math.ceil((elapsedMs * (1 - share)) / share / 1000) : 0;
  const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
  const bar = '▇'.repeat(filled) + '▁'.repeat(BAR_CELLS - filled);
  const short = name.length > 40 ? `...${name.slice(-37)}` : name;
  return `${short}  ${String(Math.floor(share * 100)).padStart(2)} %  ${bar}  ${rate} ${what}/s  ${clock} left`;
}
