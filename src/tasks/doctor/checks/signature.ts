// Checks key, address and signature with one signed read. Each check reports only the refusals that concern it.

import { errorCodeOf, type Outcome } from '../../../protocol/outcome.ts';
import { failed, ok, skipped, type CheckFinding } from '../context/check.ts';
import type { CheckContext } from '../context/checkContext.ts';
import { answerProblem, type NotAcked } from '../fixes/answerFix.ts';
import type { CheckSubject } from '../fixes/checkSubject.ts';
import { codeFamily, type CodeFamily } from '../fixes/codeFamilies.ts';

/** The checks that share the signed read of the account. */
type SignedCheck = 'signature' | 'ip' | 'permission';

/**
 * Returns the check that a refusal of the signed read concerns. A service checks key and address first, so such a refusal says nothing
 * about the signature.
 */
function concernedCheck(outcome: NotAcked): SignedCheck {
  const code = errorCodeOf(outcome);
  const family = code === null ? null : codeFamily(code);
  if (family === 'address') return 'ip';
  return family === 'key' || family === 'company' ? 'permission' : 'signature';
}

/** Returns how messages name the signed read. */
const accountRead = ({ market }: CheckContext): CheckSubject => ({ kind: 'account', market, subjectText: 'the account' });

/** Returns the finding of `check`. The check is skipped if the read was refused for another reason. */
async function checkSigned(
  context: CheckContext,
  check: SignedCheck,
  detail: string,
  details: readonly string[] = [],
): Promise<CheckFinding> {
  const outcome = await context.account();
  if (outcome.kind === 'acked') return ok(detail, { more: details });
  const concerned = concernedCheck(outcome);
  const code = errorCodeOf(outcome);
  const codeText = code === null ? '' : ` (${code})`;
  if (concerned !== check) return skipped(`because ${concerned} failed${codeText}`);
  return answerProblem(outcome, accountRead(context));
}

/** Checks the signature. If it is wrong, tries to sign paths the other way: with or without their prefix. */
export async function checkSignature(context: CheckContext): Promise<CheckFinding> {
  const finding = await checkSigned(context, 'signature', 'accepted: a read without a query', signedPrefix(context));
  if (finding.status !== 'failed' || !isWrongSignature(await context.account())) return finding;
  if (context.dialect.pathPrefix[context.market] === '') return finding;
  const signPathPrefix = !context.dialect.signPathPrefix;
  const op = context.market === 'spot' ? 'spot.account' : 'futures.account';
  const otherOutcome = await context.probe.call(op, {}, { signPathPrefix });
  if (otherOutcome.kind !== 'acked') {
    return { ...finding, more: ['signed with and without dialect.pathPrefix: both were refused'] };
  }
  const how = signPathPrefix ? 'with' : 'without';
  const fix = `the service signs paths ${how} their prefix: set dialect.signPathPrefix to ${signPathPrefix} in the access file`;
  return { ...finding, fix: [fix], dialect: { signPathPrefix } };
}

/** Returns a line that says whether signatures cover the path prefix of the market; no line without a prefix. */
function signedPrefix({ dialect, market }: CheckContext): readonly string[] {
  const prefix = dialect.pathPrefix[market];
  return prefix === '' ? [] : [`signed ${dialect.signPathPrefix ? 'with' : 'without'} the prefix ${prefix}`];
}

/** Checks that the key may be used from this address. */
export const checkIp = (context: CheckContext): Promise<CheckFinding> => checkSigned(context, 'ip', 'this address may use the key');

/** Checks that the key may trade. `otherMarket` is the context of the other market, if it is checked too. */
export async function checkPermission(context: CheckContext, otherMarket: CheckContext | null): Promise<CheckFinding> {
  const { market } = context;
  const tradeText =
    market === 'spot' ? 'testOrder shows whether it may trade' : 'futures have no test order, so it is unknown whether it may trade';
  const rightsText = 'no endpoint shows its other rights: check at the exchange that it cannot withdraw and is limited to this address';
  const finding = await checkSigned(context, 'permission', `the key may read ${market}; ${tradeText}`, [rightsText]);
  if (finding.status !== 'failed' || otherMarket === null) return finding;
  const isAcceptedElsewhere = (await otherMarket.account()).kind === 'acked';
  if (!isAcceptedElsewhere) return finding;
  const remedy = `give it the permission for ${market} too, or use a key for each market`;
  const fix = `${otherMarket.market} accepts this key from this address: ${remedy}`;
  // For a refused key, the first fix is to check key and address. The other market has accepted both.
  return { ...finding, fix: [fix, ...(finding.fix ?? []).slice(1)] };
}

/** True when a call was refused because of its signature. */
const isWrongSignature = (outcome: Outcome<unknown>): boolean => {
  const code = errorCodeOf(outcome);
  return code !== null && codeFamily(code) === 'signature';
};

/** What an answer says about the signature of its request. */
type Verdict = 'accepted' | 'refused' | 'unclear';

/** Families of codes that a service returns only after it has accepted the signature. */
const FAMILIES_AFTER_SIGNATURE: ReadonlySet<CodeFamily> = new Set(['instrument', 'parameters', 'endedOrder', 'support']);

/** Returns what an outcome says about the signature. A refusal because of the order or symbol means that the signature was accepted. */
function verdictOf(outcome: Outcome<unknown>): Verdict {
  if (outcome.kind === 'acked') return 'accepted';
  const code = errorCodeOf(outcome);
  const family = code === null ? null : codeFamily(code);
  if (family === 'signature') return 'refused';
  return family !== null && FAMILIES_AFTER_SIGNATURE.has(family) ? 'accepted' : 'unclear';
}

/** Checks whether the query of a GET is signed, which the specification leaves open. Reads open orders in both ways. */
export async function checkQuery(context: CheckContext): Promise<CheckFinding> {
  const symbol = await context.example();
  const readOpenOrders = (signQuery: 'include' | 'omit') =>
    context.market === 'spot'
      ? context.probe.call('spot.openOrders', { symbol }, { signQuery })
      : context.probe.call('futures.openOrders', { contractName: symbol }, { signQuery });
  const configured = context.dialect.signQuery === 'include' ? 'include' : 'omit';
  const other = configured === 'include' ? 'omit' : 'include';
  const outcome = await readOpenOrders(configured);
  const verdict = verdictOf(outcome);
  const subject: CheckSubject = { kind: 'query', market: context.market, subjectText: `open orders of ${symbol}` };
  if (outcome.kind !== 'acked' && verdict === 'unclear') return answerProblem(outcome, subject);
  const otherVerdict = verdictOf(await readOpenOrders(other));
  const verdictsText = `${configured}: ${verdict}; ${other}: ${otherVerdict}`;
  if (verdict === 'accepted') {
    const bothText = `accepted with the query signed and without; dialect.signQuery: ${configured}`;
    const detail = otherVerdict === 'accepted' ? bothText : `dialect.signQuery ${verdictsText}`;
    return ok(detail, { dialect: { signQuery: configured } });
  }
  if (otherVerdict === 'accepted') {
    context.signQuery = other;
    const how = other === 'omit' ? 'without' : 'with';
    const fix = `set dialect.signQuery to ${other} in the access file (--config): the service signs paths ${how} their query`;
    return failed(`dialect.signQuery ${verdictsText}`, [fix], { code: errorCodeOf(outcome), dialect: { signQuery: other } });
  }
  return outcome.kind === 'acked' ? ok(verdictsText) : { ...answerProblem(outcome, subject), more: [`dialect.signQuery ${verdictsText}`] };
}
