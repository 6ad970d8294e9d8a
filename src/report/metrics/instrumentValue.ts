// Converts quantities of an instrument to money: coins by their price, contracts by their face value.

import { pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ContractFace } from '../kernels/contractValue.ts';

/** Returns how one unit of quantity of the instrument converts to money: 1 coin, or the face value of a contract. */
export function contractFaceOf({ contract }: Instrument): ContractFace {
  if (contract === undefined) return { face: 1, isInverse: false };
  return { face: contract.multiplier / pow10(contract.multiplierDigits), isInverse: contract.kind === 'inverse' };
}
