// Returns the face value by which quantities of an instrument convert to money: that of a contract, or 1 for a coin.

import { pow10 } from '../../base/number/exact.ts';
import type { Instrument } from '../../model/instrument.ts';
import type { ContractFace } from '../kernels/contractValue.ts';

/** Returns the face value of one unit of quantity: 1 for a coin, otherwise that of the contract. */
export function contractFaceOf({ contract }: Instrument): ContractFace {
  if (contract === undefined) return { face: 1, isInverse: false };
  return { face: contract.multiplier / pow10(contract.multiplierDigits), isInverse: contract.kind === 'inverse' };
}
