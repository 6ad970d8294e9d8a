// Checks the members of replies and their types, as part 2 of the specification states them.

/** What is wrong with a value, with its place; none: it has the shape. */
export type Shape = (value: unknown, at: string) => readonly string[];

const is =
  (what: string, holds: (value: unknown) => boolean): Shape =>
  (value, at) =>
    holds(value) ? [] : [`${at}: expected ${what}, got ${JSON.stringify(value)}`];

export const text = is('text', (value) => typeof value === 'string');
export const bool = is('true or false', (value) => typeof value === 'boolean');
export const num = is('a number', (value) => typeof value === 'number');
/** A number of any length; long ones come as # and digits. */
export const long = is('a whole number', (value) => Number.isSafeInteger(value) || (typeof value === 'string' && /^#\d+$/.test(value)));
export const ms = is('a time in ms', (value) => typeof value === 'number' && value > 1e12 && value < 1e13);
export const digits = is('digits in text', (value) => typeof value === 'string' && /^\d+$/.test(value));
export const numText = is('a number in text', (value) => typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
export const nil = is('null', (value) => value === null);
export const iso = is('a date-time without zone', (value) => typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(value));
export const oneOf = (...values: readonly unknown[]): Shape => is(`one of ${JSON.stringify(values)}`, (value) => values.includes(value));
/** Any value: the specification does not show it. */
export const notShown: Shape = () => [];

export const nullable =
  (shape: Shape): Shape =>
  (value, at) =>
    value === null ? [] : shape(value, at);

/** A list that has at least one element: an empty one shows nothing. */
export const listOf =
  (shape: Shape): Shape =>
  (value, at) => {
    if (!Array.isArray(value)) return [`${at}: expected a list, got ${JSON.stringify(value)}`];
    return value.length === 0 ? [`${at}: expected an element`] : value.flatMap((each, index) => shape(each, `${at}[${index}]`));
  };
export const empty: Shape = is('an empty list', (value) => Array.isArray(value) && value.length === 0);
export const pair =
  (first: Shape, second: Shape): Shape =>
  (value, at) =>
    Array.isArray(value) && value.length === 2
      ? [...first(value[0], `${at}[0]`), ...second(value[1], `${at}[1]`)]
      : [`${at}: expected a pair`];

/** Those members and no others, but for those that `more` names. */
export const members =
  (shapes: Readonly<Record<string, Shape>>, more: readonly string[] = []): Shape =>
  (value, at) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return [`${at}: expected an object, got ${JSON.stringify(value)}`];
    const found = new Map<string, unknown>(Object.entries(value));
    const surplus = [...found.keys()].filter((name) => !(name in shapes) && !more.includes(name));
    return [
      ...surplus.map((name) => `${at}.${name}: the specification has no such member`),
      ...Object.entries(shapes).flatMap(([name, shape]) =>
        found.has(name) ? shape(found.get(name), `${at}.${name}`) : [`${at}.${name}: is not there`],
      ),
    ];
  };

/** The envelope of futures: code, msg, data, and on some calls two more. */
export const envelope = (data: Shape, isLong = false): Shape =>
  members({ code: oneOf('0'), msg: text, data, ...(isLong ? { msgData: nil, succ: oneOf(true) } : {}) });
