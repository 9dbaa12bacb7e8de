import { expect, test } from "vitest";
import { TimeIsOver } from "./limit.ts";
import { explainPostgres, isServerError, mayPassSoon, sqlstate } from "./sqlstate.ts";

const said = (code: string, severity = "ERROR"): Error =>
  Object.assign(new Error("as the server says"), { code, severity });
const system = (code: string): Error => Object.assign(new Error("as the system says"), { code });

/** What each has to say beside its code. */
const meanings: readonly (readonly [error: Error, words: RegExp])[] = [
  [said("28P01", "FATAL"), /the password is wrong/],
  [said("28000", "FATAL"), /pg_hba\.conf/],
  [said("3D000", "FATAL"), /no such database/],
  [said("3F000"), /call migrate\(\)/],
  [said("42P01"), /call migrate\(\)/],
  [said("42703"), /call migrate\(\)/],
  [said("42501"), /permission is lacking; grant/],
  [said("53100"), /disk of the server is full; free some space/],
  [said("53200"), /out of memory/],
  [said("53300", "FATAL"), /too many connections/],
  [said("57014"), /canceled the statement/],
  [said("57P01", "FATAL"), /stopping or cut this connection; resume when it is back/],
  [said("57P02", "FATAL"), /crashed and recovers/],
  [said("57P03", "FATAL"), /starting or stopping/],
  [said("40001"), /another transaction came between; resume/],
  [said("40P01"), /deadlock; resume/],
  [said("55P03"), /a lock was not to be had/],
  [said("25006"), /read-only.*primary/],
  [said("XX001"), /database is damaged/],
  [said("XX002"), /index of the database is damaged/],
  [said("XX999"), /failed inside/],
  [said("57999"), /resume when it is back/],
  [said("22000"), /as the server says/],
  [system("ECONNREFUSED"), /nothing listens/],
  [system("ENOTFOUND"), /name is not known/],
  [system("ETIMEDOUT"), /no answer in time/],
  [system("ECONNRESET"), /connection was lost/],
  [system("SELF_SIGNED_CERT_IN_CHAIN"), /secured connection was refused; look at the option tls/],
  [new TimeIsOver("over"), /no answer in time/],
];

test.each(meanings)("KIT-6 $code is put in words with what to do, and its code is given", (error, words) => {
  const { code } = error as unknown as { readonly code: string };
  const failure = explainPostgres(error);
  expect(failure?.found).toMatch(words);
  expect(failure?.found).toContain(`(${code})`);
  expect(failure?.systemCode).toBe(code);
});

test.each([
  ["Connection terminated unexpectedly", "PG_CONNECTION_LOST"],
  ["Client has encountered a connection error and is not queryable", "PG_CONNECTION_LOST"],
  ["Connection terminated due to connection timeout", "PG_TIMEOUT"],
  ["timeout exceeded when trying to connect", "PG_TIMEOUT"],
  ["The server does not support SSL connections", "PG_NO_TLS"],
  ["SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string", "PG_LOGIN"],
  ["Cannot use a pool after calling end on the pool", "PG_POOL_ENDED"],
])("KIT-6 what the driver says in words alone has a code of ours: %s", (message, code) => {
  expect(explainPostgres(new Error(message))?.systemCode).toBe(code);
});

test("KIT-6 a mistake in a program is not put down to the database", () => {
  for (const error of [new TypeError("x is no function"), new Error("mine"), "text", undefined, null, 7]) {
    expect(explainPostgres(error)).toBeUndefined();
  }
  // A code that looks like a state, and that no server gave.
  expect(sqlstate(system("EPIPE"))).toBeUndefined();
});

test("PG-7 only what ends with the statement leaves the connection as it was", () => {
  expect(isServerError(said("40001"))).toBe(true);
  expect(isServerError(said("57P01", "FATAL"))).toBe(false);
  expect(isServerError(system("ECONNRESET"))).toBe(false);
});

test("PG-7 an owner waits for a server that starts, and not for one that lets it not in", () => {
  for (const error of [said("57P03", "FATAL"), said("53300", "FATAL"), system("ECONNREFUSED")]) {
    expect(mayPassSoon(error)).toBe(true);
  }
  for (const error of [said("28P01", "FATAL"), said("3D000", "FATAL"), system("ENOTFOUND"), new TypeError("x")]) {
    expect(mayPassSoon(error)).toBe(false);
  }
});
