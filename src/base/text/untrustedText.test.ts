// Tests that untrusted text cannot move the cursor, begin a line, or fill the screen.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sanitizeJson, sanitizeText } from './untrustedText.ts';

/** True if a terminal would do more with the text than show it. */
function isDangerous(text: string): boolean {
  return Array.from(text).some((letter) => {
    const code = letter.codePointAt(0)!;
    return (
      code < 0x20 ||
      (code >= 0x7f && code <= 0x9f) ||
      (code >= 0x2028 && code <= 0x202e) ||
      (code >= 0x2060 && code <= 0x206f) ||
      code === 0xfeff
    );
  });
}

test('control characters of untrusted text are shown as escapes', () => {
  expect(sanitizeText('a\r\nb\tc')).toBe('a\\r\\nb\\tc');
  expect(sanitizeText('\u001b[31mred\u009b2J')).toBe('\\x1b[31mred\\x9b2J');
  expect(sanitizeText('abc\u202edcba')).toBe('abc\\u202edcba');
  expect(sanitizeText('\ud800')).toBe('\\ud800');
  expect(sanitizeText('\u{e0041}')).toBe('\\udb40\\udc41');
  expect(sanitizeText('余额不足 é')).toBe('余额不足 é');
});

test('untrusted text is cut at the maximum length and names its original length', () => {
  expect(sanitizeText('x'.repeat(200))).toBe('x'.repeat(200));
  expect(sanitizeText('x'.repeat(201))).toBe(`${'x'.repeat(200)}... (201 characters)`);
  expect(sanitizeText('\n'.repeat(150), 200)).toBe(`${'\\n'.repeat(100)}... (150 characters)`);
});

test('any untrusted text becomes one line of bounded length', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 400 }), fc.integer({ min: 1, max: 100 }), (text, maxLength) => {
      const sanitized = sanitizeText(text, maxLength);
      expect(isDangerous(sanitized)).toBe(false);
      expect(sanitized.length).toBeLessThanOrEqual(maxLength + '... (400 characters)'.length);
    }),
  );
});

test('untrusted text in JSON keeps its value and has only escapes of control characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const json = sanitizeJson(JSON.stringify({ text }, null, 2));
      expect(isDangerous(json.replaceAll('\n', ''))).toBe(false);
      expect(JSON.parse(json)).toEqual({ text });
    }),
  );
});
