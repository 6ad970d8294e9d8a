// Wraps an object: members that the wrapper does not define are those of the wrapped object.

/**
 * Returns an object with the members of `own`, and all other members of `bound`. Methods run on `bound`, fields are read from it at each
 * use. `own` is a plain object; its methods call `bound` to use what they replace.
 */
export function passOn<Of extends object>(bound: Of, own: Partial<Of>): Of {
  const made = {};
  for (const name of namesOf(bound)) {
    const value: unknown = Reflect.get(bound, name);
    const passed: PropertyDescriptor =
      typeof value === 'function'
        ? { value: value.bind(bound), enumerable: true }
        : { get: () => Reflect.get(bound, name) as unknown, enumerable: true };
    Object.defineProperty(made, name, { ...passed, configurable: true });
  }
  return Object.defineProperties(made, Object.getOwnPropertyDescriptors(own)) as Of;
}

/** Returns the names of fields, accessors and methods, including inherited ones. */
function namesOf(bound: object): ReadonlySet<string> {
  const names = new Set<string>();
  for (
    let level: unknown = bound;
    typeof level === 'object' && level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level)
  )
    for (const name of Object.getOwnPropertyNames(level)) if (name !== 'constructor') names.add(name);
  return names;
}
