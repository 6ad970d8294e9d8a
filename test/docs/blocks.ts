// Reads the fenced blocks of a documentation page: language, place, and the attributes of the opening line.

export interface Block {
  /** `docs/x.md:12`, the opening line of the block. */
  readonly place: string;
  readonly language: string;
  /** The file that the block is: from `file=...` on the opening line, else from a first line that is a comment with only a name. */
  readonly file: string | null;
  /** Why it is not run; null where it is. */
  readonly norun: string | null;
  readonly text: string;
}

const BOUNDS = /^( {0,3})```+(.*)$/;
const ATTRIBUTE = /(\w+)=(?:"([^"]*)"|(\S+))/g;
const NAME = /^(?:\/\/|#) +([\w./-]+\.\w+)$/;

/** Returns the blocks of `text`, in order. Throws for a block without an end, and for an unknown attribute. */
export function blocksOf(page: string, text: string): readonly Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [, indent, info] = BOUNDS.exec(lines[at]!) ?? [];
    if (info === undefined) continue;
    const place = `${page}:${at + 1}`;
    const end = lines.findIndex((line, i) => i > at && /^ {0,3}```+\s*$/.test(line));
    if (end < 0) throw new Error(`${place}: the block does not end`);
    const body = lines.slice(at + 1, end).map((line) => (line.startsWith(indent!) ? line.slice(indent!.length) : line));
    blocks.push(blockOf(place, info.trim(), body));
    at = end;
  }
  return blocks;
}

function blockOf(place: string, info: string, body: readonly string[]): Block {
  const [language = ''] = info.split(/\s/, 1);
  const text = new Map([...info.matchAll(ATTRIBUTE)].map(([, name, quoted, plain]) => [name!, quoted ?? plain!]));
  const unknown = [...text.keys()].find((name) => name !== 'file' && name !== 'norun');
  if (unknown !== undefined) throw new Error(`${place}: a fence says file= and norun=, got ${unknown}=`);
  const named = NAME.exec(body[0]?.trimEnd() ?? '')?.[1];
  return {
    place,
    language,
    file: text.get('file') ?? named ?? null,
    norun: text.get('norun') ?? null,
    text: `${body.join('\n')}\n`,
  };
}

/** Commands that end without a signal and need no shell. */
const COMMANDS = new Set(['api', 'backtest', 'breakeven', 'data', 'prove', 'report', 'strategy', 'sweep', 'verify', 'why']);
/** A word without anything that a shell would expand, in quotes or not. */
const WORD = /(?:'[^']*'|"[^"$`\\!]*"|[\w@%+=:,./-])+/y;

/** A part of a block: the arguments of one `isobar` that needs no shell, or lines for a shell. */
type Step = { readonly isobar: readonly string[] } | { readonly shell: string };

/** What keeps lines of a shell together: a here-document, a process in the background, a compound command, a variable. */
const COMPOUND = /<<|&\s*$|\$!|^(?:for|while|until|if|case|do|done|then|else|fi|esac|export|set)\b|^\w+=|\{$|^\}/;

/** Returns the parts of a block in order. A block in which one line rests on another that a shell has read is one part. */
export function stepsOf(text: string): readonly Step[] {
  const lines = linesOf(text);
  if (lines.some((line) => COMPOUND.test(line))) return [{ shell: text }];
  const steps: Step[] = [];
  for (const line of lines) {
    const args = plainArguments(line);
    const last = steps.at(-1);
    if (args !== null) steps.push({ isobar: args });
    else if (last !== undefined && 'shell' in last) steps.splice(-1, 1, { shell: `${last.shell}\n${line}` });
    else steps.push({ shell: line });
  }
  return steps;
}

/** Returns the lines of a block without comments and empty lines; a line that ends in a backslash continues in the next one. */
const linesOf = (text: string): readonly string[] =>
  text
    .replaceAll('\\\n', ' ')
    .split('\n')
    .map((line) => line.replace(/(?:^|\s)#.*$/, '').trim())
    .filter((line) => line !== '');

/** Returns the arguments of an `isobar` that needs no shell; null for any other line. */
function plainArguments(line: string): readonly string[] | null {
  const words = wordsOf(line) ?? [];
  const args = words.slice(words[0] === 'npx' ? 1 : 0);
  const isPlain = args[0] === 'isobar' && COMMANDS.has(args[1] ?? '') && args[2] !== 'record';
  return isPlain ? args.slice(1) : null;
}

/** The words of a line as a shell gives them; null where it would do more with one than take quotes away. */
function wordsOf(line: string): readonly string[] | null {
  const words: string[] = [];
  for (let at = 0; at < line.length; at = WORD.lastIndex) {
    while (line[at] === ' ') at++;
    WORD.lastIndex = at;
    const [word] = WORD.exec(line) ?? [];
    if (word === undefined) return null;
    const end = line[WORD.lastIndex];
    if (end !== undefined && end !== ' ') return null;
    words.push(word.replaceAll(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ''));
  }
  return words;
}
