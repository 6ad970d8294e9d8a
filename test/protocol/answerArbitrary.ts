// Builds fast-check arbitraries for every reply that a service may send, from the endpoint table.

import * as fc from 'fast-check';
import { timeMs } from '../../src/base/brand.ts';
import { answerOf, type Op } from '../../src/protocol/endpoints/endpoints.ts';
import type { RecordValue } from '../../src/protocol/shapes/record.ts';
import type { Value } from '../../src/protocol/shapes/value.ts';

/** Whole numbers without a leading zero, of `min` to `max` digits. */
const digitText = (min: number, max: number) => fc.stringMatching(new RegExp(`^[1-9]\\d{${min - 1},${max - 1}}$`));
/** Positive decimals in canonical text, without unneeded zeros. */
const amount = fc.oneof(
  digitText(1, 18),
  fc
    .tuple(fc.oneof(fc.constant('0'), digitText(1, 12)), fc.stringMatching(/^\d{0,17}[1-9]$/))
    .map(([integerPart, fraction]) => `${integerPart}.${fraction}`),
);
/** The same with a sign, and zero. */
const signedAmount = fc.oneof(
  fc.constant('0'),
  amount,
  amount.map((text) => `-${text}`),
);
const integer = fc.nat({ max: 2 ** 31 });
const id = digitText(1, 19);
/** Client order ids. The text 0 means none. */
const clientId = fc.stringMatching(/^[A-Za-z0-9_-]{1,31}$/).filter((text) => text !== '0');
/** Names of instruments and assets. */
const name = fc.stringMatching(/^[A-Z][A-Z0-9-]{0,15}$/);
/** Times in whole seconds, because some forms have nothing finer. They lie above 1e11 ms; below, a bar's time counts as seconds. */
const wholeSeconds = fc.integer({ min: 100_000_001, max: 4_000_000_000 }).map((seconds) => timeMs(seconds * 1000));
/** Enumerated values as the client reads them. */
const wordArbitrary = (words: readonly string[]) => fc.constantFrom(...words).map((word) => ({ word, raw: word }));
const STATUSES = ['INIT', 'NEW', 'PARTIALLY_FILLED', 'FILLED', 'CANCELED', 'PENDING_CANCEL', 'EXPIRED', 'REJECTED'];

/** Arbitraries by the kind of a value. */
const BY_KIND: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  decimal: signedAmount,
  price: amount,
  id,
  idOrNone: fc.option(id),
  clientId: fc.option(clientId),
  text: fc.string({ unit: 'binary', minLength: 1 }),
  upperText: name,
  integer,
  flag: fc.boolean(),
  time: wholeSeconds,
  barTime: wholeSeconds,
  zonelessTime: wholeSeconds,
  side: fc.constantFrom('buy', 'sell'),
  action: fc.constantFrom('OPEN', 'CLOSE'),
  status: fc.oneof(
    wordArbitrary(STATUSES),
    fc.constantFrom('77', 'FROZEN').map((raw) => ({ word: 'UNKNOWN', raw })),
  ),
  timeInForce: fc.option(wordArbitrary(['IOC', 'FOK', 'POST_ONLY'])),
};

/** True for the value type of an object with members. */
const isRecord = (shape: Value<unknown>): shape is RecordValue<unknown> => 'fields' in shape;
/** Returns the value type of the rows of a list; null for any other value type. */
const rowShapeOf = (shape: Value<unknown>): Value<unknown> | null => ('row' in shape ? (shape.row as Value<unknown>) : null);

/** Returns an arbitrary for every value of this shape. */
export function arbitraryOf(shape: Value<unknown>): fc.Arbitrary<unknown> {
  if (isRecord(shape)) {
    const members = Object.entries(shape.fields).map(([memberName, { value: memberShape, canBeNull }]) => {
      const memberArbitrary = arbitraryOf(memberShape);
      return [memberName, canBeNull ? fc.option(memberArbitrary) : memberArbitrary] as const;
    });
    // A fill without the id of the account's own order is invalid, so each fill has both ids.
    return fc.record(Object.fromEntries(members)).map((record) => {
      const isFill = 'bidId' in record;
      return isFill ? { ...record, bidId: record['bidId'] ?? '1', askId: record['askId'] ?? '2' } : record;
    });
  }
  const rowShape = rowShapeOf(shape);
  if (rowShape) return fc.array(arbitraryOf(rowShape), { maxLength: 3 });
  if (shape.kind.startsWith('code:')) return wordArbitrary(shape.kind.slice('code:'.length).split('|'));
  const arbitrary = BY_KIND[shape.kind];
  if (!arbitrary) throw new Error(`no arbitrary for ${shape.kind}`);
  return arbitrary;
}

/** Levels of a side of the book, with ascending (1) or descending (-1) prices. */
const levels = (direction: 1 | -1) =>
  fc
    .uniqueArray(fc.integer({ min: 1, max: 1e9 }), { maxLength: 5 })
    .map((ticks) =>
      ticks.toSorted((first, second) => (first - second) * direction).map((price) => ({ price: String(price), quantity: '1.5' })),
    );
const ids = fc.array(id, { maxLength: 4 });
const depth = fc.record({ timeMs: fc.option(wholeSeconds), bids: levels(-1), asks: levels(1) });

/** Replies with a form of their own, which the table does not describe by rows. */
const OWN_FORMS: Readonly<Partial<Record<Op, fc.Arbitrary<unknown>>>> = {
  'spot.depth': depth,
  'futures.depth': depth,
  'spot.batchOrders': fc.record({ ids }),
  'spot.batchCancel': fc.record({ success: fc.option(ids), failed: fc.option(ids) }),
  'futures.createConditionOrder': fc.record({ triggerIds: fc.array(id, { minLength: 1, maxLength: 2 }), ids, cancelIds: ids }),
};

/** Returns an arbitrary for every possible reply of `op`. */
export function answerArbitrary(op: Op): fc.Arbitrary<unknown> {
  const ownForm = OWN_FORMS[op];
  if (ownForm) return ownForm;
  const { row, container } = answerOf(op);
  if (row === null) return fc.constant(null);
  const rowArbitrary = arbitraryOf(row);
  if (container.kind === 'one') return rowArbitrary;
  if (container.kind === 'oneOrNone') return fc.option(rowArbitrary);
  const rows = fc
    .array(rowArbitrary, { maxLength: 4 })
    .map((rowsOfReply) => (op.endsWith('klines') ? newestFirst(rowsOfReply) : rowsOfReply));
  const refused = fc.constant([]);
  if (op === 'spot.account') return fc.record({ uid: fc.option(digitText(1, 9)), rows, refused });
  if (op === 'futures.triggerOrderList') return fc.record({ count: integer, rows, refused });
  return fc.record({ rows, refused });
}

/** Returns bars with the newest first. */
const newestFirst = (rows: readonly unknown[]): readonly unknown[] => rows.toSorted((first, second) => openOf(second) - openOf(first));
/** Returns the open time of a bar. */
const openOf = (row: unknown): number => (row as { readonly openMs: number }).openMs;
