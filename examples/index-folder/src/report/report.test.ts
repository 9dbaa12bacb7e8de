import fc from "fast-check";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { escapeHtml, jsonForScript } from "./escape.ts";
import { htmlReport } from "./html-report.ts";
import { jsonReport } from "./json-report.ts";
import { pageScript } from "./page-script.ts";
import type { ReportData } from "./report-data.ts";

const seed = Number(process.env["PULSE_SEED"] ?? 20_260);
const evil = `</script><script>alert("x")</script><!-- ' & \u2028`;
const data: ReportData = {
  title: evil,
  otherFiles: 3,
  catalogue: {
    files: [{ path: `${evil}.md`, title: evil, bytes: 2_048, lines: 3, words: 12_345, distinct: 2, digest: "d" }],
    skipped: [{ path: `${evil}.bin`, reason: "binary data, no text" }],
    words: 12_345,
    distinct: 2,
  },
  index: {
    paths: [`${evil}.md`],
    postings: [
      ["__proto__", [[0, 1]]],
      ["cursor", [[0, 2]]],
    ],
    outsideProse: [],
  },
  ranking: {
    terms: [{ term: evil, score: 1.5, files: 1, count: 2 }],
    byFile: [[{ term: evil, score: 1.5, count: 2 }]],
  },
};

test("nothing that a file says becomes part of the page's own markup", () => {
  const page = htmlReport(data);
  expect(page.match(/<script/gu)).toHaveLength(2);
  expect(page.match(/<\/script>/gu)).toHaveLength(2);
  expect(page).not.toContain("<!--");
  expect(page).not.toContain('alert("x")');
});

test("the page asks for nothing outside itself", () => {
  const page = htmlReport(data);
  expect(page).toContain(`default-src 'none'`);
  expect(page).not.toMatch(/(?:src|href)="(?!#q=)/u);
  expect(page).not.toMatch(/url\(|@import|https?:/u);
});

test("the page's index is the index, read back by the page's own words", () => {
  const [, json] = /<script type="application\/json" id="index">(.*?)<\/script>/su.exec(htmlReport(data)) ?? [];
  expect(JSON.parse(json ?? "")).toEqual({ files: [[`${evil}.md`, evil]], terms: data.index.postings });
});

test("the page's script finds whole words, beginnings of words, and says when there is none", () => {
  const { type, note, shown } = pageWith({
    files: [
      ["a.md", "A"],
      ["b.md", "B"],
    ],
    terms: [
      ["cursor", [[0, 2]]],
      [
        "cursors",
        [
          [0, 1],
          [1, 1],
        ],
      ],
      ["lease", [[1, 1]]],
    ],
  });
  expect(note()).toContain("All words are looked for");
  type("Curs");
  expect([note(), shown()]).toEqual(["2 files.", ["A3 timesa.md  cursor cursors", "B1 timeb.md  cursors"]]);
  type("cursor lease");
  expect(shown()).toEqual(["B2 timesb.md  cursors lease"]);
  type("nothing");
  expect([note(), shown()]).toEqual(["No file has “nothing”.", []]);
});

test(`escaped text is the same text to a reader of HTML (PULSE_SEED=${seed})`, () => {
  const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" };
  const readBack = (html: string): string => html.replace(/&(#?\w+);/gu, (_, name: string) => entities[name] ?? "?");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => {
      const html = escapeHtml(text);
      expect(html).not.toMatch(/[<>"']/u);
      expect(readBack(html)).toBe(text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/gu, "\ufffd"));
      expect(JSON.parse(jsonForScript({ text }))).toEqual({ text });
    }),
    { seed, numRuns: 300 },
  );
});

test("the JSON report is JSON, with odd terms and with no term", () => {
  const report = JSON.parse(jsonReport(data));
  expect(report).toMatchObject({
    format: 1,
    folder: evil,
    totals: { files: 1, skipped: 1, otherFiles: 3, words: 12_345, terms: 2 },
    index: data.index.postings,
    skipped: data.catalogue.skipped,
  });
  expect(report.files[0].topTerms[0]).toEqual({ term: evil, score: 1.5, count: 2 });
  const empty = { ...data, index: { paths: [], postings: [], outsideProse: [] } };
  expect(JSON.parse(jsonReport(empty)).index).toEqual([]);
});

/** Runs the page's script over the few parts of a document that it touches. */
function pageWith(index: unknown) {
  class Element {
    parts: (Element | string)[] = [];
    listeners: (() => void)[] = [];
    value = "";
    set textContent(text: string) {
      this.parts = [text];
    }
    get textContent(): string {
      return this.parts.map((part) => (typeof part === "string" ? part : part.textContent)).join("");
    }
    append(...parts: (Element | string)[]): void {
      this.parts.push(...parts);
    }
    replaceChildren(...parts: Element[]): void {
      this.parts = parts;
    }
    addEventListener(_: string, listener: () => void): void {
      this.listeners.push(listener);
    }
  }
  const [store, box, note, hits] = [new Element(), new Element(), new Element(), new Element()];
  store.textContent = JSON.stringify(index);
  const byId = new Map([
    ["index", store],
    ["query", box],
    ["note", note],
    ["hits", hits],
  ]);
  runInNewContext(pageScript, {
    document: { getElementById: (id: string) => byId.get(id), createElement: () => new Element() },
    location: { hash: "" },
    addEventListener: () => {},
  });
  return {
    type: (text: string): void => {
      box.value = text;
      for (const listener of box.listeners) listener();
    },
    note: () => note.textContent,
    shown: () => hits.parts.map((part) => (typeof part === "string" ? part : part.textContent)),
  };
}
