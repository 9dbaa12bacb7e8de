/** A value as a codec of `@pulse-ts/codec` wrote it. */
export interface EncodedValue {
  /** What it is, for messages. */
  readonly name: string;
  readonly codec: string;
  readonly codecVersion: string;
  /** Base64 with padding. */
  readonly bytes: string;
}

/** One value and more for each built-in codec (CODEC-6), so that the kit needs no codec to try them on a store (KIT-5). */
export const encodedValues: readonly EncodedValue[] = [
  { name: "string", codec: "string", codecVersion: "1", bytes: "dMO8Y2sKImlzY2giIPCfmIA=" },
  { name: "string, empty", codec: "string", codecVersion: "1", bytes: "" },
  { name: "number", codec: "number", codecVersion: "1", bytes: "LTEuNWUtNw==" },
  { name: "number, negative zero", codec: "number", codecVersion: "1", bytes: "LTA=" },
  { name: "number, NaN", codec: "number", codecVersion: "1", bytes: "TmFO" },
  { name: "boolean", codec: "boolean", codecVersion: "1", bytes: "dHJ1ZQ==" },
  { name: "bigint", codec: "bigint", codecVersion: "1", bytes: "LTExODA1OTE2MjA3MTc0MTEzMDM0MjQ=" },
  { name: "null", codec: "null", codecVersion: "1", bytes: "bnVsbA==" },
  { name: "Date", codec: "Date", codecVersion: "1", bytes: "LTE=" },
  { name: "Date, invalid", codec: "Date", codecVersion: "1", bytes: "TmFO" },
  {
    name: "URL",
    codec: "URL",
    codecVersion: "1",
    bytes: "aHR0cHM6Ly91c2VyQGV4YW1wbGUub3JnOjgwODAvJUMzJUE0P3E9MSN0b3A=",
  },
  { name: "bytes", codec: "bytes", codecVersion: "1", bytes: "AAr/" },
  {
    name: "structured",
    codec: "structured",
    codecVersion: "1",
    bytes:
      "eyJhZ2FpbiI6eyJhdCI6WyJEYXRlIixudWxsXX0sImJhcmUiOlsibnVsbCIseyJwYXR0ZXJuIjpbIlJlZ0V4cCIsImFcXC9iIiwiZ2l1IiwwXSwidW5kZWZpbmVkIjpbInVuZGVmaW5lZCJdfV0sImJ5dGVzIjpbIlVpbnQxNkFycmF5IixbIkFycmF5QnVmZmVyIiwiQVFELy93PT0iXV0sImVycm9yIjpbIlJhbmdlRXJyb3IiLHsiY2F1c2UiOlsic3BhcnNlIiwzLDAsMSwyLDNdLCJtZXNzYWdlIjoiZmFyIn0se31dLCJzZWxmIjpbInJlZiIsMF0sInR3aWNlIjpbInJlZiIsMV19",
  },
  {
    name: "structured, plain",
    codec: "structured",
    codecVersion: "1",
    bytes: "eyJhIjp7Il9fcHJvdG9fXyI6dHJ1ZX0sImIiOlswLDEsInR3byIsbnVsbF19",
  },
  {
    name: "zod, automatic",
    codec: "zod:1f202cfe1f95d519ada4d6e1c28a06e53a3b32ee0c0961576b3270522101bd3e",
    codecVersion: "1",
    bytes:
      "eyJhdCI6WyJEYXRlIiwxNzAwMDAwMDAwMDAwXSwiYnkiOnsiYSI6InRleHQiLCJiIjo1LCJjIjpbInVuZGVmaW5lZCJdfSwiaWQiOjcsImxpbmVzIjpbWyJhIiwtMF0sWyJiIiwxZSsyMV1dLCJsaW5rIjoiaHR0cHM6Ly9leGFtcGxlLm9yZy9hP2IjYyIsIm1vcmUiOlsiTWFwIiwxLFsiTmFOIl1dLCJub3RlIjoidMO8Y2vigKhpc2NoIPCfmIAiLCJ0YWdzIjpbIlNldCIsIngiLCJ5Il0sInRvdGFsIjpbImJpZ2ludCIsIjEyMzQ1Njc4OTAxMjM0NTY3ODkwIl19",
  },
  {
    name: "json",
    codec: "order",
    codecVersion: "1",
    bytes:
      "eyJhdCI6WyJEYXRlIiwxNzAwMDAwMDAwMDAwXSwiYnkiOnsiYSI6InRleHQiLCJiIjo1LCJjIjpbInVuZGVmaW5lZCJdfSwiaWQiOjcsImxpbmVzIjpbWyJhIiwtMF0sWyJiIiwxZSsyMV1dLCJsaW5rIjoiaHR0cHM6Ly9leGFtcGxlLm9yZy9hP2IjYyIsIm1vcmUiOlsiTWFwIiwxLFsiTmFOIl1dLCJub3RlIjoidMO8Y2vigKhpc2NoIPCfmIAiLCJ0YWdzIjpbIlNldCIsIngiLCJ5Il0sInRvdGFsIjpbImJpZ2ludCIsIjEyMzQ1Njc4OTAxMjM0NTY3ODkwIl19",
  },
  { name: "standard schema", codec: "standard:other", codecVersion: "1", bytes: "eyJhIjpbMCxbImJpZ2ludCIsIjEiXV19" },
  { name: "compress, as it is", codec: "deflate(structured)", codecVersion: "1", bytes: "ACJzaG9ydCI=" },
  {
    name: "compress, deflated",
    codec: "deflate(structured)",
    codecVersion: "1",
    bytes: "AeoDAABTysnPS1cYJUaJUWJYE0oA",
  },
  {
    name: "encrypt",
    codec: "aes-256-gcm(structured)",
    codecVersion: "1",
    bytes: "4QEHMjAyNi0wMUz/7/ORqzLQz9fwJgaZHiRLOb/0JmBDKAeGsaKrJZni5yvHS4WA6bS6+g==",
  },
  {
    name: "encrypt around compress",
    codec: "aes-256-gcm(deflate(structured))",
    codecVersion: "1",
    bytes: "4QEHMjAyNi0wMSfWqGxxGl0R7KWXORcs0ABVxecNWOcxr05nTcVTFjHsmBSnwUWbTEja+zRt7aYOFfw=",
  },
  {
    name: "encrypt, a part",
    codec: "zod:7ab8e441dbb149498a95307990cf0f09249a7d9e1cefa4dc34641731ad62d23f",
    codecVersion: "1",
    bytes:
      "eyJuYW1lIjoiYWRhIiwicGluIjoiNFFFSE1qQXlOaTB3TVRkNUk2VUdRWUsyWDRndVVjcmJjZWFuak5xQjk3T0Fsa0xYUmdzbThXYXRDSTA9In0=",
  },
];
