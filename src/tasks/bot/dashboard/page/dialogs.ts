// The confirmation dialog of the dashboard: asks for a reason, and for a typed word where an act raises risk.
/// <reference lib="dom" />

import type { BotRequest } from '../../../control/botRequest.ts';
import { byId } from '../../../../report/page/browser/dom.ts';
import { setHidden, setText } from './table.ts';

/** One question of the dialog, and the request that a confirmation sends. */
export interface DialogQuestion {
  readonly title: string;
  readonly message: string;
  readonly button: string;
  /** Word that the operator must type; null: none. */
  readonly word: string | null;
  /** The reason that the dialog proposes; empty: the operator must enter one. */
  readonly why: string;
  /** True when the button has the colour of a warning. */
  readonly isDanger: boolean;
  /** True when the dialog offers to close all positions too. */
  readonly canFlatten: boolean;
  /** Returns the request for the entered reason. */
  request(why: string, flatten: boolean): BotRequest;
}

/** Sends the request. Resolves with the problem, or null. */
export type SendRequest = (request: BotRequest, typed: string) => Promise<string | null>;

/** Minimum length of a reason, in characters. */
const MIN_REASON_LENGTH = 3;

/** Returns an input field of the page; null if the id names none. */
const input = (id: string): HTMLInputElement | null => {
  const field = byId(id);
  return field instanceof HTMLInputElement ? field : null;
};
const valueOf = (id: string): string => input(id)?.value.trim() ?? '';
const setInput = (id: string, value: string): void => {
  const field = input(id);
  if (field) field.value = value;
};

/** The dialog of the page. */
export class ActDialog {
  readonly #dialog = byId('act');
  readonly #send: SendRequest;
  #question: DialogQuestion | null = null;

  constructor(send: SendRequest) {
    this.#send = send;
    byId('act-no')?.addEventListener('click', () => this.#close());
    byId('act-yes')?.addEventListener('click', () => void this.#confirm());
    this.#dialog?.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && event.target instanceof HTMLInputElement && event.target.type === 'text') void this.#confirm();
    });
  }

  /** Shows a question. */
  ask(question: DialogQuestion): void {
    this.#question = question;
    setText('act-title', question.title);
    setText('act-says', question.message);
    setText('act-problem', '');
    setText('act-yes', question.button);
    byId('act-yes')?.setAttribute('class', question.isDanger ? 'danger' : '');
    setHidden('act-flatten-line', !question.canFlatten);
    setHidden('act-typed-line', question.word === null);
    setText('act-word', question.word ?? '');
    setInput('act-why', question.why);
    setInput('act-typed', '');
    const flattenBox = input('act-flatten');
    if (flattenBox) flattenBox.checked = false;
    if (this.#dialog instanceof HTMLDialogElement) this.#dialog.showModal();
    byId(question.why === '' ? 'act-why' : 'act-yes')?.focus();
  }

  /** Sends the request if the reason and the typed word are valid. Shows the problem otherwise. */
  async #confirm(): Promise<void> {
    const question = this.#question;
    if (!question) return;
    const why = valueOf('act-why');
    const typed = valueOf('act-typed');
    if (why.length < MIN_REASON_LENGTH) return setText('act-problem', 'Enter a reason: it is kept in the journal.');
    if (question.word !== null && typed !== question.word) return setText('act-problem', `Type ${question.word} to confirm.`);
    const problem = await this.#send(question.request(why, input('act-flatten')?.checked === true), typed);
    if (problem === null) this.#close();
    else setText('act-problem', problem);
  }

  #close(): void {
    this.#question = null;
    if (this.#dialog instanceof HTMLDialogElement) this.#dialog.close();
  }
}
