// Generates the bar files that a page assumes, from a seed, when a block first names one that does not exist.

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { synthesizeBars } from '../../src/adapters/catalog/generate/generate.ts';
import { parseInterval, typicalLengthMs } from '../../src/model/interval.ts';

/**
 * File names such as `BTCUSDT-1h.csv.gz` and `ETHUSDT-1m-2024-01.csv`. A name with a path does not count, because the page writes such
 * files itself.
 */
const BAR_FILE_NAME = /(?<![\w/.-])([A-Z]+(?:USDT|USD|EUR))-(\d+[mhdwM])(?:-(\d{4})-(\d\d))?\.csv(\.gz)?(?![\w-])/g;
const MAX_BARS = 8000;
const YEAR_MS = 366 * 86_400_000;

/** Writes the files that `text` names and `folder` lacks. */
export async function writeReaderFiles(folder: string, text: string): Promise<void> {
  for (const [name, symbol, length, year, month, gz] of text.matchAll(BAR_FILE_NAME)) {
    const interval = parseInterval(length!);
    const path = join(folder, name);
    if (interval === null || existsSync(path)) continue;
    const fromMs = Date.UTC(Number(year ?? 2024), Number(month ?? 1) - 1, 1);
    const toMs = month === undefined ? fromMs + YEAR_MS : Date.UTC(Number(year), Number(month), 1);
    const bars = Math.min(month === undefined ? MAX_BARS : Infinity, Math.floor((toMs - fromMs) / typicalLengthMs(interval)));
    const generated = synthesizeBars({ symbol: symbol!, interval, fromMs, bars, seed: Number(month ?? 1) });
    const rows = Array.from({ length: bars }, (_, row) =>
      [generated.openMs, generated.open, generated.high, generated.low, generated.close, generated.volume]
        .map((column) => column[row])
        .join(','),
    );
    const lines = `open_time_ms,open,high,low,close,volume\n${rows.join('\n')}\n`;
    writeFileSync(path, gz === undefined ? lines : gzipSync(lines, { level: 1 }));
  }
}
