// Lists guards 47 to 62 of the disk, the limits, the clock and the operator: what must hold when the environment misbehaves.

import { switchGuard, type Guard } from './guard.ts';

const EXCHANGE_FAULTS_TEST = 'test/rest/exchangeFaults.test.ts';
const WINDOW_FILE = 'src/adapters/exchange/limits/windowUse.ts';

/** The guards, in the order of their numbers. */
export const ENVIRONMENT: readonly Guard[] = [
  switchGuard(47, 'syncIsFinal', 'adapters/journal/records'),
  switchGuard(48, 'checksums', 'adapters/journal/records'),
  switchGuard(49, 'rejectsDamage', 'adapters/journal/records'),
  {
    row: 50,
    name: '50: two processes may have one journal',
    file: 'src/adapters/disk/processLock.ts',
    from: "if (state !== 'gone') throw takenError(`${folder}/${name}`, other, state, words);",
    to: "if (state !== 'gone') continue;",
    test: 'src/adapters/disk/processLock.test.ts',
    testTitle: 'fails for a second process, names the first, and leaves the lock file unchanged',
  },
  switchGuard(53, 'haltsPersist', 'adapters/journal/records'),
  {
    row: 54,
    name: '54: a ban is forgotten by a restart',
    file: 'src/adapters/exchange/bans/ipBan.ts',
    from: 'else this.#resume(storedBan, nowMs);',
    to: '',
    test: 'src/adapters/exchange/bans/fileBanStore.test.ts',
    testTitle: 'holds across restarts, and the next one is twice as long',
  },
  {
    row: 55,
    name: '55: cancels have no share of the limit for themselves',
    file: 'src/adapters/exchange/limits/priorityShares.ts',
    from: "if (priority === 'cancel') return usedAfter <= allowance;",
    to: '',
    test: 'src/adapters/exchange/limits/limiter.test.ts',
    testTitle: 'steady traffic leaves 20 % to cancels',
  },
  {
    row: 56,
    name: '56: a call counts for one window from its sending, not from its reply',
    file: WINDOW_FILE,
    from: 'this.#answered.add(weight, nowMs + this.#holdMs + (isLost ? LOST_MS : 0));',
    to: 'this.#answered.add(weight, nowMs);',
    test: 'src/adapters/exchange/limits/windowUse.test.ts',
    testTitle: 'never exceed the limit on the clock of the exchange',
  },
  {
    row: 57,
    name: '57: orders are signed while the error of the clock is too large',
    file: 'src/adapters/exchange/send/createQueue.ts',
    from: 'if (!(uncertaintyMs <= settings.maxUncertaintyMs)) {',
    to: 'if (uncertaintyMs < 0) {',
    test: 'test/rest/clockFaults.test.ts',
    testTitle: 'no request is signed while the time of the exchange is uncertain',
  },
  {
    row: 58,
    name: '58: the admission window can be raised',
    file: 'src/access/config.ts',
    from: "recvWindow: integerValue('ms', 'how long a request is valid, sent with signed POSTs', 1, 5000)",
    to: "recvWindow: integerValue('ms', 'how long a request is valid, sent with signed POSTs', 1, 100_000)",
    test: 'src/access/settings.test.ts',
    testTitle: 'recvWindow: 6000',
  },
  {
    row: 59,
    name: '59: trading continues beside a foreign order',
    file: 'src/adapters/exchange/observe/attribution.ts',
    from: "this.#deps.raisedCauses.raise('ALIEN', null,",
    to: "this.#deps.raisedCauses.scopeNameOf(null) === '' && this.#deps.raisedCauses.raise('ALIEN', null,",
    test: EXCHANGE_FAULTS_TEST,
    testTitle: 'after an unattributed order by hand, new risk is denied',
  },
  {
    row: 61,
    name: '61: balances are accepted even if no trade explains them',
    file: 'src/adapters/exchange/account/holdingsCheck.ts',
    from: 'const gaps = snapshot.gaps();',
    to: 'snapshot.adopt();\n        const gaps = snapshot.gaps();',
    test: EXCHANGE_FAULTS_TEST,
    testTitle: 'a balance that no trade explains is a mismatch',
  },
  {
    row: 62,
    name: '62: secrets are logged',
    file: 'src/access/credentialScanner.ts',
    from: 'maskText(text: string): string {',
    to: 'maskText(text: string): string {\n    if (text !== "") return text;',
    test: 'src/access/signer.test.ts',
    testTitle: 'key and secret are masked in every encoding',
  },
];
