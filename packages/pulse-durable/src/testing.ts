/** What tests of durable runs need (DUR-16, DUR-17); nothing that a program in use needs. */
export { alwaysResume, processesMaxDefault } from "./always-resume.ts";
export type { AlwaysResumed, AlwaysResumeOptions } from "./always-resume.ts";
export { fakeHost } from "./fake-host.ts";
export type { FakeHost, FakeHostOptions } from "./fake-host.ts";
export { durableAt, durableFaultPoints } from "./faults/durable-at.ts";
export type { AtFaultPoint, DurableFaultPoint } from "./faults/durable-at.ts";
export type { StopKind } from "./faults/short-life.ts";
