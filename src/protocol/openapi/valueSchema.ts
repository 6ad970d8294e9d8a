// Describes the values of replies as JSON Schema, with all accepted forms, the specification's first, and a sample.

import { timeMs } from '../../base/brand.ts';
import { InvariantError } from '../../base/errors.ts';
import { isList, JsonNumber, writeJson, type Json } from '../json/json.ts';
import type { Field, RecordValue } from '../shapes/record.ts';
import type { Value } from '../shapes/value.ts';
import { SEED_VARIANTS } from '../shapes/variants.ts';

/** JSON Schema 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of one kind of values. */
interface KindSchema {
  /** Constraints that hold for every form. */
  readonly schema: JsonSchema;
  /** JSON types on the wire. */
  readonly types: readonly string[];
  /** A sample value. */
  readonly sample: unknown;
}

/** Returns the kind of decimals, which services send as numbers or as text. */
const decimalKind = (description: string, sample: string, bounds: JsonSchema = {}): KindSchema => ({
  schema: { description, ...bounds, pattern: '^-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?$' },
  types: ['number', 'string'],
  sample,
});

/** Returns the kind of whole numbers, which services send as numbers or as text. */
const integerKind = (description: string, pattern: string, sample: unknown, bounds: JsonSchema = {}): KindSchema => ({
  schema: { description, ...bounds, pattern },
  types: ['integer', 'string'],
  sample,
});
/** The time in samples, 2020-05-04. It is late enough that readers take open times of bars for ms and not for seconds. */
const SAMPLE_MS = timeMs(1_588_591_856_000);
const SAMPLE_ID = '499890200602846';

const KIND_SCHEMAS: Readonly<Record<string, KindSchema>> = {
  decimal: decimalKind('decimal; its digits are exact', '0.5'),
  price: decimalKind('decimal above 0', '9300.5', { exclusiveMinimum: 0 }),
  id: {
    schema: {
      description: 'id; may exceed 2^53, so never read it as a double',
      minimum: 1,
      pattern: '^[1-9]\\d{0,30}$',
      minItems: 1,
      maxItems: 1,
      items: { type: ['string', 'integer'], minimum: 1, pattern: '^[1-9]\\d{0,30}$' },
    },
    types: ['integer', 'string', 'array'],
    sample: SAMPLE_ID,
  },
  idOrNone: integerKind('id; 0 or empty where it is withheld', '^(0|[1-9]\\d{0,30})?$', SAMPLE_ID, { minimum: 0 }),
  clientId: { schema: { description: 'your own id; 0 if you gave no id' }, types: ['string', 'integer'], sample: 'my-order-1' },
  text: { schema: { minLength: 1 }, types: ['string'], sample: 'text' },
  upperText: { schema: { description: 'name, in any case', minLength: 1 }, types: ['string'], sample: 'USDT' },
  integer: integerKind('whole number', '^-?\\d+(\\.0+)?$', 1),
  flag: { schema: {}, types: ['boolean'], sample: true },
  time: integerKind('Unix time in ms', '^\\d+$', SAMPLE_MS),
  barTime: integerKind('Unix time of the opening in ms, on some services in s', '^\\d+$', SAMPLE_MS),
  zonelessTime: { schema: { description: 'date and time at UTC+8, for display' }, types: ['string', 'integer'], sample: SAMPLE_MS },
  side: { schema: { enum: ['BUY', 'SELL', 'buy', 'sell'] }, types: ['string'], sample: 'buy' },
  action: {
    schema: { description: 'opens or closes a position', enum: ['OPEN', 'CLOSE', 'open', 'close'] },
    types: ['string'],
    sample: 'OPEN',
  },
  status: {
    schema: { description: 'status of an order, as a name in one of several spellings or as an integer; others may come' },
    types: ['string', 'integer'],
    sample: { word: 'NEW', raw: 'NEW' },
  },
  timeInForce: {
    schema: { description: 'IOC, FOK, POST_ONLY, or a code; empty for none' },
    types: ['string', 'integer'],
    sample: { word: 'IOC', raw: 'IOC' },
  },
};

/** Samples of members, by name, that are more specific than those of their kind. */
const NAMED_SAMPLES: Readonly<Record<string, string>> = {
  symbol: 'BTCUSDT',
  contractName: 'E-BTC-USDT',
  contractSymbol: 'BTC-USDT',
  baseAsset: 'BTC',
  multiplierCoin: 'BTC',
  feeCoin: 'BTC',
  asset: 'BTC',
  type: 'E',
  timezone: 'UTC',
};

const isRecord = (value: Value<unknown>): value is RecordValue<unknown> => 'fields' in value;
/** Returns the element of a list inside a record; null if the value is not such a list. */
const listElementOf = (value: Value<unknown>): Value<unknown> | null => ('row' in value ? (value.row as Value<unknown>) : null);

