// Tests lossless JSON: against JSON.parse where doubles are exact, and against written examples elsewhere.

import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { InvariantError } from '../../base/errors.ts';
import { canonicalDecimal, isList, isObject, jsonNumber, JsonNumber, jsonObject, utf8, writeJson, type Json } from './json.ts';
import { parseJson } from './parseJson.ts';

/** The value of JSON.parse: numbers are doubles, and objects have a prototype of null. */
function toPlainValue(json: Json): unknown {
  if (json instanceof JsonNumber) return Number(json.text);
  if (isList(json)) return json.map(toPlainValue);
  if (isObject(json))
    return Object.assign(Object.create(null), Object.fromEntries(Array.from(json, ([key, value]) => [key, toPlainValue(value)])));
  return json;
}

/** Parses valid JSON. Throws Error for any other text. */
function parsed(text: string | Uint8Array): Json {
  const result = parseJson(text);
  if (!result.ok) throw new Error(`${result.problem} at ${result.offset}`);
  return result.value;
}

/** Returns the problem and its place, or null for a text that parses. */
const problem = (text: string | Uint8Array, limits?: { maxSize: number; maxDepth: number }) => {
  const result = parseJson(text, limits);
  return result.ok ? null : [result.problem, result.offset];
};

const spaces = fc.string({ unit: fc.constantFrom(' ', '\n', '\t', '\r'), maxLength: 3 });

test('JSON of doubles, whitespace and escapes is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5, noUnicodeString: false }), spaces, fc.nat({ max: 4 }), (text, space, indent) => {
      for (const form of [space + text + space, JSON.stringify(JSON.parse(text), null, indent)]) {
        const parsedForm = parseJson(form);
        if (!parsedForm.ok) expect(parsedForm.problem, 'JSON.parse accepts a repeated key').toBe('duplicateKey');
        else
          expect(JSON.stringify(toPlainValue(parsedForm.value))).toBe(
            JSON.stringify(JSON.parse(form)).replaceAll(/(?<=[[:,]|^)-0(?=[,\]}]|$)/g, '0'),
          );
      }
    }),
    { numRuns: 2000 },
  );
});

test('JSON is rejected exactly if JSON.parse rejects it, or for a repeated key or an unsupported number', () => {
  // Real texts with a character changed, removed or inserted: most are no longer JSON, some still are.
  fc.assert(
    fc.property(
      fc.json({ maxDepth: 3 }),
      fc.nat(),
      fc.nat({ max: 1 }),
      fc.constantFrom(...'"\\{}[],:0159.eE+-utn /\u0001\ufeff'.split(''), ''),
      (text, drawnPlace, cutLength, insertedText) => {
        const changedIndex = drawnPlace % (text.length + 1);
        const broken = text.slice(0, changedIndex) + insertedText + text.slice(changedIndex + cutLength);
        let accepted = true;
        try {
          JSON.parse(broken);
        } catch {
          accepted = false;
        }
        const parsedForm = parseJson(broken);
        const isStricter = !parsedForm.ok && (parsedForm.problem === 'duplicateKey' || parsedForm.problem === 'number');
        expect(parsedForm.ok || isStricter, broken).toBe(accepted || isStricter);
      },
    ),
    { numRuns: 5000 },
  );
});

/** Any value, also with numbers that a double does not hold. */
const { any: anyJson } = fc.letrec<{ any: Json }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, false),
    fc.string({ unit: 'binary' }),
    fc
      .tuple(fc.bigInt(), fc.option(fc.stringMatching(/^\d{1,30}$/)))
      .map(([integer, fraction]) => jsonNumber(fraction === null ? String(integer) : `${integer}.${fraction}`)),
    fc.array(tie('any'), { maxLength: 5 }),
    fc.array(fc.tuple(fc.string({ unit: 'binary' }), tie('any')), { maxLength: 5 }).map((members): Json => new Map(members)),
  ),
}));

test('written JSON is read back to the last digit, from text and from bytes', () => {
  fc.assert(
    fc.property(anyJson, (json) => {
      const text = writeJson(json);
      expect(parsed(text)).toEqual(json);
      expect(writeJson(parsed(text))).toBe(text);
      // A lone surrogate is an escape in the text, so the bytes have it too.
      expect(parsed(utf8(text))).toEqual(json);
    }),
    { numRuns: 2000 },
  );
});

test('every double in JSON is read as its plain decimal digits', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean(), (value, upper) => {
      const json = parsed(upper ? value.toExponential().toUpperCase() : JSON.stringify(value));
      expect(json).toBeInstanceOf(JsonNumber);
      const { text } = json as JsonNumber;
      expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d+)?$/);
      expect(Number(text)).toBe(value === 0 && !text.startsWith('-') ? 0 : value);
    }),
    { numRuns: 5000 },
  );
});

