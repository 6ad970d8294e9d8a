// Branded numbers: a value in ticks cannot be assigned to a value in lots, at no run-time cost.

declare const brand: unique symbol;
/** A type that no other type of the same form can be assigned to. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };

/** Price in whole units of 10^-priceDigits of its instrument; an integer held in a double. */
export type Ticks = Brand<number, 'Ticks'>;
/** Order quantity in whole units of 10^-quantityDigits of its instrument; an integer held in a double. */
export type Lots = Brand<number, 'Lots'>;
/** Money in whole units of 10^-digits of its asset; an integer held in a double. */
export type Units = Brand<number, 'Units'>;
/** Unix time in milliseconds, UTC. */
export type TimeMs = Brand<number, 'TimeMs'>;

/** Brands a number as ticks. None of these four functions checks the number. */
export const ticks = (value: number): Ticks => value as Ticks;
/** Brands a whole number as a quantity in lots. */
export const lots = (value: number): Lots => value as Lots;
/** Brands a whole number as money in units of its asset. */
export const units = (value: number): Units => value as Units;
/** Brands a number as a time in ms UTC. */
export const timeMs = (value: number): TimeMs => value as TimeMs;
