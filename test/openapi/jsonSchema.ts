// Validates values against the JSON Schema 2020-12 keywords that the document uses, independently of the code that makes it.

export type Schema = Readonly<Record<string, unknown>>;
type Check = (is: unknown, value: unknown, schema: Schema, within: Reader) => readonly string[];

/** Problems of `value`, each with its place; none when it is what the schema says. References are looked up in `root`. */
export class Reader {
  readonly #root: unknown;
  constructor(root: unknown) {
    this.#root = root;
  }

  problems(schema: unknown, value: unknown): readonly string[] {
    if (typeof schema === 'boolean') return schema ? [] : ['nothing may stand here'];
    const rules = asObject(schema);
    return Object.entries(rules).flatMap(([keyword, is]) => {
      if (ANNOTATIONS.has(keyword)) return [];
      const check = CHECKS[keyword];
      if (!check) throw new Error(`a keyword that this check does not know: ${keyword}`);
      return check(is, value, rules, this);
    });
  }

  /** Returns the schema behind a reference such as `#/components/schemas/SpotError`. */
  target(reference: string): unknown {
    if (!reference.startsWith('#/')) throw new Error(`a reference to elsewhere: ${reference}`);
    return reference
      .slice(2)
      .split('/')
      .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce<unknown>((at, step) => {
        const schema = asObject(at);
        if (!Object.hasOwn(schema, step)) throw new Error(`${reference} leads nowhere`);
        return schema[step];
      }, this.#root);
  }
}

/** Returns the value as an object. Throws Error if it is something else. */
export function asObject(value: unknown): Schema {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Error(`no object: ${JSON.stringify(value)}`);
  return value as Schema;
}

const ANNOTATIONS = new Set(['description', 'default', 'example', 'examples', 'title']);
const within = (place: string, problems: readonly string[]): readonly string[] => problems.map((problem) => `${place}: ${problem}`);
const isMap = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value);
const unless = (isFine: boolean, problem: string): readonly string[] => (isFine ? [] : [problem]);
const brief = (value: unknown): string => JSON.stringify(value).slice(0, 80);

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => typeof value === 'number' && Number.isInteger(value),
  array: (value) => Array.isArray(value),
  object: isMap,
};

const CHECKS: Readonly<Record<string, Check>> = {
  $ref: (is, value, _, reader) => reader.problems(reader.target(String(is)), value),
  type: (is, value) => {
    const types = Array.isArray(is) ? is.map(String) : [String(is)];
    return unless(
      types.some((type) => {
        const test = TYPES[type];
        if (!test) throw new Error(`no type: ${type}`);
        return test(value);
      }),
      `expected ${types.join(' or ')}, got ${brief(value)}`,
    );
  },
  enum: (is, value) => unless((is as readonly unknown[]).includes(value), `none of the values: ${brief(value)}`),
  const: (is, value) => unless(is === value, `expected ${brief(is)}, got ${brief(value)}`),
  pattern: (is, value) =>
    unless(typeof value !== 'string' || new RegExp(String(is), 'u').test(value), `not like ${String(is)}: ${brief(value)}`),
  minLength: (is, value) => unless(typeof value !== 'string' || value.length >= Number(is), 'too short'),
  minimum: (is, value) => unless(typeof value !== 'number' || value >= Number(is), `below ${String(is)}: ${brief(value)}`),
  maximum: (is, value) => unless(typeof value !== 'number' || value <= Number(is), `above ${String(is)}: ${brief(value)}`),
  exclusiveMinimum: (is, value) => unless(typeof value !== 'number' || value > Number(is), `not above ${String(is)}: ${brief(value)}`),
  minItems: (is, value) => unless(!Array.isArray(value) || value.length >= Number(is), 'too few elements'),
  maxItems: (is, value) => unless(!Array.isArray(value) || value.length <= Number(is), 'too many elements'),
  prefixItems: (is, value, _, reader) =>
    Array.isArray(value)
      ? (is as readonly unknown[]).flatMap((element, index) => within(`[${index}]`, reader.problems(element, value[index])))
      : [],
  items: (is, value, { prefixItems }, reader) => {
    const skipped = Array.isArray(prefixItems) ? prefixItems.length : 0;
    return Array.isArray(value)
      ? value.slice(skipped).flatMap((element, index) => within(`[${index + skipped}]`, reader.problems(is, element)))
      : [];
  },
  required: (is, value) =>
    isMap(value) ? (is as readonly string[]).filter((name) => !Object.hasOwn(value, name)).map((name) => `${name} is missing`) : [],
  properties: (is, value, _, reader) =>
    isMap(value)
      ? Object.entries(asObject(is)).flatMap(([name, element]) =>
          Object.hasOwn(value, name) ? within(name, reader.problems(element, value[name])) : [],
        )
      : [],
  additionalProperties: (is, value, { properties = {}, patternProperties = {} }, reader) =>
    isMap(value)
      ? Object.keys(value)
          .filter(
            (name) =>
              !Object.hasOwn(asObject(properties), name) &&
              !Object.keys(asObject(patternProperties)).some((element) => new RegExp(element, 'u').test(name)),
          )
          .flatMap((name) => within(name, reader.problems(is, value[name])))
      : [],
  patternProperties: (is, value, _, reader) =>
    isMap(value)
      ? Object.entries(asObject(is)).flatMap(([pattern, element]) =>
          Object.keys(value)
            .filter((name) => new RegExp(pattern, 'u').test(name))
            .flatMap((name) => within(name, reader.problems(element, value[name]))),
        )
      : [],
  anyOf: (is, value, _, reader) => {
    const all = (is as readonly unknown[]).map((element) => reader.problems(element, value));
    return all.some((problems) => problems.length === 0) ? [] : [`in no form: ${all.map((problems) => problems[0]).join(' | ')}`];
  },
  allOf: (is, value, _, reader) => (is as readonly unknown[]).flatMap((element) => reader.problems(element, value)),
  not: (is, value, _, reader) => unless(reader.problems(is, value).length > 0, 'what may not be'),
};
