// Describes the shapes of replies: their members and types, as part 2 of the specification states them.

/** Returns the problems of a value, each with its path in the reply. Empty if the value has the shape. */
export type Shape = (value: unknown, path: string) => readonly string[];

/** Returns the shape of the values for which `holds` is true. `expected` names them in messages. */
const shapeWhere =
  (expected: string, holds: (value: unknown) => boolean): Shape =>
  (value, path) =>
    holds(value) ? [] : [`${path}: expected ${expected}, got ${JSON.stringify(value)}`];

/** Any text. */
export const text = shapeWhere('text', (value) => typeof value === 'string');
/** True or false, not as text. */
export const bool = shapeWhere('true or false', (value) => typeof value === 'boolean');
/** A JSON number. */
export const num = shapeWhere('a number', (value) => typeof value === 'number');
/** A whole number of any length. From 16 digits on the caller reads it as # and digits. */
export const long = shapeWhere(
  'a whole number',
  (value) => Number.isSafeInteger(value) || (typeof value === 'string' && /^#\d+$/.test(value)),
);

/** A time in ms UTC, between 2001 and 2286. */
export const ms = shapeWhere('a time in ms', (value) => typeof value === 'number' && value > 1e12 && value < 1e13);
/** A whole number as text. */
export const digits = shapeWhere('digits in text', (value) => typeof value === 'string' && /^\d+$/.test(value));
/** A decimal as text. */
export const numText = shapeWhere('a number in text', (value) => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
/** Null. */
export const nil = shapeWhere('null', (value) => value === null);
/** A local date-time, such as `2024-01-01T08:00:00`. */
export const iso = shapeWhere(
  'a date-time without zone',
  (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value),
);

/** Returns the shape of a value from a list. */
export const oneOf = (...values: readonly unknown[]): Shape =>
  shapeWhere(`one of ${JSON.stringify(values)}`, (value) => values.includes(value));
/** Any value, because the specification does not show it. */
export const notShown: Shape = () => [];

/** Returns the shape that also allows null. */
export const nullable =
  (shape: Shape): Shape =>
  (value, path) =>
    value === null ? [] : shape(value, path);

/** Returns the shape of a list with at least one element. An empty list would prove nothing about its elements. */
export const listOf =
  (shape: Shape): Shape =>
  (value, path) => {
    if (!Array.isArray(value)) return [`${path}: expected a list, got ${JSON.stringify(value)}`];
    return value.length === 0 ? [`${path}: expected an element`] : value.flatMap((element, index) => shape(element, `${path}[${index}]`));
  };
/** A list without elements. */
export const empty: Shape = shapeWhere('an empty list', (value) => Array.isArray(value) && value.length === 0);
/** Returns the shape of a list with exactly two elements. */
export const pair =
  (first: Shape, second: Shape): Shape =>
  (value, path) =>
    Array.isArray(value) && value.length === 2
      ? [...first(value[0], `${path}[0]`), ...second(value[1], `${path}[1]`)]
      : [`${path}: expected a pair`];

/** Returns the shape of an object that has all of these members. It may also have those of `optional`, and no others. */
export const members =
  (shapes: Readonly<Record<string, Shape>>, optional: readonly string[] = []): Shape =>
  (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return [`${path}: expected an object, got ${JSON.stringify(value)}`];
    const actualMembers = new Map<string, unknown>(Object.entries(value));
    const surplus = [...actualMembers.keys()].filter((name) => !(name in shapes) && !optional.includes(name));
    return [
      ...surplus.map((name) => `${path}.${name}: the specification has no such member`),
      ...Object.entries(shapes).flatMap(([name, shape]) =>
        actualMembers.has(name) ? shape(actualMembers.get(name), `${path}.${name}`) : [`${path}.${name}: is missing`],
      ),
    ];
  };

/** Returns the shape of a futures reply: code, msg and data. The long form of some calls also has msgData and succ. */
export const envelope = (data: Shape, isLong = false): Shape =>
  members({ code: oneOf('0'), msg: text, data, ...(isLong ? { msgData: nil, succ: oneOf(true) } : {}) });
