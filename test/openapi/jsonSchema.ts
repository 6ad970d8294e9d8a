// Validates values against the JSON Schema 2020-12 keywords that the document uses, independently of the code that makes it.

/** A schema, as the object that JSON makes of it. */
export type Schema = Readonly<Record<string, unknown>>;
/** Returns the problems that one keyword finds in a value. `expected` is the keyword's value in the schema. */
type Check = (expected: unknown, value: unknown, schema: Schema, validator: SchemaValidator) => readonly string[];

/** Keywords that describe a value and do not restrict it. */
const ANNOTATIONS = new Set(['description', 'default', 'example', 'examples', 'title']);

/** Validates values against schemas. References of a schema are looked up in the root document. */
export class SchemaValidator {
  readonly #root: unknown;
  constructor(root: unknown) {
    this.#root = root;
  }

  /** Returns the problems of a value, each with its place. A value that matches the schema has none. */
  problems(schema: unknown, value: unknown): readonly string[] {
    if (typeof schema === 'boolean') return schema ? [] : ['nothing may stand here'];
    const rules = asObject(schema);
    return Object.entries(rules).flatMap(([keyword, expected]) => {
      if (ANNOTATIONS.has(keyword)) return [];
      const check = CHECKS[keyword];
      if (!check) throw new Error(`a keyword that this check does not know: ${keyword}`);
      return check(expected, value, rules, this);
    });
  }

  /** Returns the schema behind a reference such as `#/components/schemas/SpotError`. */
  target(reference: string): unknown {
    if (!reference.startsWith('#/')) throw new Error(`a reference to elsewhere: ${reference}`);
    const encodedKeys = reference.slice('#/'.length).split('/');
    let target: unknown = this.#root;
    for (const encodedKey of encodedKeys) {
      const key = encodedKey.replaceAll('~1', '/').replaceAll('~0', '~');
      const container = asObject(target);
      if (!Object.hasOwn(container, key)) throw new Error(`${reference} leads nowhere`);
      target = container[key];
    }
    return target;
  }
}

/** Returns the value as an object. Throws Error if it is something else. */
export function asObject(value: unknown): Schema {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`no object: ${JSON.stringify(value)}`);
  return value as Schema;
}

/** Names the place of each problem. */
const withPlace = (place: string, problems: readonly string[]): readonly string[] => problems.map((problem) => `${place}: ${problem}`);
/** Tests for an object that is no array. */
const isMap = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
/** Returns the problem, or none if the value is valid. */
const problemUnless = (isValid: boolean, problem: string): readonly string[] => (isValid ? [] : [problem]);
/** Returns the start of the value's JSON, for messages. */
const shortJson = (value: unknown): string => JSON.stringify(value).slice(0, 80);

/** For each name of `type`: whether a value has that type. */
const TYPE_TESTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => typeof value === 'number' && Number.isInteger(value),
  array: (value) => Array.isArray(value),
  object: isMap,
};

/** The check of each keyword. */
const CHECKS: Readonly<Record<string, Check>> = {
  $ref: (expected, value, _, validator) => validator.problems(validator.target(String(expected)), value),
  type: (expected, value) => {
    const types = Array.isArray(expected) ? expected.map(String) : [String(expected)];
    return problemUnless(
      types.some((type) => {
        const test = TYPE_TESTS[type];
        if (!test) throw new Error(`no type: ${type}`);
        return test(value);
      }),
      `expected ${types.join(' or ')}, got ${shortJson(value)}`,
    );
  },
  enum: (expected, value) => problemUnless((expected as readonly unknown[]).includes(value), `none of the values: ${shortJson(value)}`),
  const: (expected, value) => problemUnless(expected === value, `expected ${shortJson(expected)}, got ${shortJson(value)}`),
  pattern: (expected, value) =>
    problemUnless(
      typeof value !== 'string' || new RegExp(String(expected), 'u').test(value),
      `not like ${String(expected)}: ${shortJson(value)}`,
    ),
  minLength: (expected, value) => problemUnless(typeof value !== 'string' || value.length >= Number(expected), 'too short'),
  minimum: (expected, value) =>
    problemUnless(typeof value !== 'number' || value >= Number(expected), `below ${String(expected)}: ${shortJson(value)}`),
  maximum: (expected, value) =>
    problemUnless(typeof value !== 'number' || value <= Number(expected), `above ${String(expected)}: ${shortJson(value)}`),
  exclusiveMinimum: (expected, value) =>
    problemUnless(typeof value !== 'number' || value > Number(expected), `not above ${String(expected)}: ${shortJson(value)}`),
  minItems: (expected, value) => problemUnless(!Array.isArray(value) || value.length >= Number(expected), 'too few elements'),
  maxItems: (expected, value) => problemUnless(!Array.isArray(value) || value.length <= Number(expected), 'too many elements'),
  prefixItems: (expected, value, _, validator) =>
    Array.isArray(value)
      ? (expected as readonly unknown[]).flatMap((element, index) => withPlace(`[${index}]`, validator.problems(element, value[index])))
      : [],
  items: (expected, value, { prefixItems }, validator) => {
    const skipped = Array.isArray(prefixItems) ? prefixItems.length : 0;
    return Array.isArray(value)
      ? value.slice(skipped).flatMap((element, index) => withPlace(`[${index + skipped}]`, validator.problems(expected, element)))
      : [];
  },
  required: (expected, value) =>
    isMap(value) ? (expected as readonly string[]).filter((name) => !Object.hasOwn(value, name)).map((name) => `${name} is missing`) : [],
  properties: (expected, value, _, validator) =>
    isMap(value)
      ? Object.entries(asObject(expected)).flatMap(([name, element]) =>
          Object.hasOwn(value, name) ? withPlace(name, validator.problems(element, value[name])) : [],
        )
      : [],
  additionalProperties: (expected, value, { properties = {}, patternProperties = {} }, validator) =>
    isMap(value)
      ? Object.keys(value)
          .filter(
            (name) =>
              !Object.hasOwn(asObject(properties), name) &&
              !Object.keys(asObject(patternProperties)).some((element) => new RegExp(element, 'u').test(name)),
          )
          .flatMap((name) => withPlace(name, validator.problems(expected, value[name])))
      : [],
  patternProperties: (expected, value, _, validator) =>
    isMap(value)
      ? Object.entries(asObject(expected)).flatMap(([pattern, element]) =>
          Object.keys(value)
            .filter((name) => new RegExp(pattern, 'u').test(name))
            .flatMap((name) => withPlace(name, validator.problems(element, value[name]))),
        )
      : [],
  anyOf: (expected, value, _, validator) => {
    const problemsOfForms = (expected as readonly unknown[]).map((element) => validator.problems(element, value));
    return problemsOfForms.some((problems) => problems.length === 0)
      ? []
      : [`in no form: ${problemsOfForms.map((problems) => problems[0]).join(' | ')}`];
  },
  allOf: (expected, value, _, validator) => (expected as readonly unknown[]).flatMap((element) => validator.problems(element, value)),
  not: (expected, value, _, validator) => problemUnless(validator.problems(expected, value).length > 0, 'what may not be'),
};
