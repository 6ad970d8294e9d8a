// Wraps an object. Members that the wrapper does not define come from the wrapped object.

/**
 * Returns an object with the members of `overrides`, and all other members of `wrapped`. Methods run on `wrapped`, and its fields are read at
 * each use. `overrides` is a plain object. Its methods may call the methods of `wrapped` that they replace.
 */
export function passOn<Wrapped extends object>(wrapped: Wrapped, overrides: Partial<Wrapped>): Wrapped {
  const wrapper = {};
  for (const name of namesOf(wrapped)) {
    const value: unknown = Reflect.get(wrapped, name);
    const descriptor: PropertyDescriptor =
      typeof value === 'function'
        ? { value: value.bind(wrapped), enumerable: true }
        : { get: () => Reflect.get(wrapped, name) as unknown, enumerable: true };
    Object.defineProperty(wrapper, name, { ...descriptor, configurable: true });
  }
  return Object.defineProperties(wrapper, Object.getOwnPropertyDescriptors(overrides)) as Wrapped;
}

/** Returns the names of fields, accessors and methods, including inherited ones. */
function namesOf(wrapped: object): ReadonlySet<string> {
  const names = new Set<string>();
  for (
    let level: unknown = wrapped;
    typeof level === 'object' && level !== null && level !== Object.prototype;
    level = Object.getPrototypeOf(level)
  )
    for (const name of Object.getOwnPropertyNames(level)) if (name !== 'constructor') names.add(name);
  return names;
}
