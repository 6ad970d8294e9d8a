// The checks of the doctor in order, from the host name to a test order. Most depend on earlier ones.

import type { Market } from '../../model/instrument.ts';
import { KEY_REMEDY } from '../../access/keyLike.ts';
import type { DoctorCheck, CheckFinding } from './context/check.ts';
import { checkBalances, checkLeverage, checkMarginMode, checkPositionMode, checkPositions } from './checks/account.ts';
import { checkClock } from './checks/clock.ts';
import { checkCredentials, type CredentialFinding } from './checks/credentials.ts';
import { checkKlinesRange, checkPrecision, checkSymbols } from './checks/instruments.ts';
import { checkLimits } from './checks/limits.ts';
import { checkSocket } from './checks/socket.ts';
import { checkConnection, findAddresses, ping } from './checks/network.ts';
import { checkIp, checkPermission, checkQuery, checkSignature } from './checks/signature.ts';
import { checkTestOrder } from './checks/testOrder.ts';
import type { CheckContext } from './context/checkContext.ts';
import type { Probe } from './context/probe.ts';

/** A check that runs once for each market. */
interface MarketCheck {
  readonly name: string;
  /** Names of the checks that must pass first. Otherwise this one is skipped. */
  readonly needs: readonly string[];
  /** Only for this market; absent: both. */
  readonly market?: Market;
  readonly run: (context: CheckContext, other: CheckContext | null) => Promise<CheckFinding>;
}

/** The check of the API key. Both markets need it, so its name has no market. */
const KEY_CHECK = 'key';
/** What a signed read of the account needs. */
const SIGNED = ['signature', 'ip', 'permission'];

/** The checks of one market, in the order in which they run. */
const MARKET_CHECKS: readonly MarketCheck[] = [
  { name: 'dns', needs: [], run: findAddresses },
  { name: 'tls', needs: ['dns'], run: checkConnection },
  { name: 'ping', needs: ['tls'], run: ping },
  { name: 'clock', needs: ['ping'], run: checkClock },
  { name: 'symbols', needs: ['ping'], run: checkSymbols },
  { name: 'precision', needs: ['symbols'], run: checkPrecision },
  { name: 'klinesRange', needs: ['symbols'], run: checkKlinesRange },
  { name: 'signature', needs: [KEY_CHECK, 'clock'], run: checkSignature },
  { name: 'ip', needs: [KEY_CHECK, 'clock'], run: checkIp },
  { name: 'permission', needs: [KEY_CHECK, 'clock'], run: checkPermission },
  { name: 'signQuery', needs: SIGNED, run: checkQuery },
  { name: 'balances', needs: SIGNED, run: checkBalances },
  { name: 'positions', market: 'futures', needs: SIGNED, run: checkPositions },
  { name: 'positionMode', market: 'futures', needs: SIGNED, run: checkPositionMode },
  { name: 'marginMode', market: 'futures', needs: SIGNED, run: checkMarginMode },
  { name: 'leverage', market: 'futures', needs: SIGNED, run: checkLeverage },
  { name: 'testOrder', market: 'spot', needs: [...SIGNED, 'symbols'], run: checkTestOrder },
];

/** All names of checks, in the order of one market. */
export const CHECK_NAMES: readonly string[] = [KEY_CHECK, ...MARKET_CHECKS.map(({ name }) => name), 'socket', 'limits'];

/** Returns all checks in order. */
export function checkPlan(
  contexts: readonly CheckContext[],
  credentials: CredentialFinding,
  probe: Probe,
  socketUrl: string | null,
): readonly DoctorCheck[] {
  return [
    { name: KEY_CHECK, market: null, needs: [], run: () => checkCredentials(credentials, KEY_REMEDY) },
    ...contexts.flatMap((context) => checksOfMarket(context, contexts.find((other) => other !== context) ?? null)),
    { name: 'socket', market: null, needs: [], run: () => checkSocket(probe, socketUrl) },
    { name: 'limits', market: null, needs: [], run: () => checkLimits(probe) },
  ];
}

/** Returns the checks of one market. `other` is the context of the other market, if it is checked too. */
function checksOfMarket(context: CheckContext, other: CheckContext | null): readonly DoctorCheck[] {
  const { market } = context;
  const fullName = (name: string): string => (name === KEY_CHECK ? name : `${market}.${name}`);
  return MARKET_CHECKS.filter((check) => check.market === undefined || check.market === market).map(({ name, needs, run }) => ({
    name: fullName(name),
    market,
    needs: needs.map(fullName),
    run: () => run(context, other),
  }));
}
