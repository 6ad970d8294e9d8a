// Reads bars from Arrow files of other programs: freqtrade's feather, and tables of pandas and polars.

import { ConfigError } from '../../../base/errors.ts';
import { withArrowFile } from '../arrow/arrowReader.ts';
import { loadInflate } from '../arrow/inflate.ts';
import { NumberRows } from '../rows/numberRows.ts';
import { RowCollector, type ParsedFile, type RowRules } from '../rows/rowCollector.ts';

const TIMES = ['date', 'open_time', 'timestamp', 'time', 'datetime'];
const FLOATS = ['open', 'high', 'low', 'close', 'volume'];
const BLOCK_ROWS = 65_536;

/** `onProgress` receives the rows read and the fraction of the file. Throws ConfigError at the first bad row. */
export async function readFeather(path: string, rules: RowRules, onProgress: (rows: number, share: number) => void): Promise<ParsedFile> {
  const inflate = await loadInflate();
  return withArrowFile(
    path,
    (file) => {
      const time = TIMES.find((name) => file.fields.some((field) => field.name === name && field.kind === 'timestamp'));
      const missing = FLOATS.find((name) => !file.fields.some((field) => field.name === name && field.kind === 'float64'));
      if (time === undefined || missing !== undefined) {
        const found = file.fields.map((field) => `${field.name} (${field.kind ?? 'another type'})`).join(', ');
        throw new ConfigError(
          `${rules.file}: expected the columns date (timestamp), ${FLOATS.join(', ')} (float64), got ${found || 'none'}`,
          'name and type them so: df.rename(columns={...}).astype({...})',
        );
      }
      const collector = new RowCollector(rules, (line) => `${rules.file} row ${line}`);
      const rows = new NumberRows(collector, [time, ...FLOATS]);
      const block = Array.from({ length: 6 }, () => new Float64Array(Math.min(BLOCK_ROWS, file.rows)));
      for (let from = 0; from < file.rows; from += BLOCK_ROWS) {
        const length = Math.min(BLOCK_ROWS, file.rows - from);
        const part = block.map((column) => column.subarray(0, length));
        file.readTimes(time, from, part[0]!);
        for (const [i, name] of FLOATS.entries()) file.readFloats(name, from, part[i + 1]!);
        for (let row = 0; row < length; row++) rows.take(from + row + 1, part, row);
        onProgress(collector.rows, (from + length) / file.rows);
      }
      return collector.parsed();
    },
    inflate,
  );
}
