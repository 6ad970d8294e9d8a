// How quantities of an instrument become money: coins by their price, contracts by what they stand for.

import { pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { Worth } from '../kernels/worth.ts';

export function worthOf({ contract }: Instrument): Worth {
  if (contract === undefined) return { face: 1, isInverse: false };
  return { face: contract.multiplier / pow10(contract.multiplierDigits), isInverse: contract.kind === 'inverse' };
}
