// Lists guards 1 to 13: what is sent, how often, and what its reply may prove.

import { switchGuard, type Guard } from './guard.ts';

const EXCHANGE_FAULTS_TEST = 'test/rest/exchangeFaults.test.ts';
const OUTCOME = 'src/protocol/outcome.ts';
const OUTCOMES = 'test/protocol/outcomes.test.ts';
const CODES_FILE = 'src/protocol/errors/errorCodes.ts';

/** The guards, in the order of their numbers. */
export const SENDING: readonly Guard[] = [
  {
    row: 1,
    name: '1: a request leaves before its SEND record is durable',
    file: 'src/adapters/exchange/send/createQueue.ts',
    from: 'if (next === undefined || this.#deps.journal.durableSeq < next.seq) return;',
    to: 'if (next === undefined) return;',
    test: 'test/rest/exchange.test.ts',
    testTitle: 'waits until its record is durable, and for the earlier order on its side of the instrument',
  },
  {
    row: 2,
    name: '2: an order may be sent again',
    file: 'src/adapters/exchange/send/createQueue.ts',
    from: 'this.#sendOnce.mark(tracked.id);',
    to: '',
    otherChanges: [{ file: 'src/adapters/exchange/send/createQueue.ts', from: 'this.#requestOnce.mark(tracked.id);', to: '' }],
    test: 'test/rest/exchange.test.ts',
    testTitle: 'is sent once, even if it is requested a second time',
  },
  {
    row: 3,
    name: '3: creates are retried like reads',
    file: 'src/adapters/exchange/client/readRetry.ts',
    from: 'if (!isSafeToRetry({ effect })) return false;',
    to: '',
    otherChanges: [
      {
        file: 'src/adapters/exchange/client/restClient.ts',
        from: 'const maxAttempts = isRead ? Math.min(Math.max(1, Math.floor(attempts)), ATTEMPTS.max) : 1;',
        to: 'const maxAttempts = Math.min(Math.max(1, Math.floor(attempts)), ATTEMPTS.max);',
      },
    ],
    test: 'test/rest/client.test.ts',
    testTitle: 'a reset instead of an answer',
  },
  {
    row: 4,
    name: '4: 504 is a refusal',
    file: OUTCOME,
    from: 'const parsedBody = parseJson(body);',
    to: "if (status >= 500) return { kind: 'refused', status, code: -1002, msg: '' };\n  const parsedBody = parseJson(body);",
    test: EXCHANGE_FAULTS_TEST,
    testTitle: 'X1, X2: the outcome of a create with code 504, executed 1',
  },
  {
    row: 5,
    name: '5: -1006 and -1007 are refusals',
    file: CODES_FILE,
    from: "errorCode(code)?.sideEffect === 'none' &&",
    to: "(code === -1006 || code === -1007 || errorCode(code)?.sideEffect === 'none') &&",
    test: OUTCOMES,
    testTitle: 'code -1007 the code has its outcome in every payload, with HTTP 200 and 4xx',
  },
  {
    row: 6,
    name: '6: -1000, -1001 and -1016 are refusals',
    file: CODES_FILE,
    from: "errorCode(code)?.sideEffect === 'none' &&",
    to: "([-1000, -1001, -1016].includes(code) || errorCode(code)?.sideEffect === 'none') &&",
    test: OUTCOMES,
    testTitle: 'code -1001 the code has its outcome in every payload, with HTTP 200 and 4xx',
  },
  {
    row: 7,
    name: '7: 2xx without an id is a refusal',
    file: OUTCOME,
    from: ': unknown(`an answer of another shape: ${decoded.problem}`, status)',
    to: ": { kind: 'refused', status, code: -1002, msg: '' }",
    test: EXCHANGE_FAULTS_TEST,
    testTitle: 'that is 2xx without an id leaves the outcome unknown',
  },
  {
    row: 8,
    name: "8: 4xx with a body that is not the service's is a refusal",
    file: OUTCOME,
    from: 'if (!isSuccessStatus(status)) return unknown(`HTTP ${status} without an error of the service`, status);',
    to: "if (!isSuccessStatus(status)) return { kind: 'refused', status, code: -1002, msg: '' };",
    test: EXCHANGE_FAULTS_TEST,
    testTitle: 'that is 403 of a proxy leaves the outcome unknown',
  },
  {
    row: 9,
    name: '9: a failed call counts as not sent, even if bytes were written',
    file: OUTCOME,
    from: 'return bytesWritten === 0 ?',
    to: 'return bytesWritten !== -1 ?',
    test: OUTCOMES,
    testTitle: 'NOT_SENT if no byte was written, else UNKNOWN',
  },
  {
    row: 10,
    name: '10: the terms in an acknowledgement are not compared with those that were sent',
    file: 'src/adapters/exchange/calls/createOutcome.ts',
    from: 'if (echo === null) return',
    to: 'return',
    test: EXCHANGE_FAULTS_TEST,
    testTitle: 'an acknowledgement of another order leaves the order unknown',
  },
  {
    row: 11,
    name: '11: ids pass through a double',
    file: 'src/protocol/shapes/value.ts',
    from: 'return text !== null && /^[1-9]\\d{0,30}$/.test(text) ? text : null;',
    to: 'return text !== null && /^[1-9]\\d{0,30}$/.test(text) ? String(Number(text)) : null;',
    test: 'test/rest/exchangeGuards.test.ts',
    testTitle: 'has an id of more digits than a double holds',
  },
  {
    row: 12,
    name: '12: a restart sends orders without a reply again',
    file: 'src/orders/orderManager.ts',
    from: 'this.resolutions.begin(order, restored.signMs);',
    to: 'this.resolutions.begin(order, restored.signMs);\n        this.exchange.submit(order as never, 0);',
    test: 'test/simulation/restart.test.ts',
    testTitle: 'restores orders, positions and halts twice in a row',
  },
  switchGuard(13, 'sentIsUnknown', 'adapters/journal/records'),
];
