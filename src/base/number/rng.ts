// Seeded random numbers, equal on every platform. They are the only source of randomness in isobar.

/** A generator of random numbers. */
export interface Rng {
  /** Returns the next number, uniform in [0, 1), with 32 random bits. */
  next(): number;
}

/** Returns an xorshift128 generator, seeded by splitmix32 of an integer. Integer operations only, so the bits are the same everywhere. */
export function seededRng(seed: number): Rng {
  let mix = seed | 0;
  const splitmix = () => {
    mix = (mix + 0x9e3779b9) | 0;
    let z = mix;
    z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
    z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
    return z ^ (z >>> 15);
  };
  let a = splitmix();
  let b = splitmix();
  let c = splitmix();
  let d = splitmix() | 1;
  return {
    next() {
      let t = a;
      const s = d;
      a = b;
      b = c;
      c = s;
      t ^= t << 11;
      t ^= t >>> 8;
      d = t ^ s ^ (s >>> 19);
      return (d >>> 0) / 4294967296;
    },
  };
}
