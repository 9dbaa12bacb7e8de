/** Longer titles are cut with an ellipsis. In code points. */
export const titleLengthMax = 120;

/** How many lines are looked at for a heading. */
const titleLinesMax = 200;

/** Whether a file's name says that it is Markdown. */
export const isMarkdown = (path: string): boolean => /\.(?:md|markdown|mdx)$/iu.test(path);

/** The first heading of a Markdown text, else the file's own name. */
export function titleOf(path: string, text: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (!isMarkdown(path)) return name;
  const lines = text.split(/\r?\n/u, titleLinesMax);
  let fenced = false;
  for (const [at, line] of lines.entries()) {
    if (/^ {0,3}(?:```|~~~)/u.test(line)) fenced = !fenced;
    else if (!fenced) {
      const heading = atxHeading(line) ?? (/^ {0,3}=+\s*$/u.test(line) ? lines[at - 1]?.trim() : undefined);
      if (heading !== undefined && heading !== "") return shorten(heading);
    }
  }
  return name;
}

/** `# Title #`, its emphasis, code marks and links taken off. */
function atxHeading(line: string): string | undefined {
  const match = /^ {0,3}#{1,6}[ \t]+(.*?)(?:[ \t]+#+)?[ \t]*$/u.exec(line);
  return match?.[1]?.replace(/!?\[([^\]]*)\]\([^)]*\)/gu, "$1").replace(/[`*]/gu, "");
}

function shorten(title: string): string {
  const characters = [...title];
  return characters.length <= titleLengthMax ? title : `${characters.slice(0, titleLengthMax - 1).join("")}…`;
}
