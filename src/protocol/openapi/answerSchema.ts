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
  /** The schema of its record; null if the reply has no record of its own. */
  readonly row: JsonSchema | null;
  /** The schema of the whole reply. */
  readonly schema: JsonSchema;
  /** An example, as the paper exchange answers under the profile `seed`. */
  readonly example: unknown;
}

/** Returns the schema of an object. By default, all of its members are required. */
const objectSchema = (
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = Object.keys(properties),
): JsonSchema => ({
  type: 'object',
  properties,
  ...(required.length > 0 ? { required } : {}),
});
const arraySchema = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
const CODE_OK: JsonSchema = { type: ['string', 'integer'], enum: ['0', 0], description: '0: done' };
const MSG: JsonSchema = { type: ['string', 'null'] };

/** The envelope around some futures replies. */
const envelopeSchema = (data: JsonSchema): JsonSchema => objectSchema({ code: CODE_OK, msg: MSG, data }, ['code', 'data']);
const NO_INFORMATION: JsonSchema = envelopeSchema({ type: 'null', description: 'no information' });
const CONFIRMATION: JsonSchema = objectSchema({ code: CODE_OK, msg: MSG, data: { type: ['object', 'null'] } }, ['code']);
const levelSchema: JsonSchema = {
  type: 'array',
  description: 'price and quantity',
  prefixItems: [valueSchema(wirePrice), valueSchema(wireDecimal)],
  items: false,
  minItems: 2,
};
const idListSchema = arraySchema(valueSchema(wireId));
const depthSchema = objectSchema(
  {
    time: valueSchema(wireTime, true),
    bids: { ...arraySchema(levelSchema), description: 'best first' },
    asks: { ...arraySchema(levelSchema), description: 'best first' },
  },
  ['bids', 'asks'],
);
const SAMPLE_BOOK = {
  timeMs: timeMs(1_588_591_856_000),
  bids: [wireLevel.read(['9300.5', '0.5'])],
  asks: [wireLevel.read(['9300.6', '1.2'])],
};
const SAMPLE_ID = '499890200602846';

/** The schema and a sample of a container that only one reply has. */
interface OwnContainer {
  readonly schema: (row: JsonSchema) => JsonSchema;
  /** `row` is a sample of the record. */
  readonly sample: (row: unknown) => unknown;
}

/** Replies with a container that no other reply has. */
const OWN_CONTAINERS: Readonly<Partial<Record<Op, OwnContainer>>> = {
  'spot.depth': { schema: () => ({ anyOf: [depthSchema, objectSchema({ data: depthSchema })] }), sample: () => SAMPLE_BOOK },
  'futures.depth': { schema: () => ({ anyOf: [depthSchema, objectSchema({ data: depthSchema })] }), sample: () => SAMPLE_BOOK },
  'spot.batchOrders': {
    schema: () => {
      const created: JsonSchema = {
        ...objectSchema({ ids: { ...idListSchema, description: 'which id is whose is not said' }, idsString: idListSchema }, []),
        anyOf: [{ required: ['ids'] }, { required: ['idsString'] }],
      };
      return { anyOf: [created, envelopeSchema(created)] };
    },
    sample: () => ({ ids: [SAMPLE_ID] }),
  },
  'spot.batchCancel': {
    schema: () => {
      const idListOrFlag: JsonSchema = { type: ['array', 'boolean', 'null'], items: valueSchema(wireId) };
      const requested = objectSchema({ success: idListOrFlag, failed: idListOrFlag }, []);
      return { anyOf: [requested, envelopeSchema({ ...requested, type: ['object', 'null'] })] };
    },
    sample: () => ({ success: [SAMPLE_ID], failed: [] }),
  },
  'spot.account': {
    schema: (row) => {
      const account = objectSchema({ uid: { type: ['string', 'integer', 'null'] }, balances: arraySchema(row) }, ['balances']);
      return { anyOf: [account, objectSchema({ data: account })] };
    },
    sample: (row) => ({ uid: null, ...listing([row]) }),
  },
  'futures.createConditionOrder': {
    schema: () => {
      const created = objectSchema({ triggerIds: { ...idListSchema, minItems: 1 }, ids: idListSchema, cancelIds: idListSchema }, [
        'triggerIds',
      ]);
      return { anyOf: [envelopeSchema(created), objectSchema({ orderId: valueSchema(wireId) })] };
    },
    sample: () => ({ triggerIds: [SAMPLE_ID], ids: [], cancelIds: [] }),
  },
  'futures.triggerOrderList': {
    schema: (row) => {
      const rows: JsonSchema = { type: ['array', 'null'], items: row };
      const page = objectSchema({ count: { type: ['integer', 'string', 'null'], description: 'of all pages' }, trigOrderList: rows }, [
        'trigOrderList',
      ]);
      return { anyOf: [envelopeSchema({ anyOf: [page, rows] }), page, arraySchema(row)] };
    },
    sample: (row) => ({ count: 1, ...listing([row]) }),
  },
  'futures.cancelTriggerOrder': {
    schema: () => ({ anyOf: [CONFIRMATION, objectSchema({ orderId: valueSchema(wireId) })] }),
    sample: () => null,
  },
};

/** Returns the schema of a successful reply to `op`. `rowReference` maps the schema of its record, for example to a reference. */
export function answerSchema(op: Op, rowReference: (row: JsonSchema) => JsonSchema = (row) => row): AnswerSchema {
  const { row: value } = answerOf(op);
  const row = value === null ? null : valueSchema(value);
  const rowSchema = row === null ? {} : rowReference(row);
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
      return { schema: CONFIRMATION, sample: null };
    case 'one':
      return { schema: { anyOf: [row, envelopeSchema(row), oneElementSchema(row)] }, sample };
    case 'oneOrNone':
      return { schema: { anyOf: [row, NO_INFORMATION, envelopeSchema(row), oneElementSchema(row)] }, sample };
    case 'list':
      return { schema: listSchema(op, container.member, row), sample: listing([sample]) };
    case 'own':
      throw new InvariantError(`the answer of ${op} has a container of its own and no schema`);
    default:
      return assertNever(container);
  }
}

const oneElementSchema = (row: JsonSchema): JsonSchema => ({ ...arraySchema(row), minItems: 1, maxItems: 1 });

/** Returns the schema of a list: bare, in a member, or in an envelope. The specification's form is first. */
function listSchema(op: Op, member: string | null, row: JsonSchema): JsonSchema {
  const bare = arraySchema(row);
  const rows: JsonSchema = { type: ['array', 'null'], items: row };
  const members = [...(member === null ? [] : [member]), 'list', ...(op === 'spot.symbols' ? ['symbols'] : [])];
  const inMember = members.map((name) => objectSchema({ [name]: rows }));
  const wrapped = envelopeSchema({ anyOf: [rows, ...inMember] });
  const written = endpointOf(op).answer.write(listing([]), SEED_VARIANTS);
  if (isList(written)) return { anyOf: [bare, ...inMember, wrapped] };
  return { anyOf: isObject(written) && written.has('data') ? [wrapped, bare, ...inMember] : [...inMember, bare, wrapped] };
}
