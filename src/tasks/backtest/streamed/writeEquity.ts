// Writes equity.arrow for a run whose equity is read again part by part.

import { BATCH_ROWS, writeArrowParts, type ArrowColumn } from '../../../adapters/catalog/arrow/arrowFile.ts';
import { pow10 } from '../../../base/number/exact.ts';
import type { RunRecord } from '../../../model/run/run.ts';
import type { StreamedFigures } from '../../../model/run/streamed.ts';

/** Writes the same bytes as for equity in memory. */
export function writeStreamedEquity(
  path: string,
  { reportingDigits }: RunRecord,
  streamed: StreamedFigures,
  metadata: Readonly<Record<string, string>>,
): void {
  const perUnit = pow10(reportingDigits);
  const columns = (timeMs: Float64Array, values: Float64Array): readonly ArrowColumn[] => [
    { name: 'time_ms', kind: 'timestamp', values: timeMs },
    { name: 'equity', kind: 'float64', values },
  ];
  const none = new Float64Array(0);
  const parts = streamed.equityParts(BATCH_ROWS);
  writeArrowParts(
    path,
    {
      columns: columns(none, none),
      rows: streamed.equityRows,
      part() {
        const { timeMs, units } = parts.next().value!;
        for (let index = 0; index < units.length; index++) units[index] = units[index]! / perUnit;
        return { columns: columns(timeMs, units), from: 0 };
      },
    },
    metadata,
  );
}
