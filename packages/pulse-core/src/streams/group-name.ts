/** What is wrong with a group's name, if anything is. */
export const groupProblem = (group: unknown): string | undefined =>
  typeof group === "string" && group !== "" && !group.includes("/")
    ? undefined
    : `the name of a group is ${JSON.stringify(group) ?? String(group)}; give a text, not empty and without "/"`;

/** The group of a reader that names none; cannot be written by hand (STR-5). */
export const ownGroup = (path: string): string => `/${path}`;
