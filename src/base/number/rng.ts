// Seeded random numbers, equal on every platform. They are the only source of randomness in isobar.

/** A generator of random numbers. */
export interface Rng {
  /** Returns the next number, uniform in [0, 1), with 32 random bits. */
  next(): number;
}

/** Returns an xorshift128 generator, seeded by splitmix32 of an integer. Integer operations only, so the bits are the same everywhere. */
export function seededRng(seed: number): Rng {
  let seedState = seed | 0;
  const splitmix = () => {
    seedState = (seedState + 0x9e3779b9) | 0;
    let mixed = seedState;
    mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return mixed ^ (mixed >>> 15);
  };
  let word1 = splitmix();
  let word2 = splitmix();
  let word3 = splitmix();
  let word4 = splitmix() | 1;
  return {
    next() {
      let scrambled = word1;
      const newest = word4;
      word1 = word2;
      word2 = word3;
      word3 = newest;
      scrambled ^= scrambled << 11;
      scrambled ^= scrambled >>> 8;
      word4 = scrambled ^ newest ^ (newest >>> 19);
      return (word4 >>> 0) / 2 ** 32;
    },
  };
}
