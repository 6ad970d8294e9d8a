// Reads the positions of a contract from the list of positions, or from the account where a service lacks that list.

import { VENUE_CODES } from '../../../model/venueCodes.ts';
import type { Outcome } from '../../../protocol/outcome.ts';
import type { Listing } from '../../../protocol/shapes/answer.ts';
import type { MarginAccount, WirePosition } from '../../../protocol/shapes/margin.ts';
import { HTTP_STATUS } from '../../../protocol/errors/httpStatus.ts';
import { pageOf } from './spotCalls.ts';
import type { Page, PositionRow } from './venueRows.ts';

/** Codes with which services answer a call that they do not have. Some answer every unknown path as if the key were missing. */
const MISSING_CALL: ReadonlySet<number> = new Set([VENUE_CODES.unsupportedOperation.code, VENUE_CODES.noKeyHeader.code]);

/** True if the list of positions gave no rows because the service lacks it. The account then has the positions. */
export function lacksPositions(outcome: Outcome<unknown>): boolean {
  if (outcome.kind !== 'refused' && outcome.kind !== 'unknown') return false;
  return outcome.status === HTTP_STATUS.notFound || (outcome.kind === 'refused' && MISSING_CALL.has(outcome.code));
}

/** Returns the rows of a list of positions. */
export const listedPositions = (list: Listing<WirePosition>): Page<PositionRow> => pageOf(list, Infinity, positionRow);

const positionRow = (position: WirePosition): PositionRow => ({
  side: position.positionSide,
  volume: position.positionVolume,
  closableVolume: position.canCloseVolume,
  funding: position.capitalFee,
  openedMs: position.ctime,
  leverage: position.leverage,
  positionType: position.positionType,
});

/** Returns the positions of a contract from the account. It reports neither the funding paid nor what other orders hold of a position. */
export function positionsOfAccount({ rows, refused }: Listing<MarginAccount>, contractName: string): Page<PositionRow> {
  const contractRows = rows
    .flatMap(({ positionVos }) => positionVos ?? [])
    .filter((each) => each.contractName === contractName.toUpperCase());
  const positions = contractRows.flatMap((each) => each.positions ?? []).filter(({ volume }) => Number(volume) !== 0);
  return pageOf({ rows: positions, refused }, Infinity, ({ side, volume, leverageLevel, positionType }) => ({
    side,
    volume,
    closableVolume: null,
    funding: null,
    openedMs: null,
    leverage: leverageLevel,
    positionType,
  }));
}
