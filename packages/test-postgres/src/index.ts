export { cutConnections, freshDatabase } from "./database.ts";
export { startPostgres } from "./server.ts";
export type { PostgresOptions, TestPostgres } from "./server.ts";
export { needsPostgres, sharedDatabase, sharedPostgres } from "./shared.ts";
export type { SkippableTest } from "./shared.ts";
