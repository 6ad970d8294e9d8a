// Polls a URL, and reads one value with its time from each JSON answer.

import type { Scheduler } from '../../ports/scheduler.ts';
import type { Wire, WireOutcome } from '../../ports/wire.ts';
import { parseNumberValue, parseTimeValue } from './webhookCheck.ts';

/** The collaborators and settings of a poll of one URL. */
export interface UrlPollDeps {
  readonly wire: Wire;
  readonly scheduler: Scheduler;
  readonly url: string;
  /** Where the answer has time and value: names and positions with dots between them. */
  readonly time: string;
  readonly value: string;
  readonly everyMs: number;
  readonly onValue: (timeMs: number, value: number) => void;
  /** Called once for a problem that lasts. */
  readonly onProblem: (problem: string) => void;
}

/** Longest wait for an answer. */
const TIMEOUT_MS = 10_000;

/** Requests a URL at fixed times and reports each value that is new. */
export class UrlPoll {
  readonly #deps: UrlPollDeps;
  #timer: number | null = null;
  #cancel: () => void = () => {};
  #isOver = false;
  #problem = '';

  constructor(deps: UrlPollDeps) {
    this.#deps = deps;
    this.#request();
  }

  /** Stops polling, and cancels a request that is under way. */
  stop(): void {
    this.#isOver = true;
    if (this.#timer !== null) this.#deps.scheduler.cancel(this.#timer);
    this.#cancel();
  }

  /** Sends a request, and plans the next one. The interval counts from request to request. */
  #request(): void {
    const { wire, scheduler, url, everyMs } = this.#deps;
    const nextMs = scheduler.nowMs + everyMs;
    let isLate = false;
    this.#timer = scheduler.at(scheduler.nowMs + Math.min(TIMEOUT_MS, everyMs), () => {
      isLate = true;
      this.#cancel();
    });
    this.#cancel = wire(
      { method: 'GET', url, headers: { Accept: 'application/json', 'User-Agent': 'isobar' }, body: new Uint8Array(), isPublic: true },
      (outcome) => {
        if (this.#isOver) return;
        if (this.#timer !== null) scheduler.cancel(this.#timer);
        this.#reportProblem(isLate ? 'no answer in time' : this.#reportValue(outcome));
        this.#timer = scheduler.at(Math.max(nextMs, scheduler.nowMs), () => this.#request());
      },
    );
  }

  /** Reports the value of an answer. Returns the problem of an answer without a value; '' for a good one. */
  #reportValue(outcome: WireOutcome): string {
    if (outcome.kind === 'failed') return 'it could not be reached';
    if (outcome.status !== 200) return `it answered HTTP ${outcome.status}`;
    const { time, value, onValue } = this.#deps;
    const answer = parseJson(outcome.body);
    if (answer === undefined) return 'its answer is not JSON';
    const timeMs = parseTimeValue(memberAt(answer, time));
    if (timeMs === null) return `expected a time at ${time} of its answer, found ${typeof memberAt(answer, time)}`;
    const valueNumber = parseNumberValue(memberAt(answer, value));
    if (valueNumber === null) return `expected a number, true or false at ${value} of its answer, found ${typeof memberAt(answer, value)}`;
    onValue(timeMs, valueNumber);
    return '';
  }

  /** Reports a problem that the previous answer did not have. */
  #reportProblem(problem: string): void {
    if (problem !== '' && problem !== this.#problem) this.#deps.onProblem(problem);
    this.#problem = problem;
  }
}

/** Returns the JSON value of a body; undefined if it is not JSON. */
function parseJson(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Returns the member of an answer at `place`, such as `data.-1.value`; -1 is the last one of a list. Undefined for a missing member. */
function memberAt(answer: unknown, place: string): unknown {
  let member = answer;
  for (const name of place.split('.')) {
    if (Array.isArray(member)) member = (member as readonly unknown[]).at(Number(name));
    else if (typeof member === 'object' && member !== null && Object.hasOwn(member, name)) member = Reflect.get(member, name);
    else return undefined;
  }
  return member;
}
