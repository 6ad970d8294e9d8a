// Writes the envelope of a run as one line.

import { wholeText, percent, signedAmount } from '../../base/text/format.ts';
import type { Envelope } from '../envelope/figures.ts';

/** The parts of the line. */
export interface EnvelopeText {
  /** The lowest and the highest net profit. */
  readonly low: string;
  readonly high: string;
  /** Whether the range is a bound, and how many fills are ambiguous: short for a terminal, long for a page. */
  readonly short: string;
  readonly long: string;
}

/** Returns the parts of the line. `asset` is the reporting asset. */
export function envelopeText({ netProfit, ambiguousFills, ambiguousShare, refinedWith, kind }: Envelope, asset: string): EnvelopeText {
  const money = (text: string): string => signedAmount(Number(text), asset);
  const kindText = kind === 'bound' ? 'bound' : 'scenario, not bound';
  const share = percent(ambiguousShare, 1);
  const isNone = ambiguousFills === 0;
  const fills = isNone ? 'no fill' : `${wholeText(ambiguousFills)} fills (${share})`;
  const ambiguous = isNone ? 'no fill ambiguous' : `${share} ambiguous`;
  return {
    low: money(netProfit.low),
    high: money(netProfit.high),
    short: `${kindText}; ${ambiguous}${refinedWith === null ? '' : ` with ${refinedWith}`}`,
    long: `${kindText}; ${fills} ambiguous${refinedWith === null ? '' : `, refined with ${refinedWith}`}`,
  };
}
