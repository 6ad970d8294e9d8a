// Describes replies as JSON Schema: the specification's container of a record first, then the other accepted containers.

import { assertNever } from '../../base/assert.ts';
import { timeMs } from '../../base/brand.ts';
import { InvariantError } from '../../base/errors.ts';
import { answerOf, endpointOf, type Op } from '../endpoints/endpoints.ts';
import { isList, isObject } from '../json/json.ts';
import { listing } from '../shapes/answer.ts';
import { wireDecimal, wireId, wireLevel, wirePrice, wireTime } from '../shapes/value.ts';
import { SEED_VARIANTS } from '../shapes/variants.ts';
import { plainSchema, sampleOf, valueSchema, type JsonSchema } from './valueSchema.ts';

/** The schema of a reply. */
export interface AnswerSchema {
  /** Null if the reply has no record of its own. */
  readonly row: JsonSchema | null;
  readonly schema: JsonSchema;
  /** An example, as the paper exchange answers under the profile `seed`. */
  readonly example: unknown;
}

const object = (properties: Readonly<Record<string, JsonSchema>>, required: readonly string[] = Object.keys(properties)): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
});
const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const CODE_OK: JsonSchema = { type: ['string', 'integer'], enum: ['0', 0], description: '0: done' };
const MSG: JsonSchema = { type: ['string', 'null'] };
/** The envelope around some futures replies. */
const envelope = (data: JsonSchema): JsonSchema => object({ code: CODE_OK, msg: MSG, data }, ['code', 'data']);
const NOTHING: JsonSchema = envelope({ type: 'null', description: 'no information' });
const DONE: JsonSchema = object({ code: CODE_OK, msg: MSG, data: { type: ['object', 'null'] } }, ['code']);
const levelSchema: JsonSchema = {
  type: 'array',
  description: 'price and quantity',
  prefixItems: [valueSchema(wirePrice), valueSchema(wireDecimal)],
  items: false,
  minItems: 2,
};
const ids = listOf(valueSchema(wireId));
const depth = object(
  {
    time: valueSchema(wireTime, true),
    bids: { ...listOf(levelSchema), description: 'best first' },
    asks: { ...listOf(levelSchema), description: 'best first' },
  },
  ['bids', 'asks'],
);
const BOOK = {
  timeMs: timeMs(1_588_591_856_000),
  bids: [wireLevel.read(['9300.5', '0.5'])],
  asks: [wireLevel.read(['9300.6', '1.2'])],
};
const ID = '499890200602846';

interface OwnContainer {
  readonly schema: (row: JsonSchema) => JsonSchema;
  /** `row` is a sample of the record. */
  readonly sample: (row: unknown) => unknown;
}

/** Replies with a container that no other reply has. */
const OWN_CONTAINERS: Readonly<Partial<Record<Op, OwnContainer>>> = {
  'spot.depth': { schema: () => ({ anyOf: [depth, object({ data: depth })] }), sample: () => BOOK },
  'futures.depth': { schema: () => ({ anyOf: [depth, object({ data: depth })] }), sample: () => BOOK },
  'spot.batchOrders': {
    schema: () => {
      const created: JsonSchema = {
        ...object({ ids: { ...ids, description: 'which id is whose is not said' }, idsString: ids }, []),
        anyOf: [{ required: ['ids'] }, { required: ['idsString'] }],
      };
      return { anyOf: [created, envelope(created)] };
    },
    sample: () => ({ ids: [ID] }),
  },
  'spot.batchCancel': {
    schema: () => {
      const text: JsonSchema = { type: ['array', 'boolean', 'null'], items: valueSchema(wireId) };
      const requested = object({ success: text, failed: text }, []);
      return { anyOf: [requested, envelope({ ...requested, type: ['object', 'null'] })] };
    },
    sample: () => ({ success: [ID], failed: [] }),
  },
  'spot.account': {
    schema: (row) => {
      const account = object({ uid: { type: ['string', 'integer', 'null'] }, balances: listOf(row) }, ['balances']);
      return { anyOf: [account, object({ data: account })] };
    },
    sample: (row) => ({ uid: null, ...listing([row]) }),
  },
  'futures.createConditionOrder': {
    schema: () => {
      const created = object({ triggerIds: { ...ids, minItems: 1 }, ids, cancelIds: ids }, ['triggerIds']);
      return { anyOf: [envelope(created), object({ orderId: valueSchema(wireId) })] };
    },
    sample: () => ({ triggerIds: [ID], ids: [], cancelIds: [] }),
  },
  'futures.triggerOrderList': {
    schema: (row) => {
      const rows: JsonSchema = { type: ['array', 'null'], items: row };
      const page = object({ count: { type: ['integer', 'string', 'null'], description: 'of all pages' }, trigOrderList: rows }, [
        'trigOrderList',
      ]);
      return { anyOf: [envelope({ anyOf: [page, rows] }), page, listOf(row)] };
    },
    sample: (row) => ({ count: 1, ...listing([row]) }),
  },
  'futures.cancelTriggerOrder': { schema: () => ({ anyOf: [DONE, object({ orderId: valueSchema(wireId) })] }), sample: () => null },
};

