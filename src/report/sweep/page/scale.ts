// Converts values to colours: gain and loss on either side of zero, or shades of one colour when all values are on one side.
/// <reference lib="dom" />

import { colour } from '../../page/browser/dom.ts';

/** The weakest and the strongest share of the colour in a cell. */
const MIN_COLOUR_SHARE = 0.14;
const MAX_COLOUR_SHARE = 0.92;

/** The range of the values, and which colours they use. */
export interface ColourScale {
  readonly low: number;
  readonly high: number;
  /** `both`: values on both sides of zero. `above`: all at least 0. `below`: all at most 0. */
  readonly side: 'both' | 'above' | 'below';
}

/** Returns the scale of the values on the map. */
export function scaleOf(values: readonly number[]): ColourScale {
  const finite = values.filter(Number.isFinite);
  if (finite.length === 0) return { low: 0, high: 0, side: 'above' };
  const low = finite.reduce((min, value) => Math.min(min, value));
  const high = finite.reduce((max, value) => Math.max(max, value));
  if (low >= 0) return { low, high, side: 'above' };
  if (high <= 0) return { low, high, side: 'below' };
  // Both sides use one scale, so that a loss does not look smaller than a gain of the same size.
  const size = Math.max(-low, high);
  return { low: -size, high: size, side: 'both' };
}

/** Returns the fill and text colours of a cell. */
export function coloursOf(value: number, { low, high, side }: ColourScale): { readonly fill: string; readonly text: string } {
  const position = high === low ? 1 : (value - low) / (high - low);
  const oneSidedShare = side === 'above' ? position : 1 - position;
  const share = side === 'both' ? Math.abs(value) / high : oneSidedShare;
  const signName = side === 'below' || value < 0 ? 'loss' : 'gain';
  const fullColour = rgb(colour(side === 'above' ? 'accent' : signName));
  const colourShare = MIN_COLOUR_SHARE + (MAX_COLOUR_SHARE - MIN_COLOUR_SHARE) * share;
  const mixed = rgb(colour('surface')).map((channel, index) => Math.round(channel + ((fullColour[index] ?? 0) - channel) * colourShare));
  return { fill: `rgb(${mixed.join(' ')})`, text: readableTextColour(mixed) };
}

/** Returns black or white, whichever has the higher WCAG contrast. */
function readableTextColour(fill: readonly number[]): string {
  const fillLuminance = luminance(fill);
  const contrastOfWhite = 1.05 / (fillLuminance + 0.05);
  const contrastOfBlack = (fillLuminance + 0.05) / 0.05;
  return contrastOfWhite > contrastOfBlack ? '#ffffff' : '#111213';
}

/** Returns the relative luminance by WCAG, 0 to 1. */
function luminance(channels: readonly number[]): number {
  const [red = 0, green = 0, blue = 0] = channels.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Returns the channels of `#rrggbb` or `#rgb`. */
function rgb(hex: string): readonly number[] {
  const sixDigits = hex.length === 4 ? hex.replace(/[^#]/g, '$&$&') : hex;
  return [1, 3, 5].map((offset) => Number.parseInt(sixDigits.slice(offset, offset + 2), 16));
}
