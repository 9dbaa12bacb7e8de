import type { ExecutionState } from "../run/execution-state.ts";
import type { NodeContext } from "../run/node-context.ts";
import { Account } from "./account.ts";

/** The accounts of a tree's nodes: one for each node of an execution that has to do with streams. */
export class Accounts {
  private readonly byExecution = new WeakMap<ExecutionState, Map<number, Account>>();

  of({ execution, node }: NodeContext): Account {
    return this.at(execution, node.index);
  }

  at(execution: ExecutionState, node: number): Account {
    let accounts = this.byExecution.get(execution);
    if (accounts === undefined) this.byExecution.set(execution, (accounts = new Map()));
    let account = accounts.get(node);
    if (account === undefined) accounts.set(node, (account = new Account()));
    return account;
  }

  known({ execution, node }: NodeContext): Account | undefined {
    return this.byExecution.get(execution)?.get(node.index);
  }
}
