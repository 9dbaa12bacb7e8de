import { escapeHtml, jsonForScript } from "./escape.ts";
import { pageScript } from "./page-script.ts";
import { pageStyle } from "./page-style.ts";
import type { ReportData } from "./report-data.ts";
import type { FileStatistics, RankedTerm, Ranking } from "../values.ts";

/** The page for people: one file that needs nothing else, and that its own policy keeps from asking for anything. */
export function htmlReport(data: ReportData): string {
  const { title, catalogue, index, ranking } = data;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<title>${escapeHtml(title)} · index</title>
<style>${pageStyle}</style>
</head>
<body>
<header>
<p class="kicker">Folder index</p>
<h1>${escapeHtml(title)}</h1>
${tiles(data)}
</header>
<main>
<section class="search">
<h2><label for="query">Search</label></h2>
<input type="search" id="query" placeholder="Words to look for" autocomplete="off" spellcheck="false">
<p class="note" id="note" role="status"></p>
<ul class="hits" id="hits"></ul>
</section>
${topTerms(ranking.terms)}
${fileTable(catalogue.files, ranking)}
${skippedList(data)}
</main>
<footer>Made by Pulse. The same folder gives the same page, byte for byte, whatever interrupted its making.</footer>
<script type="application/json" id="index">${jsonForScript({
    files: catalogue.files.map((file) => [file.path, file.title]),
    terms: index.postings,
  })}</script>
<script>${pageScript}</script>
</body>
</html>
`;
}

function tiles({ catalogue, otherFiles }: ReportData): string {
  const bytes = catalogue.files.reduce((sum, file) => sum + file.bytes, 0);
  const shown = [
    ["Files", grouped(catalogue.files.length)],
    ["Words", grouped(catalogue.words)],
    ["Distinct terms", grouped(catalogue.distinct)],
    ["Text", sizeOf(bytes)],
    ["Skipped", grouped(catalogue.skipped.length)],
    ["Other files", grouped(otherFiles)],
  ];
  return `<dl class="tiles">${shown.map(([name, value]) => `<div><dt>${name}</dt><dd>${value}</dd></div>`).join("")}</dl>`;
}

function topTerms(terms: readonly RankedTerm[]): string {
  if (terms.length === 0) return "";
  const most = terms[0]?.score ?? 1;
  const rows = terms.map(({ term, score, files, count }) => {
    const width = Math.max(1, Math.round((score / most) * 100));
    const times = `${grouped(count)} in ${grouped(files)} ${files === 1 ? "file" : "files"}`;
    return `<li>${termLink(term, "")}<svg viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label="score ${score}"><rect class="track" width="100" height="8" rx="2"/><rect class="value" width="${width}" height="8" rx="2"/></svg><small title="${times}">${grouped(count)} · ${grouped(files)} ${files === 1 ? "file" : "files"}</small></li>`;
  });
  return `<section>
<h2>Terms that tell these files apart</h2>
<ol class="bars">
${rows.join("\n")}
</ol>
<p class="note">Ranked by tf-idf over the prose, code and identifiers left out: often said, but not by every file. Beside each bar: how often, and in how many files.</p>
</section>`;
}

function fileTable(files: readonly FileStatistics[], ranking: Ranking): string {
  const rows = files.map((file, at) => {
    const chips = (ranking.byFile[at] ?? []).map(({ term }) => termLink(term, "chip")).join("");
    return `<tr><td><strong>${escapeHtml(file.title)}</strong><small>${escapeHtml(file.path)}</small></td>${number(file.words, "words")}${number(file.distinct, "terms")}${number(file.lines, "lines")}<td class="number" data-label="">${sizeOf(file.bytes)}</td><td>${chips}</td></tr>`;
  });
  return `<section>
<h2>Files</h2>
<div class="scroll">
<table>
<thead><tr><th>File</th><th class="number">Words</th><th class="number">Terms</th><th class="number">Lines</th><th class="number">Size</th><th>What it is about</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>
</div>
</section>`;
}

function skippedList({ catalogue }: ReportData): string {
  if (catalogue.skipped.length === 0) return "";
  const items = catalogue.skipped.map(
    ({ path, reason }) => `<li>${escapeHtml(path)} <span>${escapeHtml(reason)}</span></li>`,
  );
  return `<section>
<h2>Skipped</h2>
<ul class="skipped">
${items.join("\n")}
</ul>
</section>`;
}

const number = (value: number, label: string): string =>
  `<td class="number" data-label="${label}">${grouped(value)}</td>`;

const termLink = (term: string, name: string): string =>
  `<a${name === "" ? "" : ` class="${name}"`} href="#q=${encodeURIComponent(term)}">${escapeHtml(term)}</a>`;

/** Thin spaces between thousands, the same on every machine. */
const grouped = (value: number): string => String(value).replace(/\B(?=(?:\d{3})+$)/gu, "\u2009");

function sizeOf(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  if (bytes < 1024 * 1024) return `${(bytes / 1024).toFixed(1)} KiB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
