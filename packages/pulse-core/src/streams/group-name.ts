/** What is wrong with a group's name, if anything is. */
export const groupProblem = (group: unknown): string | undefined =>
  typeof group === "string" && group !== "" && !group.includes("/") && isWellFormed(group)
    ? undefined
    : `the name of a group is ${JSON.stringify(group) ?? String(group)}; give a text, not empty, without "/" and without half a surrogate pair`;

/** Half of a surrogate pair is no text that could be recorded. */
export const isWellFormed = (text: string): boolean => !/\p{Surrogate}/u.test(text);

/** The group of a reader that names none; cannot be written by hand (STR-5). */
export const ownGroup = (path: string): string => `/${path}`;
