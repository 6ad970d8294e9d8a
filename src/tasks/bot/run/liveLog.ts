// The log of a live bot: one JSON line for each event, or plain sentences on a terminal. It keeps the newest lines for `isobar logs`.

import { pino } from 'pino';
import type { BotLogLine } from '../../control/botControl.ts';
import type { DecisionView } from '../../control/botView.ts';

/** The level of a log line. */
export type LogLevel = BotLogLine['level'];
/** Fields of a log line. Only simple values are written. Others are replaced by their type, so that no unknown content is logged. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Form and target of the log. */
export interface LiveLogOptions {
  /** Takes each line, which ends in a newline. */
  readonly write: (line: string) => void;
  readonly isPretty: boolean;
  readonly nowMs: () => number;
  readonly formatTime: (timeMs: number) => string;
  /** Returns the text without secrets. */
  readonly removeSecrets: (text: string) => string;
  /** Lines below this level are kept for requests, but not written; default info. */
  readonly level?: LogLevel;
}

/** Numbers of newest lines and decisions that are kept, and the maximum length of a text in characters. */
const MAX_LINES = 2000;
const MAX_DECISIONS = 200;
const MAX_TEXT_LENGTH = 500;
/** Names that every line of JSON has. A field with such a name gets a prefix. */
const RESERVED_NAMES: ReadonlySet<string> = new Set(['level', 'time', 'msg']);

/** The log of one bot. */
export class LiveLog {
  readonly #options: LiveLogOptions;
  readonly #pino;
  readonly #lines: BotLogLine[] = [];
  readonly #decisions: DecisionView[] = [];
  /** Number of the newest line, and of the newest decision. */
  #lineSeq = 0;
  #decisionSeq = 0;

  constructor(options: LiveLogOptions) {
    this.#options = options;
    const { write, level = 'info' } = options;
    this.#pino = pino({ base: null, timestamp: false, level, formatters: { level: (label) => ({ level: label }) } }, { write });
  }

  /** Logs an event, like the three methods below: each has the level of its name. */
  debug(message: string, fields?: LogFields): void {
    this.#add('debug', message, fields);
  }
  info(message: string, fields?: LogFields): void {
    this.#add('info', message, fields);
  }
  warn(message: string, fields?: LogFields): void {
    this.#add('warn', message, fields);
  }
  error(message: string, fields?: LogFields): void {
    this.#add('error', message, fields);
  }

  /** Logs a decision with its reason and a stable code. */
  logDecision(strategy: string | null, message: string, code: string | null = null, level: DecisionView['level'] = 'info'): void {
    const timeMs = this.#options.nowMs();
    this.#decisions.push({ seq: ++this.#decisionSeq, timeMs, strategy, level, code, message: this.#clean(message) });
    if (this.#decisions.length > MAX_DECISIONS) this.#decisions.shift();
    this.#add(level, strategy === null ? message : `${strategy}: ${message}`, code === null ? undefined : { code });
  }

  /** The newest decisions, oldest first. */
  get decisions(): readonly DecisionView[] {
    return this.#decisions;
  }

  /** Returns the lines after the line `afterSeq`, at most the newest `max`. */
  linesAfter(afterSeq: number, max: number): readonly BotLogLine[] {
    return this.#lines.filter(({ seq }) => seq > afterSeq).slice(-max);
  }

  /** Adds a line, without secrets, to the newest lines and to the output. */
  #add(level: LogLevel, text: string, fields: LogFields = {}): void {
    const { nowMs, formatTime, isPretty, write } = this.#options;
    const timeMs = nowMs();
    const message = this.#clean(text);
    const cleanFields = Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [this.#fieldName(name), this.#simpleValue(value)]),
    );
    this.#lines.push({ seq: ++this.#lineSeq, timeMs, level, message });
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    if (!isPretty) return this.#pino[level]({ time: formatTime(timeMs), ...cleanFields }, message);
    if (!this.#pino.isLevelEnabled(level)) return;
    const prefix = level === 'info' || level === 'debug' ? '' : `${level.toUpperCase()} `;
    const suffixes = Object.entries(cleanFields).map(([name, value]) => ` ${name}=${String(value)}`);
    const clockText = formatTime(timeMs).slice(11, 19);
    write(`${clockText} ${prefix}${message}${suffixes.join('')}\n`);
  }

  /** Returns the name of a field in a line. A reserved name gets a prefix, or the field would replace the line's own value. */
  #fieldName(name: string): string {
    return RESERVED_NAMES.has(name) ? `fields.${name}` : this.#clean(name);
  }

  /** Returns a simple value, and the type of any other value, so that no unknown content is logged. */
  #simpleValue(value: unknown): string | number | boolean | null {
    if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
    return typeof value === 'string' ? this.#clean(value) : `(${typeof value})`;
  }

  /** Returns one line without control characters and secrets, of limited length. */
  #clean(text: string): string {
    // oxlint-disable-next-line no-control-regex -- removes control characters, which a terminal would obey
    return this.#options.removeSecrets(text.replace(/[\u0000-\u001f\u007f-\u009f]+/g, ' ')).slice(0, MAX_TEXT_LENGTH);
  }
}
