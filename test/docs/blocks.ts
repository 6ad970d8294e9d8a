// The fenced blocks of a page of documentation: language, place, and what their fence says of them.

export interface Block {
  /** `docs/x.md:12`, the line of the opening fence. */
  readonly place: string;
  readonly language: string;
  /** The file that the block is: from `file=...` on the fence, else from a first line that is a comment with nothing but a name. */
  readonly file: string | null;
  /** Why it is not run; null where it is. */
  readonly norun: string | null;
  readonly text: string;
}

const BOUNDS = /^( {0,3})```+(.*)$/;
const ATTRIBUTE = /(\w+)=(?:"([^"]*)"|(\S+))/g;
const NAME = /^(?:\/\/|#) +([\w./-]+\.\w+)$/;

/** The blocks of `text`, in order. Throws at a fence that does not end and at one that says what nobody knows. */
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
