import type { MediumFailure } from "@pulse-ts/durable/define-store";

/** What PostgreSQL and the way to it report, and what helps. */

/** The five characters that the server gives an error; `undefined` for what no server said. */
export function sqlstate(error: unknown): string | undefined {
  const { code, severity } = fieldsOf(error);
  return typeof severity === "string" && typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}

/** Whether the server refused a statement and the connection is as good as before. */
export const isServerError = (error: unknown): boolean =>
  sqlstate(error) !== undefined && fieldsOf(error).severity === "ERROR";

/** Whether a connection that could not be made may be there in a moment: the server starts, stops, or is out of reach. */
export function mayPassSoon(error: unknown): boolean {
  const { code, message } = fieldsOf(error);
  return passing.has(sqlstate(error) ?? String(code)) || (typeof message === "string" && lostConnection.test(message));
}

const passing = new Set(["57P01", "57P02", "57P03", "53300", "ECONNREFUSED", "ECONNRESET", "EPIPE", "EHOSTUNREACH"]);

/**
 * An error in words, to stand after what was being done; `undefined` for one that neither the server nor the way to it
 * made. No message holds a password or a value.
 */
export function explainPostgres(error: unknown): MediumFailure | undefined {
  const state = sqlstate(error);
  if (state !== undefined) {
    const found = states[state] ?? classes[state.slice(0, 2)] ?? otherState(error);
    return { found: `${found} (${state})`, systemCode: state };
  }
  const { code, message } = fieldsOf(error);
  if (typeof code === "string") {
    const found = systems[code] ?? (isTls(code) ? tlsFailed : undefined);
    if (found !== undefined) return { found: `${found} (${code})`, systemCode: code };
  }
  const said = typeof message === "string" ? sayings.find(([form]) => form.test(message)) : undefined;
  return said === undefined ? undefined : { found: said[1], systemCode: said[2] };
}

const fieldsOf = (error: unknown): Readonly<Record<"code" | "severity" | "message", unknown>> =>
  typeof error === "object" && error !== null
    ? (error as Readonly<Record<"code" | "severity" | "message", unknown>>)
    : { code: undefined, severity: undefined, message: undefined };

const otherState = (error: unknown): string =>
  `the server refused it: ${String(fieldsOf(error).message)}; look at the cause, mend it, then resume`;

const callMigrate = "call migrate() of the store once, then resume";
const serverStops = "the server is stopping or cut this connection; resume when it is back";

const states: Readonly<Record<string, string>> = {
  "28P01": "the password is wrong; give the right one",
  "28000": "the server lets this user not in; look at the user's name and at pg_hba.conf",
  "3D000": "there is no such database; create it or give another name",
  "3F000": `there is no such schema; ${callMigrate}`,
  "42P01": `a table of the store is missing; ${callMigrate}`,
  "42703": `a column of the store is missing; ${callMigrate}`,
  "42501":
    "permission is lacking; grant this user the schema and its tables, and for migrate() the right to create them",
  "53100": "the disk of the server is full; free some space, then resume",
  "53200": "the server is out of memory; give it more or run fewer at once, then resume",
  "53300": "the server has too many connections; raise its limit or use fewer, then resume",
  "54000": "it is more than the server takes at once; keep big values as contents or make them smaller",
  "57014": "the server canceled the statement; raise its time limit or find out who canceled, then resume",
  "57P01": serverStops,
  "57P02": "the server crashed and recovers; resume when it is back",
  "57P03": "the server is starting or stopping; resume when it is ready",
  "57P04": "the database was dropped; restore it from a backup",
  "57P05": "the server closed this connection because it was idle; raise idle_session_timeout",
  "40001": "another transaction came between; resume, and let the isolation of this user be read committed",
  "40P01": "the server broke a deadlock; resume",
  "55P03": "a lock was not to be had; find out who holds it, then resume",
  "25006": "the database is read-only, perhaps a standby; connect to the primary, then resume",
  "25P02": "an earlier statement of the transaction failed; resume",
  "25P03": "the server closed a transaction that stood idle; resume",
  "0A000": "the server does not know how; use PostgreSQL 14 or newer, without a proxy that changes statements",
  "08P01": "server and client do not understand each other; is a proxy between that refuses a start parameter?",
  XX001: "the database is damaged; look at its log, restore it from a backup",
  XX002: "an index of the database is damaged; look at its log, rebuild the index, then resume",
};

/** By the first two characters. */
const classes: Readonly<Record<string, string>> = {
  "08": "the connection failed; look at the network, then resume",
  "53": "the server is out of something; look at its log, then resume",
  "57": serverStops,
  "58": "the system of the server failed; look at its log, then resume",
  XX: "the server failed inside; look at its log",
};

const lost = "the connection was lost; resume when the server can be reached";
const noAnswer = "there was no answer in time; look at the server and the network, or raise the limit, then resume";

const systems: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens at this address; start the server or correct host and port",
  ENOENT: "there is no socket of a server at this path; start the server or correct the path",
  ENOTFOUND: "the host's name is not known; correct it or look at the name service",
  EAI_AGAIN: "the name service gives no answer; look at the network, then resume",
  ECONNRESET: lost,
  EPIPE: lost,
  ECONNABORTED: lost,
  ETIMEDOUT: noAnswer,
  PG_TIMEOUT: noAnswer,
  EHOSTUNREACH: "the host cannot be reached; look at the network, then resume",
  ENETUNREACH: "the network cannot be reached; look at it, then resume",
  EACCES: "this process may not open the connection; look at the permissions of the socket",
  EMFILE: "this process has too many open files; raise its limit or use fewer connections",
};

const isTls = (code: string): boolean => /^(ERR_SSL_|ERR_TLS_|CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_)/.test(code);
const tlsFailed = "the secured connection was refused; look at the option tls and at the certificates";

const lostConnection = /^(Connection terminated|Client has encountered a connection error|Client was closed)/;

/** What the driver says in words alone. */
const sayings: readonly (readonly [form: RegExp, found: string, code: string])[] = [
  [
    /connection timeout|timeout exceeded when trying to connect|Query read timeout|timeout expired/,
    noAnswer,
    "PG_TIMEOUT",
  ],
  [lostConnection, lost, "PG_CONNECTION_LOST"],
  [/does not support SSL/, "the server does not take secured connections; leave out the option tls", "PG_NO_TLS"],
  [/^SASL|password must be a string/, "the log-in failed; give the right user and password", "PG_LOGIN"],
  [/after calling end on the pool/, "the pool was ended; open the store anew", "PG_POOL_ENDED"],
];
