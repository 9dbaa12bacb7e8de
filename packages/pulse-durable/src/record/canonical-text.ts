/**
 * Canonical JSON (RFC 8785) of what a record holds: keys sorted by UTF-16 code units, strings and numbers as
 * `JSON.stringify` writes them, fields named `bytes` as base64 with padding, as everywhere in a record. The data was
 * checked to be plain before, and its depth to be small; a value of any size may stand in it.
 */
export function canonicalText(value: unknown): string {
  const parts: string[] = [];
  write(value, parts);
  return parts.join("");
}

function write(value: unknown, parts: string[]): void {
  if (value instanceof Uint8Array) {
    const { buffer, byteOffset, byteLength } = value;
    parts.push('"', Buffer.from(buffer, byteOffset, byteLength).toString("base64"), '"');
  } else if (Array.isArray(value)) {
    parts.push("[");
    value.forEach((part, at) => {
      if (at > 0) parts.push(",");
      write(part, parts);
    });
    parts.push("]");
  } else if (typeof value === "object" && value !== null) {
    let separator = "{";
    // Without a comparison it sorts by UTF-16 code units.
    for (const key of Object.keys(value).toSorted()) {
      parts.push(separator, JSON.stringify(key), ":");
      write((value as Readonly<Record<string, unknown>>)[key], parts);
      separator = ",";
    }
    parts.push(separator === "{" ? "{}" : "}");
  } else {
    parts.push(JSON.stringify(value));
  }
}
