import { processRequirements } from "./processes/process-requirements.ts";
import type { Requirement } from "./requirement.ts";
import { aborts } from "./requirements/aborts.ts";
import { catalogue } from "./requirements/catalogue.ts";
import { closing } from "./requirements/closing.ts";
import { compareAndSwap } from "./requirements/compare-and-swap.ts";
import { contents } from "./requirements/contents.ts";
import { costs } from "./requirements/costs.ts";
import { failingMedium } from "./requirements/failing-medium.ts";
import { histories } from "./requirements/histories.ts";
import { isolation } from "./requirements/isolation.ts";
import { order } from "./requirements/order.ts";
import { ownership } from "./requirements/ownership.ts";
import { values } from "./requirements/values.ts";
import { versions } from "./requirements/versions.ts";

/** All that the kit requires of a store, in the order in which it is checked: what the rest rests on comes first. */
export const requirements: readonly Requirement[] = [
  ...ownership,
  ...closing,
  ...compareAndSwap,
  ...order,
  ...isolation,
  ...values,
  ...contents,
  ...catalogue,
  ...aborts,
  ...versions,
  ...costs,
  ...histories,
  ...failingMedium,
  ...processRequirements,
];
