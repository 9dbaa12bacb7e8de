import type { ExecutionState } from "../run/execution-state.ts";
import type { Group } from "./group.ts";
import type { Member } from "./member.ts";
import type { Source } from "./source.ts";

/** Who reads what, by path: a reader leaves when its node ends, or any mount around it does, run or not (STR-44). */
export class Memberships {
  private readonly byPath = new Map<string, Map<Member, Source>>();

  add(source: Source): void {
    for (const member of source.members)
      for (const path of pathsOf(member)) {
        let members = this.byPath.get(path);
        if (members === undefined) this.byPath.set(path, (members = new Map()));
        members.set(member, source);
      }
  }

  remove(source: Source): void {
    for (const member of source.members)
      for (const path of pathsOf(member)) {
        const members = this.byPath.get(path);
        members?.delete(member);
        if (members?.size === 0) this.byPath.delete(path);
      }
  }

  /** Notes the readers that have ended without a word to their groups: they were restored, or a mount around them was answered. */
  leftAlready({ groups, top, end }: Source): void {
    for (const group of groups) {
      for (const member of group.members) member.left ||= member.path !== "" && hasEnded(top, member.path);
      if (end !== undefined && group.hasLeft) group.reachedEnd = true;
    }
  }

  /** The groups of a node, or of what is inside a mount, of which something is unread or to come. */
  unread(path: string, execution: ExecutionState): readonly Group[] {
    const groups = new Set<Group>();
    for (const [{ group }, { top }] of this.byPath.get(path) ?? [])
      if (isAround(top, execution) && !group.stopped && (!group.reachedEnd || group.pending > 0)) groups.add(group);
    return [...groups];
  }

  /** Those of them that leave with the node or the mount, as all their other readers have (STR-44). */
  leaving(path: string, execution: ExecutionState): readonly Group[] {
    const members = this.byPath.get(path);
    const gone = (member: Member): boolean => member.left || members?.has(member) === true;
    return this.unread(path, execution).filter((group) => group.members.every(gone));
  }

  /** A node or a mount at this path, of this execution or around it, has ended. */
  leave(path: string, execution: ExecutionState): void {
    const members = this.byPath.get(path);
    if (members === undefined) return;
    for (const [member, source] of members)
      if (isAround(source.top, execution) && !(member.left && member.group.stopped)) member.group.leave(member);
  }

  /** The same, of what was not confirmed: its groups stay as they are recorded. */
  leaveUnconfirmed(path: string, execution: ExecutionState): void {
    for (const [member, source] of this.byPath.get(path) ?? []) if (isAround(source.top, execution)) member.left = true;
  }
}

/** Whether a node, or a mount around it, has ended: in this execution, or in a child of it that runs. */
function hasEnded(top: ExecutionState, path: string): boolean {
  const [id = "", ...inner] = path.slice(top.prefix.length).split("/");
  const index = top.compiled.nodeOf.get(id);
  if (index === undefined) return false;
  if ((top.nodeState[index] as number) > running) return true;
  const child = top.children.get(index);
  return inner.length > 0 && child !== undefined && hasEnded(child, path);
}

/** As it stands in an execution's array of states. */
const running = 1;

/** A try of a retried mount has the paths of the next one: who it was is told by its execution (STR-45). */
function isAround(top: ExecutionState, execution: ExecutionState): boolean {
  for (let at: ExecutionState | undefined = execution; at !== undefined; at = at.parent?.execution)
    if (at === top) return true;
  return false;
}

/** The reader's path and those of the mounts around it; none for the host. */
function pathsOf({ path }: Member): string[] {
  const paths: string[] = [];
  for (let at = path; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/")))) paths.push(at);
  return paths;
}
