export type { Bench } from "./bench.ts";
export { checkStore } from "./check-store.ts";
export type { CheckResult, CheckStoreOptions } from "./check-store.ts";
export { killsDefault } from "./chosen.ts";
export { describeStore } from "./describe-store.ts";
export type { DescribeOptions, TestRunner } from "./describe-store.ts";
export type { Random } from "./random.ts";
export { checkMsDefault } from "./requirement.ts";
export type { Requirement } from "./requirement.ts";
export { requirements } from "./requirements.ts";
export { takeoverMsDefault } from "./subject.ts";
export type { StoreSubject } from "./subject.ts";
export { budgetsOf } from "./crash/budgets.ts";
export type {
  BodyStart,
  MessageStart,
  ChildEvent,
  ReadAttempt,
  ReadScope,
  RunEnd,
  ToldChange,
  ToldEntry,
} from "./crash/child-event.ts";
export type { ChildOrder, ChildStop } from "./crash/child-order.ts";
export type { CrashPlace, OpenCrashPlace } from "./crash/crash-place.ts";
export { crashSweep, killsPerRunMaxDefault } from "./crash/crash-sweep.ts";
export type { CrashSweep, CrashSweepOptions, SweepViolation } from "./crash/crash-sweep.ts";
export { childTimeoutMsDefault, crashTrial } from "./crash/crash-trial.ts";
export type { CrashCase, CrashTrial, CrashTrialOptions, Disturbance } from "./crash/crash-trial.ts";
export { idleHost, idleTurnsMin, seededRandom } from "./crash/idle-host.ts";
export type { IdleHostOptions } from "./crash/idle-host.ts";
export { judge } from "./crash/judge.ts";
export type { Judgement, Reference } from "./crash/judge.ts";
export { runCrashChild } from "./crash/run-child.ts";
export { resultOf, runEnd, sameEnd } from "./crash/run-end.ts";
export type { RunResult } from "./crash/run-end.ts";
export type { KillMoment } from "./crash/kill-moment.ts";
export type { ChildReport, CrashProgram } from "./crash/start-child.ts";
export type {
  AtStorePoint,
  CrashParts,
  CrashSubject,
  MakeSubject,
  NoteBody,
  NoteMessage,
  OpenStore,
} from "./crash/subject.ts";
export type { Violation, ViolationKind } from "./crash/violation.ts";
export { watchedStore } from "./crash/watched-store.ts";
export type { WatchedStore } from "./crash/watched-store.ts";
export type { ChildVoice } from "./crash/child-voice.ts";
export { killSweep } from "./processes/kill-sweep.ts";
export type { KillSweep, KillSweepOptions, KillViolation } from "./processes/kill-sweep.ts";
export type { LifeEnd } from "./processes/life.ts";
