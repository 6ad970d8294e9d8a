// Makes one call of `isobar api`: sends it, waits for the reply and prints the outcome.

import type { ApiCallLog } from '../../adapters/exchange/client/restClientDeps.ts';
import type { LimitEvent } from '../../adapters/exchange/limits/limiter.ts';
import type { AccessSettings } from '../../access/settings.ts';
import { originOf, signerOf } from '../../access/settings.ts';
import { openExchange, type Exchange } from '../../access/openExchange.ts';
import { assertNever } from '../../base/assert.ts';
import { sanitizeJson, sanitizeText } from '../../base/text/untrustedText.ts';
import { formatTime } from '../../model/time.ts';
import type { CallArguments } from '../../protocol/arguments.ts';
import { SECURITY } from '../../protocol/endpoints/endpoint.ts';
import { endpointOf, type Op } from '../../protocol/endpoints/endpoints.ts';
import type { Outcome } from '../../protocol/outcome.ts';
import { answerLines } from './answerLines.ts';
import { followUpCommands } from './followUp.ts';
import { exitCodeOf, failureOf, type Failure } from './outcome.ts';
import { COLUMNS } from '../../report/terminal/lines.ts';
import { jsonText, print, printError } from '../terminal/print.ts';
import { stopOnSignal } from '../terminal/stopOnSignal.ts';
import { waitingLine } from '../terminal/waitingLine.ts';
import { wrapText } from '../terminal/wrapText.ts';

/** One call with the options of the command line. */
export interface ApiCall {
  readonly op: Op;
  readonly args: CallArguments;
  readonly settings: AccessSettings;
  readonly timeoutMs: number;
  readonly isJson: boolean;
  readonly isVerbose: boolean;
  /** Removes the key and the secret from the output. */
  readonly hide: (text: string) => string;
}

/** Calls the endpoint, prints the outcome and sets the exit code. Throws ConfigError when the address or the key is missing. */
export async function callEndpoint(call: ApiCall): Promise<void> {
  const { op, settings, isVerbose } = call;
  const { market, security } = endpointOf(op);
  const origin = originOf(settings, market);
  if (SECURITY[security].key) signerOf(settings);
  const printLimit = (event: LimitEvent) => printError(limitLine(event));
  const exchange = openExchange(
    settings,
    isVerbose ? { limited: printLimit, log: (entry) => printError(logLine(entry)) } : { limited: printLimit },
  );
  try {
    if (isVerbose) printError(`${op} at ${origin}`);
    printOutcome(call, origin, await awaitOutcome(call, exchange));
  } finally {
    await exchange.close();
  }
}

/** Returns the outcome of the call. A signal cancels the call, which then has the outcome that is known by that time. */
function awaitOutcome({ op, args, timeoutMs }: ApiCall, { client }: Exchange): Promise<Outcome<unknown>> {
  return new Promise((resolve, reject) => {
    const waiting = waitingLine();
    const stop = stopOnSignal();
    const stopWaiting = (): void => {
      waiting.end();
      stop.release();
    };
    try {
      waiting.begin(`waiting for the reply to ${op}`);
      const finish = (outcome: Outcome<unknown>): void => {
        stopWaiting();
        resolve(outcome);
      };
      const cancel = client.callChecked(op, args, finish, { timeoutMs });
      stop.signal.addEventListener('abort', () => {
        process.exitCode = stop.code();
        cancel();
      });
    } catch (error) {
      stopWaiting();
      reject(error instanceof Error ? error : new Error(String(error)));
    }
  });
}

/** Prints a success or JSON on stdout and a failure on stderr. Sets the exit code, unless a signal has set it. */
function printOutcome(call: ApiCall, origin: string, outcome: Outcome<unknown>): void {
  const { op, args, isJson, hide } = call;
  const failure = failureOf(op, args, outcome);
  if (isJson) print(hide(sanitizeJson(jsonText(outcomeRecord(op, outcome, failure)))));
  else if (outcome.kind === 'acked') print(hide(successLines(call, origin, outcome.value).join('\n')));
  if (failure) printError(hide(failureLines(op, failure).join('\n')));
  process.exitCode ??= exitCodeOf(op, failure);
}