test.each([
  ['1E-7', '0.0000001'],
  ['0E-8', '0.00000000'],
  ['1e3', '1000'],
  ['1.5e1', '15'],
  ['12.345e2', '1234.5'],
  ['-2.50E+1', '-25.0'],
  ['0.001e2', '0.1'],
  ['123e-2', '1.23'],
  ['9223372036854775807', '9223372036854775807'],
  ['65000.00', '65000.00'],
  ['84200.18666666666199250', '84200.18666666666199250'],
])('the JSON number %s is kept as %s', (text, expectedText) => {
  expect(parsed(text)).toEqual(jsonNumber(expectedText));
});

test.each([
  ['0.00000000', '0'],
  ['-0', '0'],
  ['-0.0', '0'],
  ['71990.0', '71990'],
  ['007.10', '7.1'],
  ['1E-7', '0.0000001'],
  ['-1.50e2', '-150'],
  ['100', '100'],
])('the canonical text of the decimal %s is %s', (text, canonical) => {
  expect(canonicalDecimal(text)).toBe(canonical);
});

test.each(['', '-', '.5', '5.', '1e', '0x10', 'NaN', 'Infinity', ' 1', '1 ', '1,5', '+1', '1e999', '１'])('%j is not a decimal', (text) => {
  expect(canonicalDecimal(text)).toBeNull();
});

test('untrusted JSON cannot reach a prototype or repeat a member', () => {
  const json = parsed('{"__proto__":{"polluted":1},"constructor":2,"a":{"__proto__":null}}');
  expect(isObject(json) && [...json.keys()]).toEqual(['__proto__', 'constructor', 'a']);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  expect(problem('{"a":1,"b":[{"c":1,"c":1}]}')).toEqual(['duplicateKey', 19]);
  expect(problem('{"a":1,"\\u0061":1}'), 'the same key in an escape').toEqual(['duplicateKey', 7]);
});

test('JSON beyond the limits on depth, size and numbers is rejected with its place', () => {
  const limits = { maxSize: 20, maxDepth: 3 };
  expect(problem('[[[1]]]', limits)).toBeNull();
  expect(problem('[[[[1]]]]', limits)).toEqual(['depth', 3]);
  expect(problem(`[[{"a":{}}]]`, limits)).toEqual(['depth', 7]);
  expect(problem(' '.repeat(21), limits)).toEqual(['size', 20]);
  expect(problem('['.repeat(1_000_000))?.[0], 'no stack is that deep').toBe('depth');
  expect(problem('1e401')).toEqual(['number', 0]);
  expect(problem('9'.repeat(801))).toEqual(['number', 0]);
  expect(problem('1e99999999999999999999')).toEqual(['number', 0]);
  expect(problem('{} {}')).toEqual(['trailing', 3]);
  expect(problem('')).toEqual(['syntax', 0]);
  expect(problem('{"a":}')).toEqual(['syntax', 5]);
  expect(problem('<html>')).toEqual(['syntax', 0]);
  expect(problem(new Uint8Array([0x22, 0xff, 0x22])), 'no UTF-8').toEqual(['syntax', 0]);
  expect(problem(new Uint8Array([0xef, 0xbb, 0xbf, 0x31])), 'a byte order mark').toEqual(['syntax', 0]);
  for (const cutText of ['{"a":[1,2', '"ab', '"\\u12', 'tru', '-', '[1,', '{"a"']) expect(problem(cutText)?.[0], cutText).toBe('syntax');
});

test('ids are written as digits or as text, and an invalid number is rejected', () => {
  const id = '1322738336974712847';
  expect(writeJson(jsonObject({ orderId: jsonNumber(id), text: id, absent: undefined, list: [jsonNumber(1)] }))).toBe(
    `{"orderId":${id},"text":"${id}","list":[1]}`,
  );
  for (const text of ['', '01', '1e5', '1.', 'NaN', '1,"x":2']) expect(() => jsonNumber(text), text).toThrow(InvariantError);
  expect(() => jsonNumber(Number.NaN)).toThrow(InvariantError);
});

test('numbers of the maximum length get their canonical text in microseconds', () => {
  const texts = [`0.${'0'.repeat(790)}1`, `1${'0'.repeat(790)}.5`, `${'0'.repeat(399)}.${'0'.repeat(399)}`, `-0${'0'.repeat(390)}.10`];
  expect(texts.map((text) => canonicalDecimal(text))).toEqual([texts[0], texts[1], '0', '-0.1']);
  const before = process.cpuUsage();
  for (let round = 0; round < 2000; round++) for (const text of texts) canonicalDecimal(text);
  // Microseconds of this process. A reply of 8 MB has ten thousand such numbers.
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
});
