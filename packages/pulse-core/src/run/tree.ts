import type { Aspect } from "../aspects/aspect.ts";
import type { AttachmentToken } from "../context.ts";
import type { CheckpointDriver } from "./checkpoint-driver.ts";
import { Emitter } from "./emitter.ts";
import type { Host } from "./host.ts";
import type { NodeContext } from "./node-context.ts";
import type { ExecutionSettings } from "./options.ts";
import type { Overrides } from "./overrides.ts";
import { Scheduler } from "./scheduler.ts";
import { usage } from "./signals.ts";

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
  /** Paths of nodes whose bodies had not settled when the drain time was over (CORE-30). */
  readonly abandoned = new Set<string>();
  private readonly attachments: ReadonlyMap<AttachmentToken<unknown>, unknown>;
  private readonly givenRunId: string | undefined;
  private rootId: string | undefined;

  /** Runs a node that is ready: given from outside, since it makes executions of its own for mounts. */
  readonly runNode: (level: NodeContext, allSkipped: boolean) => void;

  constructor(settings: ExecutionSettings, runNode: (level: NodeContext, allSkipped: boolean) => void) {
    this.runNode = runNode;
    this.host = settings.host;
    this.name = settings.name;
    this.emitter = new Emitter(settings.host, settings.observers);
    this.scheduler = new Scheduler(settings.host, settings.concurrency);
    this.aspects = settings.aspects;
    this.overrides = settings.overrides;
    this.drainMs = settings.drainTimeout;
    this.checkpoint = settings.checkpoint?.driver();
    this.givenRunId = settings.checkpoint?.runId;
    this.attachments = settings.attachments;
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
    throw usage(
      "CORE-51",
      `node "${path}" asks for attachment "${token.name}", which this execution was not given; pass attach(token, value) in its attachments`,
      path,
    );
  }
}
