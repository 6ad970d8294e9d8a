// Checks the account: balances, and for futures positions, position mode, margin mode and leverage.

import { marginModeName } from '../../../protocol/contractModes.ts';
import { Decimal } from '../../../base/number/decimal.ts';
import type { MarginAccount } from '../../../protocol/shapes/margin.ts';
import { failed, ok, skipped, doubtful, type CheckFinding } from '../context/check.ts';
import type { CheckContext } from '../context/checkContext.ts';
import { codeFamily } from '../fixes/codeFamilies.ts';
import { errorCodeOf } from '../../../protocol/outcome.ts';
import { answerProblem } from '../fixes/answerFix.ts';
import { shortList } from '../../../base/text/shortList.ts';

/** Marks findings that a support bundle leaves out, because they have amounts. */
const isPrivate = true;

/** Lists the balances. Warns if there are none, or if some cannot be parsed. */
export async function checkBalances(context: CheckContext): Promise<CheckFinding> {
  const balances = context.market === 'spot' ? await spotBalances(context) : await marginBalances(context);
  if ('status' in balances) return balances;
  const { unreadable, lines } = balances;
  if (unreadable > 0) {
    const fix = ['balances that are not understood are not counted: please report them with a support bundle (--bundle)'];
    return doubtful(`${unreadable} balances are not understood`, fix, { more: lines, isPrivate });
  }
  if (lines.length === 0)
    return doubtful('none: every order would be refused (-2017)', ['transfer to the account that trades this market'], { isPrivate });
  return ok(shortList(lines), { isPrivate });
}

/** Balances as text, and the number of rows that could not be parsed. */
interface Balances {
  readonly unreadable: number;
  readonly lines: readonly string[];
}

/** Returns the spot balances above zero, or why they cannot be read. */
async function spotBalances(context: CheckContext): Promise<Balances | CheckFinding> {
  const outcome = await context.spotAccount();
  if (outcome.kind !== 'acked') return answerProblem(outcome, { kind: 'account', market: 'spot', subjectText: 'the balances' });
  const nonZero = outcome.value.rows.filter(({ free, locked }) => !isZero(free) || !isZero(locked));
  const lines = nonZero.map(({ asset, free, locked }) => {
    const inOrders = isZero(locked) ? '' : ` (and ${plainDecimal(locked)} in orders)`;
    return `${plainDecimal(free)} ${asset}${inOrders}`;
  });
  return { unreadable: outcome.value.refused.length, lines };
}

/** Returns the margin balances above zero, or why they cannot be read. */
async function marginBalances(context: CheckContext): Promise<Balances | CheckFinding> {
  const outcome = await context.marginAccounts();
  if (outcome.kind !== 'acked') return answerProblem(outcome, { kind: 'account', market: 'futures', subjectText: 'the margin' });
  const nonZero = outcome.value.rows.filter(({ accountNormal, accountLock }) => !isZero(accountNormal) || !isZero(accountLock));
  const lines = nonZero.map(({ marginCoin, accountNormal, accountLock }) => {
    const frozen = isZero(accountLock) ? '' : ` (and ${plainDecimal(accountLock)} frozen)`;
    return `${plainDecimal(accountNormal)} ${marginCoin}${frozen}`;
  });
  return { unreadable: outcome.value.refused.length, lines };
}

/** True for a decimal of 0. */
const isZero = (text: string): boolean => new Decimal(text).isZero();
/** Returns a decimal without trailing zeros and without an exponent. */
const plainDecimal = (text: string): string => new Decimal(text).toFixed();

/** An open position. */
interface OpenPosition {
  readonly contract: string;
  readonly side: 'buy' | 'sell';
  readonly volume: string;
  /** The number of the margin mode. */
  readonly positionType: number;
  readonly leverage: number;
}

/** Returns the open positions of all contracts, read with the account. */
async function openPositions(context: CheckContext): Promise<readonly OpenPosition[] | CheckFinding> {
  const outcome = await context.marginAccounts();
  if (outcome.kind !== 'acked') return answerProblem(outcome, { kind: 'account', market: 'futures', subjectText: 'the positions' });
  return outcome.value.rows.flatMap(openPositionsIn).filter(({ volume }) => !isZero(volume));
}

/** Returns the open positions of a margin account. */
function openPositionsIn({ positionVos }: MarginAccount): readonly OpenPosition[] {
  return (positionVos ?? []).flatMap(({ contractName, positions }) =>
    (positions ?? []).map(({ side, volume, positionType, leverageLevel }) => ({
      contract: contractName,
      side,
      volume,
      positionType,
      leverage: leverageLevel,
    })),
  );
}

