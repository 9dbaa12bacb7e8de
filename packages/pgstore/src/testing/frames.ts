/** A message of PostgreSQL's protocol, as it stands on the wire. */
export interface Frame {
  /** One letter; empty for what a client sends before it is let in. */
  readonly type: string;
  readonly raw: Buffer;
}

/** Cuts a stream of bytes into messages. A client's begins with messages that have no letter. */
export function frameReader(from: "client" | "server"): (chunk: Buffer) => readonly Frame[] {
  let rest: Buffer = Buffer.alloc(0);
  let started = from === "server";
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const frames: Frame[] = [];
    while (true) {
      const head = started ? 1 : 0;
      if (rest.length < head + 4) return frames;
      const end = head + rest.readInt32BE(head);
      if (rest.length < end) return frames;
      const raw = rest.subarray(0, end);
      rest = rest.subarray(end);
      frames.push({ type: started ? raw.toString("latin1", 0, 1) : "", raw });
      if (!started && raw.readInt32BE(4) >> 16 === protocolMajor) started = true;
    }
  };
}

const protocolMajor = 3;

/** The text of a statement that a client prepares or sends, and the name that it gives it. */
export function statementOf({ type, raw }: Frame): { readonly name: string; readonly text: string } | undefined {
  if (type === "Q") return { name: "", text: textAt(raw, 5) };
  if (type !== "P") return undefined;
  const name = textAt(raw, 5);
  return { name, text: textAt(raw, 5 + Buffer.byteLength(name) + 1) };
}

/** The name of the prepared statement that a client binds values to. */
export function boundStatement({ type, raw }: Frame): string | undefined {
  if (type !== "B") return undefined;
  return textAt(raw, 5 + Buffer.byteLength(textAt(raw, 5)) + 1);
}

/** Whether the client now waits for the server: the end of a round trip. */
export const endsTurn = ({ type }: Frame): boolean => type === "Q" || type === "S";

/** The state in which the server is ready for the next statement: `I` outside of a transaction. */
export const readyState = ({ type, raw }: Frame): string | undefined =>
  type === "Z" ? raw.toString("latin1", 5, 6) : undefined;

function textAt(raw: Buffer, at: number): string {
  return raw.toString("utf8", at, raw.indexOf(0, at));
}

/** A message with this letter and body. */
export function frame(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5, type, "latin1");
  head.writeInt32BE(4 + body.length, 1);
  return Buffer.concat([head, body]);
}
