import { factNames, type Facts } from "./facts.ts";

/** A row of the page: `` | `zod` | 4.6.7 | MIT | colinhacks/zod | no | 0 | … | ``. */
export interface Row {
  readonly name: string;
  readonly facts: Facts;
  readonly reason: string;
}

const columns = 7;

/** The rows of every table of the page whose first cell is the name of a package. */
export function rowsOf(text: string): Row[] {
  return text.split("\n").flatMap((line) => {
    const cells = cellsOf(line);
    const [, name] = /^`([^`]+)`$/.exec(cells[0] ?? "") ?? [];
    if (name === undefined) return [];
    // A row that is cut short lacks its last cells, which the check then names.
    const padded = [...cells, ...Array<string>(columns).fill("")];
    const facts = Object.fromEntries(factNames.map((fact, index) => [fact, padded[index + 1] ?? ""]));
    return [{ name, facts: facts as unknown as Facts, reason: padded[columns - 1] ?? "" }];
  });
}

/** The page with the facts of each row that `factsOf` knows; reasons and everything else stay. */
export function withFacts(text: string, factsOf: (name: string) => Facts | undefined): string {
  const lines = text.split("\n").map((line) => {
    const [row] = rowsOf(line);
    const facts = row === undefined ? undefined : factsOf(row.name);
    if (row === undefined || facts === undefined) return line;
    return `| ${[`\`${row.name}\``, ...factNames.map((fact) => facts[fact]), row.reason].join(" | ")} |`;
  });
  return lines.join("\n");
}

function cellsOf(line: string): string[] {
  if (!/^\|.*\|\s*$/.test(line)) return [];
  return line
    .trim()
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}
