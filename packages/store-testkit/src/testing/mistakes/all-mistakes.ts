import { contentMistakes } from "./contents.ts";
import { copyMistakes } from "./copies.ts";
import { listMistakes } from "./lists.ts";
import type { Mistake } from "./mistake.ts";
import { ownerMistakes } from "./owners.ts";
import { saveMistakes } from "./saves.ts";
import { textMistakes } from "./texts.ts";

/** Every known way to be wrong that shows within one process. */
export const mistakes: readonly Mistake[] = [
  ...ownerMistakes,
  ...saveMistakes,
  ...copyMistakes,
  ...textMistakes,
  ...contentMistakes,
  ...listMistakes,
];