/** Returns the outcome as `--json` prints it. */
const outcomeRecord = (op: Op, outcome: Outcome<unknown>, failure: Failure | null): unknown =>
  outcome.kind === 'acked' ? { op, outcome: 'acked', answer: outcome.value } : { op, outcome: failure?.outcome, ...failure };

/** Returns the text of a success: the answer of a read, or the effect of a change and the commands that show it. */
function successLines({ op, args }: ApiCall, origin: string, answer: unknown): readonly string[] {
  const { effect, answer: shape } = endpointOf(op);
  if (effect === 'read') {
    if (answer !== null) return answerLines(answer);
    return [shape.row === null ? 'the service answers' : 'no information: the service does not say whether it exists'];
  }
  const effectText = {
    create: 'the service accepted it',
    cancel: 'the service accepted the cancel',
    setting: 'changed',
    test: 'the service would accept it; nothing was placed',
  };
  const commands = followUpCommands(op, { ...args, ...orderIdArgument(answer) });
  const changesOrder = effect === 'create' || effect === 'cancel';
  const commandLines = changesOrder ? ['commands that show its state:', ...commands.map((command) => `  ${command}`)] : [];
  return [`${effectText[effect]} (${origin})`, ...(answer === null ? [] : answerLines(answer)), ...commandLines];
}

/** Returns the order id of an answer as an argument of the next call. Empty when the answer has none. */
const orderIdArgument = (answer: unknown): CallArguments =>
  typeof answer === 'object' && answer !== null && 'orderId' in answer && typeof answer.orderId === 'string'
    ? { orderId: answer.orderId }
    : {};

/** Returns the failure with its reasons, then the advice and the commands that show the effect. */
function failureLines(op: Op, { outcome, status, code, name, meaning, msg, cause, advice, look }: Failure): readonly string[] {
  const outcomeText = { refused: 'refused', notSent: 'not sent', unknown: 'outcome unknown' }[outcome];
  const statusText = status === null ? [] : [`HTTP ${status}`];
  const nameText = name === null ? '' : ` ${name}`;
  const meaningText = meaning === null ? '' : `: ${meaning}`;
  const codeText = code === null ? [] : [`code ${code}${nameText}${meaningText}`];
  const repeatsKnownText = [name, meaning].some((text) => text?.toLowerCase() === msg?.toLowerCase());
  const messageText = msg === null || msg === '' || repeatsKnownText ? [] : [`the service says "${msg}"`];
  // The error of a local limit repeats the operation and "is not sent", which the line already says.
  const reasons =
    code === null && cause !== null ? [cause.replace(`${op} is not sent: `, '')] : [...codeText, ...statusText, ...messageText];
  return [
    ...indentLines(`${op}: ${outcomeText}: ${reasons.join('; ')}`, '', '    '),
    ...indentLines(advice, '  ', '  '),
    ...look.map((command) => `    ${command}`),
  ];
}

/** Returns wrapped lines that begin with `firstIndent` or, from the second line on, with `otherIndent`. */
const indentLines = (text: string, firstIndent: string, otherIndent: string): readonly string[] =>
  wrapText(text, COLUMNS - otherIndent.length).map((line, index) => (index === 0 ? firstIndent : otherIndent) + line);

/** Returns the line about an event of the rate limiter. */
function limitLine(event: LimitEvent): string {
  switch (event.kind) {
    case 'limited':
      return `the exchange says "too many requests": ${event.rateClass} waits until ${formatTime(event.untilMs)}`;
    case 'banned':
      return `the exchange has banned this address: nothing is sent before ${formatTime(event.ban.untilMs)}`;
    case 'banNotSaved':
      return `the ban could not be saved (${sanitizeText(event.cause)}): call nothing before ${formatTime(event.ban.untilMs)}`;
    default:
      return assertNever(event);
  }
}

/** Returns the line about one request, for `--verbose`. */
function logLine({ op, kind, attempt, latencyMs, status, code }: ApiCallLog): string {
  const facts = [`attempt ${attempt}`];
  if (status !== null) facts.push(`HTTP ${status}`);
  if (code !== null) facts.push(`code ${code}`);
  if (latencyMs !== null) facts.push(`${latencyMs} ms`);
  return `${op}: ${kind}, ${facts.join(', ')}`;
}