/** Checks that positions can be read from the dialect's endpoint, and lists them. */
export async function checkPositions(context: CheckContext): Promise<CheckFinding> {
  const positions = await openPositions(context);
  if ('status' in positions) return positions;
  const lines = positions.map(({ contract, side, volume }) => `${side === 'buy' ? 'long' : 'short'} ${plainDecimal(volume)} ${contract}`);
  const detail = lines.length === 0 ? 'none is open' : `open: ${shortList(lines)}`;
  if (context.dialect.positionsFrom === 'account') return ok(`${detail} (read with the account)`, { isPrivate });
  const contractName = await context.example();
  const outcome = await context.probe.call('futures.positions', { contractName }, { signQuery: context.signQuery });
  if (outcome.kind === 'acked') return ok(detail, { isPrivate, dialect: { positionsFrom: 'positions' } });
  const problem = answerProblem(outcome, { kind: 'query', market: 'futures', subjectText: `positions of ${contractName}` });
  const code = errorCodeOf(outcome);
  const isNotFound = outcome.kind === 'unknown' && outcome.status === 404;
  const isAbsent = code === null ? isNotFound : codeFamily(code) === 'support';
  if (!isAbsent) return problem;
  const fix = 'the service has no endpoint for positions, but shows them with the account: set dialect.positionsFrom to account';
  return { ...problem, fix: [fix], dialect: { positionsFrom: 'account' } };
}

/** Why a check of position settings is skipped. */
const NO_OPEN_POSITION = 'unknown: no position is open that would show it';

/** Checks that contracts have one position each, as far as open positions show. */
export async function checkPositionMode(context: CheckContext): Promise<CheckFinding> {
  const positions = await openPositions(context);
  if ('status' in positions) return positions;
  if (positions.length === 0) return skipped(NO_OPEN_POSITION);
  const contracts = [...new Set(positions.map(({ contract }) => contract))];
  const hasSide = (contract: string, side: OpenPosition['side']) =>
    positions.some((position) => position.contract === contract && position.side === side);
  const twoWay = contracts.filter((contract) => hasSide(contract, 'buy') && hasSide(contract, 'sell'));
  if (twoWay.length === 0) return ok('one direction in each contract: net, as far as positions show', { isPrivate });
  const command = 'isobar api futures.changePositionMode contractName=... positionModel=1';
  const fix = `isobar keeps one position for each contract: close one side, then ${command}`;
  return doubtful(`two-way: long and short in ${shortList(twoWay)}`, [fix], { isPrivate });
}

/** Lists the margin modes of open positions. */
export async function checkMarginMode(context: CheckContext): Promise<CheckFinding> {
  const positions = await openPositions(context);
  if ('status' in positions) return positions;
  if (positions.length === 0) return skipped(NO_OPEN_POSITION);
  const unrecognised = positions.filter(({ positionType }) => marginModeName(positionType) === null);
  if (unrecognised.length > 0) {
    const fix = ['the specification has 1 (cross) and 2 (isolated): please report it with a support bundle (--bundle)'];
    const modeTexts = unrecognised.map(({ contract, positionType }) => `${contract} ${positionType}`);
    return failed(`not understood: ${shortList(modeTexts)}`, fix, { isPrivate });
  }
  const modes = positions.map(({ contract, positionType }) => `${contract} ${marginModeName(positionType)}`);
  return ok(shortList([...new Set(modes)]), { isPrivate });
}

/** Checks that the leverage of open positions is within the range of their contracts. */
export async function checkLeverage(context: CheckContext): Promise<CheckFinding> {
  const positions = await openPositions(context);
  if ('status' in positions) return positions;
  const listed = await context.listed();
  const leverageRange = (contract: string): string | null => {
    const terms = listed.get(contract)?.contract;
    return terms ? `${terms.minLever} to ${terms.maxLever}` : null;
  };
  if (positions.length === 0) {
    const example = await context.example();
    const allowed = leverageRange(example);
    return skipped(allowed === null ? NO_OPEN_POSITION : `${NO_OPEN_POSITION}; ${example} allows ${allowed}`);
  }
  const leverages = [...new Set(positions.map(({ contract, leverage }) => `${contract} ${leverage}x`))];
  const tooHigh = positions.filter(({ contract, leverage }) => leverage > (listed.get(contract)?.contract?.maxLever ?? Infinity));
  if (tooHigh.length === 0) return ok(shortList(leverages), { isPrivate });
  const details = tooHigh.map(({ contract }) => `${contract} allows ${leverageRange(contract)}`);
  const fix = 'further orders of these contracts will be refused: lower the leverage (isobar api futures.changeLeverage)';
  return doubtful(shortList(leverages), [fix], { more: details, isPrivate });
}
