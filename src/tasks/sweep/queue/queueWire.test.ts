// Tests results of a shared sweep on their way through Redis: every bit of every double, and every reason, arrives.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ConfigError } from '../../../base/errors.ts';
import { withoutSecret } from './queueClient.ts';
import { packResult, parseShared, jobIdOf, unpackResult } from './queueWire.ts';

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
  expect(jobIdOf('ab', [1, 2])).toBe(jobIdOf('ab', [1, 2]));
  const ids = [jobIdOf('ab', [1, 2]), jobIdOf('ab', [12]), jobIdOf('ab', [2, 1]), jobIdOf('ac', [1, 2])];
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^task-[0-9a-f]{24}$/);
});

it.each(['{"jobs":[]}', 'null', 'OK', ''])('a shared sweep of another form is a ConfigError: %j', (text) => {
  expect(() => parseShared(text)).toThrow(ConfigError);
  expect(() => parseShared(text)).toThrow(/expected a shared sweep/);
});

it('a queue address is shown without its password', () => {
  expect(withoutSecret('rediss://me:secret@host:6379/1')).toBe('rediss://host:6379/1');
});
