import type { Requirement } from "./requirement.ts";
import { compareAndSwap } from "./requirements/compare-and-swap.ts";
import { ownership } from "./requirements/ownership.ts";
import { values } from "./requirements/values.ts";

/** All that the kit requires of a store, in the order in which it is checked: what the rest rests on comes first. */
export const requirements: readonly Requirement[] = [...ownership, ...compareAndSwap, ...values];
