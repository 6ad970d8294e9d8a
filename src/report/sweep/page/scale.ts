// Converts values to colours: gain and loss on either side of zero, or shades of one colour when all values are on one side.
/// <reference lib="dom" />

import { colour } from '../../page/browser/dom.ts';

/** The weakest and the strongest share of the colour in a cell. */
const FAINT = 0.14;
const STRONG = 0.92;

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
  const end = rgb(colour(side === 'above' ? 'accent' : signName));
  const part = FAINT + (STRONG - FAINT) * share;
  const mixed = rgb(colour('surface')).map((channel, i) => Math.round(channel + ((end[i] ?? 0) - channel) * part));
  return { fill: `rgb(${mixed.join(' ')})`, text: readable(mixed) };
}

/** Returns black or white, whichever has the higher WCAG contrast. */
function readable(fill: readonly number[]): string {
  const light = luminance(fill);
  return 1.05 / (light + 0.05) > (light + 0.05) / 0.05 ? '#ffffff' : '#111213';
}

/** Returns the relative luminance by WCAG, 0 to 1. */
function luminance(channels: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = channels.map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Returns the channels of `#rrggbb` or `#rgb`. */
function rgb(hex: string): readonly number[] {
  const full = hex.length === 4 ? hex.replace(/[^#]/g, '$&$&') : hex;
  return [1, 3, 5].map((offset) => Number.parseInt(full.slice(offset, offset + 2), 16));
}
