// Tests results of a shared sweep on their way through Redis: every bit of every double, and every reason, arrives.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withoutSecret } from './queueClient.ts';
import { packResult, parseShared, taskId, unpackResult } from './queueWire.ts';

it('results of a shared sweep pass through JSON without a loss', () => {
  const row = fc.record({
    values: fc.array(fc.double(), { minLength: 3, maxLength: 3 }),
    refused: fc.option(fc.string()),
    failed: fc.option(fc.string()),
  });
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      const values = Float64Array.from(rows.flatMap(({ values: doubles }) => doubles));
      const warnings = [{ code: 'DATA_GAPS' as const, text: '3 gaps', file: 'a.ts', line: 3 }];
      const result = { values, refused: rows.map(({ refused }) => refused), failed: rows.map(({ failed }) => failed), warnings };
      const packed: unknown = JSON.parse(JSON.stringify(packResult(result)));
      expect(unpackResult(packed as Parameters<typeof unpackResult>[0])).toEqual(result);
    }),
  );
});

it('equal tasks of a sweep have one valid queue name, and different tasks have different names', () => {
  expect(taskId('ab', [1, 2])).toBe(taskId('ab', [1, 2]));
  const ids = [taskId('ab', [1, 2]), taskId('ab', [12]), taskId('ab', [2, 1]), taskId('ac', [1, 2])];
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^task-[0-9a-f]{24}$/);
});

it('a shared sweep without a header is rejected, and a queue address is shown without its password', () => {
  expect(() => parseShared('{"jobs":[]}')).toThrow(/expected a shared sweep/);
  expect(withoutSecret('rediss://me:secret@host:6379/1')).toBe('rediss://host:6379/1');
});
