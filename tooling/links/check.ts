import { existsSync } from "node:fs";
import { join, normalize } from "node:path/posix";
import type { Report } from "../source/report.ts";
import { readFiles, type SourceFile } from "../source/workspace.ts";

/** A link of a Markdown file to a file of this repository. */
export interface Link {
  /** The 1-based line. */
  readonly line: number;
  /** As it is written, without its anchor. */
  readonly target: string;
}

/** Every relative link in the Markdown of the repository leads to a file or folder inside it. Anchors are not looked at. */
export function checkLinks(root: string): Report {
  const files = readFiles(root, "", [".md"]);
  const links = files.flatMap((file) => linksOf(file.text).map((link) => ({ file, ...link })));
  return {
    name: "links",
    counted: { files: files.length, "relative links": links.length },
    problems: links.flatMap(({ file, line, target }) => {
      const wrong = linkProblem(root, file, target);
      return wrong === undefined ? [] : [`${file.path}:${line}: ${target} ${wrong}`];
    }),
  };
}

/** The relative links of a text: inline ones, images and definitions, those in code left out. */
export function linksOf(text: string): Link[] {
  const links: Link[] = [];
  let fence = "";
  for (const [index, line] of text.split("\n").entries()) {
    const ticks = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== "") {
      if (ticks?.startsWith(fence)) fence = "";
      continue;
    }
    if (ticks !== undefined) {
      fence = ticks;
      continue;
    }
    for (const found of line.replaceAll(/(`+).+?\1/g, "code").matchAll(linkPattern)) {
      const [target = ""] = (found[1] ?? found[2] ?? found[3] ?? "").split("#");
      // An anchor of the page itself, or an address.
      if (target !== "" && !/^([a-z][a-z0-9+.-]*:|\/\/)/i.test(target)) links.push({ line: index + 1, target });
    }
  }
  return links;
}

/** `](target "title")`, `](<a target>)`, `[name]: target` */
const linkPattern = /\]\(\s*(?:<([^>]*)>|([^)\s]+))|^\s{0,3}\[[^\]]+\]:\s+(\S+)/g;

function linkProblem(root: string, { path }: SourceFile, target: string): string | undefined {
  let decoded: string;
  try {
    decoded = decodeURIComponent(target);
  } catch {
    return "is no well-formed link";
  }
  const place = decoded.startsWith("/") ? normalize(decoded.slice(1)) : normalize(join(path, "..", decoded));
  if (place.startsWith("..")) return "leads out of the repository";
  return existsSync(join(root, place)) ? undefined : "is not there";
}