/** Returns the schema of a kind of value. Throws InvariantError for a kind without one. */
function kindSchemaOf({ kind }: Value<unknown>): KindSchema {
  const kindSchema = KIND_SCHEMAS[kind];
  if (kindSchema) return kindSchema;
  if (!kind.startsWith('code:')) throw new InvariantError(`no schema for values of the kind ${kind}`);
  const words = kind.slice('code:'.length).split('|');
  const [first = ''] = words;
  return {
    schema: { description: `${words.join(', ')}, or its integer; others may come` },
    types: ['string', 'integer'],
    sample: { word: first, raw: first },
  };
}

/** Returns the schema of all JSON that `value` accepts, and of null if `canBeNull`. */
export function valueSchema(value: Value<unknown>, canBeNull = false): JsonSchema {
  const nullType = canBeNull ? ['null'] : [];
  if (isRecord(value)) return { type: canBeNull ? ['object', ...nullType] : 'object', ...recordMembersSchema(value) };
  const row = listElementOf(value);
  if (row) return { type: canBeNull ? ['array', ...nullType] : 'array', items: valueSchema(row) };
  const { schema, types, sample } = kindSchemaOf(value);
  const writtenType = jsonTypeOf(value.write(sample, SEED_VARIANTS));
  const typesWrittenFirst = types.toSorted((a, b) => Number(isWrittenAs(b, writtenType)) - Number(isWrittenAs(a, writtenType)));
  const allTypes = [...typesWrittenFirst, ...nullType];
  const { enum: values, ...otherMembers } = schema;
  return {
    type: allTypes.length === 1 ? allTypes[0] : allTypes,
    ...otherMembers,
    ...(Array.isArray(values) ? { enum: [...values, ...(canBeNull ? [null] : [])] } : {}),
  };
}

/** True if the specification writes the value in this JSON type. */
const isWrittenAs = (type: string, writtenType: string): boolean =>
  type === writtenType || (type === 'integer' && writtenType === 'number');

/** Returns the JSON type of a value that is written. */
function jsonTypeOf(json: Json): string {
  if (json instanceof JsonNumber) return 'number';
  return isList(json) ? 'array' : typeof json;
}

/** Returns the schema of a record with its members. */
function recordMembersSchema({ fields }: RecordValue<unknown>): JsonSchema {
  const members = Object.values(fields as Readonly<Record<string, Field<unknown>>>);
  const requiredMembers = members.filter(({ canBeNull }) => !canBeNull);
  // A member with several names must be present under one of them. The type is checked too, because another member may have that name.
  const eitherSchemas = requiredMembers
    .filter(({ names }) => names.length > 1)
    .map(({ names, value }) => ({ anyOf: names.map((name) => ({ required: [name], properties: { [name]: valueSchema(value) } })) }));
  const rules = [...eitherSchemas, ...ownIdRules(fields)];
  const withOneName = requiredMembers.filter(({ names }) => names.length === 1).flatMap(({ names }) => names);
  return {
    properties: Object.fromEntries(
      members.flatMap(({ names, value, canBeNull }) => names.map((name) => [name, valueSchema(value, canBeNull)])),
    ),
    ...(withOneName.length > 0 ? { required: withOneName } : {}),
    ...(rules.length > 0 ? { allOf: rules } : {}),
  };
}

/**
 * Returns the rule that a fill must have the id of its own order: `bidId` for a buyer, `askId` for a seller. Otherwise it cannot be booked.
 */
function ownIdRules(fields: Readonly<Record<string, unknown>>): readonly JsonSchema[] {
  if (!['isBuyer', 'bidId', 'askId'].every((name) => name in fields)) return [];
  return [
    { anyOf: [{ properties: { isBuyer: { const: false } } }, { required: ['bidId'] }] },
    { anyOf: [{ properties: { isBuyer: { const: true } } }, { required: ['askId'] }] },
  ];
}

/** Returns a sample of `value` in the form that programs use. `name` is the name of the member. */
export function sampleOf(value: Value<unknown>, name = '', market = ''): unknown {
  if (isRecord(value)) {
    return Object.fromEntries(
      Object.entries(value.fields as Readonly<Record<string, Field<unknown>>>).map(([memberName, field]) => [
        memberName,
        sampleOf(field.value, field.names[0], market),
      ]),
    );
  }
  const row = listElementOf(value);
  if (row) return [sampleOf(row, '', market)];
  const { sample } = kindSchemaOf(value);
  if (value.kind !== 'text' && value.kind !== 'upperText') return sample;
  return name === 'symbol' && market === 'futures' ? NAMED_SAMPLES['contractName'] : (NAMED_SAMPLES[name] ?? sample);
}

/** Returns plain JSON for documents. Numbers in samples are short enough to be exact in doubles. */
export const plainSchema = (json: Json): unknown => JSON.parse(writeJson(json)) as unknown;
