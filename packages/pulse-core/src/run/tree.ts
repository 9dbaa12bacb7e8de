import type { Aspect } from "../aspects/aspect.ts";
import type { AttachmentToken } from "../context.ts";
import type { CheckpointDriver } from "./checkpoint-driver.ts";
import { Emitter } from "./emitter.ts";
import { systemHost } from "./host.ts";
import type { Host } from "./host.ts";
import type { NodeContext } from "./node-context.ts";
import { drainTimeoutDefault } from "./options.ts";
import type { ExecutionOptions } from "./options.ts";
import { Overrides } from "./overrides.ts";
import { Scheduler } from "./scheduler.ts";
import { misuse } from "./signals.ts";
import type { StreamDriver } from "./stream-driver.ts";

/** What a root execution and all its mounted children share. */
export class Tree {
  readonly host: Host;
  /** The root execution's, for events (CORE-29). */
  readonly name: string;
  readonly emitter: Emitter;
  readonly scheduler: Scheduler;
  /** Outermost in every chain; `false`: no chain has any (CORE-13, CORE-14). */
  readonly aspects: readonly Aspect[] | false;
  readonly overrides: Overrides | undefined;
  readonly drainMs: number;
  readonly checkpoint: CheckpointDriver | undefined;
  /** There if the graph has a stream. */
  streams: StreamDriver | undefined;
  /** Paths of nodes whose bodies had not settled when the drain time was over (CORE-30). */
  readonly abandoned = new Set<string>();
  private readonly attachments: ReadonlyMap<AttachmentToken<unknown>, unknown>;
  private readonly givenRunId: string | undefined;
  private rootId: string | undefined;

  /** Runs a node that is ready: given from outside, since it makes executions of its own for mounts. */
  readonly runNode: (level: NodeContext, allSkipped: boolean) => void;

  /** Of checked options; the defaults are filled in here. */
  constructor(graph: string, options: ExecutionOptions, runNode: (level: NodeContext, allSkipped: boolean) => void) {
    const { host = systemHost, overrides, checkpoint } = options;
    this.runNode = runNode;
    this.host = host;
    this.name = options.name ?? graph;
    this.emitter = new Emitter(host, options.observers ?? []);
    this.scheduler = new Scheduler(host, options.concurrency);
    this.aspects = options.aspects ?? [];
    this.overrides = overrides && new Overrides(overrides);
    this.drainMs = options.drainTimeout ?? drainTimeoutDefault;
    this.checkpoint = checkpoint?.driver();
    this.givenRunId = checkpoint?.runId;
    this.attachments = new Map((options.attachments ?? []).map(({ token, value }) => [token, value]));
  }

  get runId(): string {
    return this.givenRunId ?? this.id;
  }

  /** The root execution's id; made when it is first asked for (CORE-35). */
  get id(): string {
    return (this.rootId ??= this.host.randomId());
  }

  attachment<Value>(token: AttachmentToken<Value>, path: string): Value {
    if (this.attachments.has(token)) return this.attachments.get(token) as Value;
    throw misuse(
      "CORE-51",
      path,
      `asks for attachment "${token.name}", which this execution was not given; pass attach(token, value) in its attachments`,
    );
  }
}
