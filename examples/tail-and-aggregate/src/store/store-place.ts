import { resolve } from "node:path";
import { Problem } from "../problem.ts";

/** Where the runs are kept, as it was asked for. */
export type StorePlace =
  /** A folder of files. */
  | { readonly kind: "file"; readonly path: string }
  /** One file of SQLite. */
  | { readonly kind: "sqlite"; readonly path: string }
  /** A database of PostgreSQL. The address may hold a password: it is never shown. */
  | { readonly kind: "postgres"; readonly address: string };

/** What `--store` takes, for the help and for messages. */
export const storeForms = "file:./folder, sqlite:./runs.db or postgres://user:password@host:5432/database";

/**
 * Reads what `--store` is given. A path without a scheme is a folder.
 * @throws Problem with exit code 2 that never shows the address: it may hold a password
 */
export function readStorePlace(text: string): StorePlace {
  // A scheme of one letter is a drive of Windows.
  const [, scheme, rest = ""] = /^([a-z][a-z0-9+.-]+):(.*)$/isu.exec(text) ?? [];
  switch (scheme?.toLowerCase()) {
    case undefined:
      return { kind: "file", path: text };
    case "file":
      return { kind: "file", path: pathIn("file", rest, "a folder: file:./runs") };
    case "sqlite":
      return { kind: "sqlite", path: pathIn("sqlite", rest, "a file: sqlite:./runs.db") };
    case "postgres":
    case "postgresql":
      return { kind: "postgres", address: addressIn(text) };
    default:
      throw refused(`there is no store ${scheme}:; give ${storeForms}`);
  }
}

/** `sqlite:///path`, as others write it, is `sqlite:/path`. */
function pathIn(scheme: string, rest: string, give: string): string {
  const path = rest.replace(/^\/\//u, "");
  if (path === "") throw refused(`--store ${scheme}: names nothing; give ${give}`);
  if (/^~(?:$|[/\\])/u.test(path)) {
    throw refused(
      `--store ${scheme}:${path}: your shell leaves ~ as it is there; give ${scheme}:"$HOME"${path.slice(1)}`,
    );
  }
  return path;
}

function addressIn(text: string): string {
  const give = "give postgres://user:password@host:5432/database";
  if (!/^postgres(?:ql)?:\/\//iu.test(text))
    throw refused(`the address of PostgreSQL begins with postgres://; ${give}`);
  if (!URL.canParse(text)) {
    throw refused(
      `the address of PostgreSQL cannot be read; ${give}, with / # ? @ : in a password as %2F %23 %3F %40 %3A`,
    );
  }
  const { hostname, pathname } = new URL(text);
  if (hostname === "" || pathname.length < 2) {
    throw refused(`the address of PostgreSQL names no ${hostname === "" ? "host" : "database"}; ${give}`);
  }
  return text;
}

/** The place with the paths that are relative to a folder made absolute. */
export function placeFrom(folder: string, place: StorePlace): StorePlace {
  return place.kind === "postgres" ? place : { ...place, path: resolve(folder, place.path) };
}

const refused = (text: string): Problem => new Problem(text, { exitCode: 2 });
