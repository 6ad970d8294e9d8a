// Shows the progress of work that takes over a second on stderr: one changing line on a terminal, else a new line every ten seconds.

import { monotonicMs } from '../../adapters/clock/wallClock.ts';
import { wholeText, fixed } from '../../base/text/format.ts';

/** A line of a terminal that shows how far some work is. */
export interface ProgressLine {
  /** Shows the name of the work, the number of items done, and the share of the work that is done (0 to 1). */
  readonly show: (name: string, done: number, share: number) => void;
  /** Removes the line. */
  readonly clear: () => void;
}

/** Time without a line at the start of the work. */
const FIRST_AFTER_MS = 1000;
/** Time from one line to the next: of a terminal, and of a file or pipe, where each line stays. */
const TERMINAL_REDRAW_MS = 100;
const FILE_REDRAW_MS = 10_000;
/** Width of the line if the terminal does not report its own, in characters. */
const DEFAULT_COLUMNS = 100;
const BAR_CELLS = 10;
const MAX_NAME_LENGTH = 40;
/** If the name would get shorter than this, the line has no bar or no rate. */
const MIN_NAME_LENGTH = 12;

/** Returns a progress line. `unit` names the counted items in the plural: rows, bars. */
export function progressLine(unit: string): ProgressLine {
  const isTerminal = process.stderr.isTTY;
  const redrawMs = isTerminal ? TERMINAL_REDRAW_MS : FILE_REDRAW_MS;
  const startMs = monotonicMs();
  let nextMs = startMs + FIRST_AFTER_MS;
  let isShown = false;
  return {
    show(name, done, share) {
      const now = monotonicMs();
      if (now < nextMs) return;
      nextMs = now + redrawMs;
      // The last column stays free, because some terminals wrap a line that fills it.
      const columns = isTerminal ? (process.stderr.columns || DEFAULT_COLUMNS) - 1 : DEFAULT_COLUMNS;
      const text = progressText({ name, unit, doneCount: done, doneShare: share, elapsedMs: now - startMs }, columns);
      process.stderr.write(isTerminal ? `\r${text}\u001b[K` : `${text}\n`);
      isShown = isTerminal;
    },
    clear() {
      if (isShown) process.stderr.write('\r\u001b[K');
      isShown = false;
    },
  };
}

/** How far a task is. */
interface TaskProgress {
  /** The name of the task or of its current part. */
  readonly name: string;
  /** The counted items in the plural: rows, bars. */
  readonly unit: string;
  /** Number of items that are done. */
  readonly doneCount: number;
  /** Part of the task that is done, from 0 to 1. */
  readonly doneShare: number;
  readonly elapsedMs: number;
}

/**
 * Returns a line such as `name  42 %  ▇▇▇▇▁▁▁▁▁▁  1.2 M rows/s  0:03 left` of at most `columns` characters. If the line is too long, the
 * name gets shorter first. Then the bar is left out, then the rate.
 */
export function progressText({ name, unit, doneCount, doneShare, elapsedMs }: TaskProgress, columns = DEFAULT_COLUMNS): string {
  const filled = Math.min(BAR_CELLS, Math.floor(doneShare * BAR_CELLS));
  const perSecond = (doneCount / elapsedMs) * 1000;
  const rate = rateText(perSecond);
  const secondsLeft = doneShare > 0 ? Math.ceil((elapsedMs * (1 - doneShare)) / doneShare / 1000) : 0;
  const timeLeft = `${Math.floor(secondsLeft / 60)}:${String(secondsLeft % 60).padStart(2, '0')} left`;
  const percent = `${String(Math.floor(doneShare * 100)).padStart(2)} %`;
  const bar = '▇'.repeat(filled) + '▁'.repeat(BAR_CELLS - filled);
  // From the longest text to the shortest.
  const texts = [
    `${percent}  ${bar}  ${rate} ${unit}/s  ${timeLeft}`,
    `${percent}  ${rate} ${unit}/s  ${timeLeft}`,
    `${percent}  ${timeLeft}`,
  ];
  const maxNameLength = Math.min(MAX_NAME_LENGTH, name.length);
  const minNameLength = Math.min(maxNameLength, MIN_NAME_LENGTH);
  const text = texts.find((candidate) => candidate.length + 2 + minNameLength <= columns) ?? percent;
  const shortName = shortenName(name, Math.min(maxNameLength, columns - text.length - 2));
  return `${shortName}  ${text}`.slice(0, Math.max(0, columns));
}

/** Returns a rate such as `1.2 M`, `12,345` or `3.5`. */
function rateText(perSecond: number): string {
  if (perSecond >= 1e6) return `${(perSecond / 1e6).toFixed(1)} M`;
  return perSecond < 10 ? fixed(perSecond, 1) : wholeText(Math.round(perSecond));
}

/** Returns at most `maxLength` characters of the name. Cuts its start, because the end distinguishes one file from another. */
function shortenName(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name;
  return maxLength > 3 ? `...${name.slice(3 - maxLength)}` : name.slice(0, Math.max(0, maxLength));
}
