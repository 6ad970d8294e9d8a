// Tests journal records as lines: every kind is read back unchanged, and every changed byte is noticed.

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRng } from '../../../base/number/rng.ts';
import { crc32c, crcText } from '../../../base/number/crc32c.ts';
import type { RecordField } from '../records/fields.ts';
import { isRecord, lineOf, parseLine } from './journalLine.ts';
import { isRecordKind, RECORD_KINDS, type RecordKind } from '../records/records.ts';

const scalars = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constant(null),
);
const fieldValues = fc.oneof(
  scalars,
  fc.maxSafeInteger(),
  fc.stringMatching(/^-?\d{1,20}(\.\d{1,12})?$/),
  fc.stringMatching(/^\d{1,9}(\.\d{1,4})?:0\.\d{1,6}( \d{1,9}:[01]){0,3}$/),
  fc.dictionary(
    fc.string().filter((name) => name !== '__proto__'),
    scalars,
    { maxKeys: 4 },
  ),
  fc.array(fc.maxSafeInteger(), { maxLength: 4 }),
  fc.array(fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { maxLength: 7 }), { maxLength: 3 }),
);

const FIELD_VALUE_SAMPLE = fc.sample(fieldValues, { numRuns: 2000, seed: 11 });

/** Returns the arbitrary of a field: one of its names if it has names, else any value that it accepts. */
function arbitraryOf(field: RecordField<unknown>): fc.Arbitrary<unknown> {
  const names = field.expects.split(/ \| | or /).filter((name) => field.accepts(name));
  // A filter that rejects every value would never end, so stop with an error.
  if (!field.expects.includes(' | ') && !FIELD_VALUE_SAMPLE.some((value) => field.accepts(value)))
    throw new Error(`no value that is generated fits a field of ${field.expects}`);
  const acceptedValues = fieldValues.filter((value) => field.accepts(value));
  return field.expects.includes(' | ') ? fc.constantFrom(...names, ...(field.accepts(null) ? [null] : [])) : acceptedValues;
}

const records = fc.constantFrom(...Object.keys(RECORD_KINDS).filter(isRecordKind)).chain((kind) => {
  const fields: Readonly<Record<string, RecordField<unknown>>> = RECORD_KINDS[kind];
  const body = fc.record(Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, arbitraryOf(field)])));
  return fc.tuple(fc.constant(kind), body, fc.nat(), fc.maxSafeInteger(), fc.nat());
});

/** Writes a record as a line. The compiler cannot check generated bodies, but lineOf does. */
const writeLine = (kind: RecordKind, body: object, seq = 7, t = 1e12, dur = 5): string => lineOf(seq, t, kind, body as never, dur).text;
const parseText = (text: string) => parseLine(Buffer.from(text, 'latin1'), 0, text.length - 1);

