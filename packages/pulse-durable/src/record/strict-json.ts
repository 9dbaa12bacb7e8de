/** What is wrong with a text, and where. */
export interface TextProblem {
  /** Line and column of the text, or the path of a field. */
  readonly where: string;
  readonly problem: string;
}

/**
 * Parses JSON as `JSON.parse` does, and refuses what that lets pass: an object that has a key twice, of which it would
 * take the last in silence. Of a problem nothing of the text is told but keys.
 */
export function parseStrict(text: string): { readonly value: unknown } | TextProblem {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { where: placeOfError(text, error), problem: "is no JSON" };
  }
  return keyTwice(text) ?? { value };
}

/** The engine tells the position in its message, if anywhere; the rest of it is not told on, as it may quote the text. */
function placeOfError(text: string, error: unknown): string {
  const message = error instanceof Error ? error.message : "";
  const found = /position (\d+)/.exec(message)?.[1];
  if (found === undefined && !message.includes("end of JSON")) return "the text";
  const position = found === undefined ? text.length : Number(found);
  const before = text.slice(0, position);
  const line = before.split("\n").length;
  return `line ${line} column ${position - before.lastIndexOf("\n")}`;
}

interface OpenContainer {
  /** Of an object: the keys met so far. */
  readonly keys?: Set<string>;
  /** Of the field or item that is being read. */
  at: string | number;
}

/** Looks at the structure of valid JSON alone: strings are jumped over, numbers and words are not looked at. */
function keyTwice(text: string): TextProblem | undefined {
  const structural = /["{}[\],]/g;
  const open: OpenContainer[] = [];
  let awaitsKey = false;
  for (let found = structural.exec(text); found !== null; found = structural.exec(text)) {
    const container = open.at(-1);
    switch (found[0]) {
      case "{":
        open.push({ keys: new Set(), at: "" });
        awaitsKey = true;
        break;
      case "[":
        open.push({ at: 0 });
        awaitsKey = false;
        break;
      case ",":
        awaitsKey = container?.keys !== undefined;
        if (container !== undefined && typeof container.at === "number") container.at += 1;
        break;
      case '"': {
        const end = endOfString(text, found.index);
        structural.lastIndex = end;
        if (!awaitsKey || container?.keys === undefined) break;
        awaitsKey = false;
        container.at = JSON.parse(text.slice(found.index, end)) as string;
        if (container.keys.has(container.at)) return { where: pathOf(open), problem: "is there twice" };
        container.keys.add(container.at);
        break;
      }
      default:
        open.pop();
        awaitsKey = false;
    }
  }
  return undefined;
}

/** Past the closing quote: the first that has no odd number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); ; at = text.indexOf('"', at + 1)) {
    let backslashes = 0;
    while (text[at - 1 - backslashes] === "\\") backslashes += 1;
    if (backslashes % 2 === 0) return at + 1;
  }
}

function pathOf(open: readonly OpenContainer[]): string {
  return open.map(({ at }) => (typeof at === "number" ? `[${at}]` : JSON.stringify(at))).join(".");
}
