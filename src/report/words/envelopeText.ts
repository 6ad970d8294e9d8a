// The envelope of a run in one line.

import { count, percent, signedAmount } from '../../base/text/format.ts';
import type { Envelope } from '../envelope/figures.ts';

/** Returns what the line says: the lowest and the highest net profit, and how far to trust them. */
export function envelopeText(
  { netProfit, ambiguousFills, ambiguousShare, refinedWith, kind }: Envelope,
  asset: string,
): {
  readonly low: string;
  readonly high: string;
  readonly trust: string;
} {
  const money = (text: string): string => signedAmount(Number(text), asset);
  const isBound = kind === 'bound';
  const fills = ambiguousFills === 0 ? 'no fill' : `${count(ambiguousFills)} fills (${percent(ambiguousShare, 1)})`;
  const refined = refinedWith === null ? '' : `, refined with ${refinedWith}`;
  return {
    low: money(netProfit.low),
    high: money(netProfit.high),
    trust: `${isBound ? 'bound' : 'scenario, not bound'}; ${fills} ambiguous${refined}`,
  };
}
