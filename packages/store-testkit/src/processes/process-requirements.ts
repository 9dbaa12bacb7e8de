import type { Requirement } from "../requirement.ts";
import { killRequirements } from "./kill-requirements.ts";
import { ownerRequirements } from "./owner-requirements.ts";

/** What takes real processes to see: kills, and owners beside each other. Each needs the path of the store module. */
export const processRequirements: readonly Requirement[] = [...killRequirements, ...ownerRequirements];