/** Returns the schema of a successful reply to `op`. `rowIs` maps the schema of its record, for example to a reference. */
export function answerSchema(op: Op, rowIs: (row: JsonSchema) => JsonSchema = (row) => row): AnswerSchema {
  const { row: value } = answerOf(op);
  const row = value === null ? null : valueSchema(value);
  const rowSchema = row === null ? {} : rowIs(row);
  const sample = value === null ? null : sampleOf(value, '', endpointOf(op).market);
  const ownContainer = OWN_CONTAINERS[op];
  const container = ownContainer
    ? { schema: ownContainer.schema(rowSchema), sample: ownContainer.sample(sample) }
    : commonContainer(op, rowSchema, sample);
  // The sample has the type of the reply, because it was built from the same row of the table.
  const example = plainSchema(endpointOf(op).answer.write(container.sample, SEED_VARIANTS));
  return { row, schema: container.schema, example };
}

/** Returns the schema and a sample for one of the common containers. */
function commonContainer(op: Op, row: JsonSchema, sample: unknown): { readonly schema: JsonSchema; readonly sample: unknown } {
  const { container } = answerOf(op);
  switch (container.kind) {
    case 'empty':
      return { schema: { type: 'object' }, sample: null };
    case 'done':
      return { schema: DONE, sample: null };
    case 'one':
      return { schema: { anyOf: [row, envelope(row), oneElement(row)] }, sample };
    case 'oneOrNone':
      return { schema: { anyOf: [row, NOTHING, envelope(row), oneElement(row)] }, sample };
    case 'list':
      return { schema: listSchema(op, container.member, row), sample: listing([sample]) };
    case 'own':
      throw new InvariantError(`the answer of ${op} has a container of its own and no schema`);
    default:
      return assertNever(container);
  }
}

const oneElement = (row: JsonSchema): JsonSchema => ({ ...listOf(row), minItems: 1, maxItems: 1 });

/** Returns the schema of a list: bare, in a member, or in an envelope. The specification's form is first. */
function listSchema(op: Op, member: string | null, row: JsonSchema): JsonSchema {
  const bare = listOf(row);
  const rows: JsonSchema = { type: ['array', 'null'], items: row };
  const members = [...(member === null ? [] : [member]), 'list', ...(op === 'spot.symbols' ? ['symbols'] : [])];
  const inMember = members.map((name) => object({ [name]: rows }));
  const wrapped = envelope({ anyOf: [rows, ...inMember] });
  const written = endpointOf(op).answer.write(listing([]), SEED_VARIANTS);
  if (isList(written)) return { anyOf: [bare, ...inMember, wrapped] };
  return { anyOf: isObject(written) && written.has('data') ? [wrapped, bare, ...inMember] : [...inMember, bare, wrapped] };
}