describe('lines of records', () => {
  it('every kind of journal record is read back as it was written', () => {
    const writtenKinds = new Set<string>();
    fc.assert(
      fc.property(records, ([kind, body, seq, t, dur]) => {
        writtenKinds.add(kind);
        const text = writeLine(kind, body, seq, t, dur);
        expect(text).toMatch(/^[\x20-\x7e]+\n$/);
        // JSON has no -0.
        expect(parseText(text)).toEqual({
          ...(JSON.parse(JSON.stringify({ seq, t, k: kind, ...body, dur })) as object),
          crc: text.slice(-11, -3),
        });
      }),
      { seed: 11, numRuns: 3000 },
    );
    expect([...writtenKinds].toSorted()).toEqual(Object.keys(RECORD_KINDS).toSorted());
  });

  it('a journal line with a changed, removed or added byte is not a record', () => {
    const rng = seededRng(3);
    const line = Buffer.from(
      writeLine('HALT', { scope: 'account', state: 'KILLED', code: 'OPERATOR', who: 'me', why: 'a "reason"' }),
      'latin1',
    );
    const lineLength = line.length - 1;
    for (let offset = 0; offset < lineLength; offset++) {
      for (let bit = 0; bit < 9; bit++) {
        const changed = Buffer.from(line);
        changed[offset]! ^= bit < 8 ? 1 << bit : 1 + Math.floor(rng.next() * 255);
        expect(isRecord(parseLine(changed, 0, lineLength)), `byte ${offset} ${changed[offset]}`).toBe(false);
      }
      expect(isRecord(parseLine(line, 0, offset)), `cut at ${offset}`).toBe(false);
      expect(
        isRecord(parseLine(Buffer.concat([line.subarray(0, offset), Buffer.from(' '), line.subarray(offset)]), 0, lineLength + 1)),
      ).toBe(false);
    }
  });

  it('the order of members and unknown members do not change a journal line', () => {
    fc.assert(
      fc.property(
        records,
        fc.dictionary(fc.stringMatching(/^x[a-z]{3}$/), scalars, { maxKeys: 2 }),
        ([kind, body, seq, t, dur], extraMembers) => {
          const line = writeLine(kind, body, seq, t, dur);
          expect(writeLine(kind, { ...extraMembers, ...Object.fromEntries(Object.entries(body).toReversed()) }, seq, t, dur)).toBe(line);
          expect(writeLine(kind, { ...body, ...extraMembers }, seq, t, dur)).toBe(line);
        },
      ),
    );
  });

  it('writing a journal record that could not be read back throws an internal error', () => {
    const body = { scope: 'account', state: 'KILLED', code: 'X', who: 'me', why: 'w' };
    expect(() => writeLine('HALT', { ...body, state: 'RUN' })).toThrow(
      'journal HALT state: expected HALT_NEW | CANCEL_ONLY | KILLED, got RUN',
    );
    expect(() => writeLine('INSTANT', { atMs: NaN, rows: [], bars: [] })).toThrow('atMs: expected a whole number');
    expect(() => writeLine('FILL', { ...body, cid: 1 })).toThrow('cid: expected text or null');
    expect(() => writeLine('HALT', { ...body, why: 'x'.repeat(1 << 20) })).toThrow('more than a record holds');
  });

  it('a journal line with a valid checksum that is not a record is reported with its flaw', () => {
    const sealLine = (head: string): string => `${head},"crc":"${crcText(crc32c(Buffer.from(head)))}"}\n`;
    expect(parseText(sealLine('{"seq":1,"t":1,"k":"NEWS","dur":0'))).toEqual({
      flaw: 'a record of kind "NEWS", which this version does not know',
      isSealed: true,
    });
    expect(parseText(sealLine('{"seq":1,"t":1,"k":"TOMB","cid":7,"dur":0'))).toMatchObject({
      flaw: 'a record of kind TOMB whose cid is not text',
    });
    expect(parseText(sealLine('{"seq":-1,"t":1,"k":"TOMB","cid":"","dur":0'))).toMatchObject({ flaw: 'a record without seq, t or dur' });
    expect(parseText(sealLine('{"seq":'))).toMatchObject({ flaw: 'a line that is not JSON' });
    // A later version may write more.
    expect(parseText(sealLine('{"seq":1,"t":1,"k":"TOMB","cid":"a","mood":"good","dur":0'))).toMatchObject({ cid: 'a', mood: 'good' });
  });
});

describe('CRC-32C', () => {
  it('CRC-32C gives the check values of RFC 3720, from any offset', () => {
    const checksumOf = (bytes: readonly number[]): string => crcText(crc32c(Uint8Array.from([9, ...bytes]), 1));
    expect(crcText(crc32c(Buffer.from('123456789')))).toBe('e3069283');
    expect(checksumOf(Array.from({ length: 32 }, () => 0))).toBe('8a9136aa');
    expect(checksumOf(Array.from({ length: 32 }, () => 255))).toBe('62a8ab43');
    expect(checksumOf(Array.from({ length: 32 }, (_, value) => value))).toBe('46dd794e');
    expect(checksumOf([])).toBe('00000000');
  });
});
