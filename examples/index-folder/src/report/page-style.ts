/** The page's look: one column on a narrow screen, dark where the reader's system is. */
export const pageStyle = `
:root {
  color-scheme: light dark;
  --paper: #f6f5f1; --card: #ffffff; --ink: #1d2328; --soft: #667078; --line: #e3e1da;
  --accent: #0b7a75; --accent-soft: #d7ece9; --bar: #2a9d8f; --mark: #ffe9a8;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14181b; --card: #1c2226; --ink: #e7eaeb; --soft: #98a3aa; --line: #2d353b;
    --accent: #6fd3c7; --accent-soft: #1f3d3b; --bar: #3fb5a6; --mark: #5a4b12;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main, header, footer { max-width: 72rem; margin: 0 auto; padding: 0 1.25rem; }
header { padding-top: 3rem; padding-bottom: 1.5rem; }
.kicker { margin: 0; color: var(--accent); font-size: .8rem; font-weight: 600; letter-spacing: .08em; text-transform: uppercase; }
h1 { margin: .15rem 0 0; font-size: clamp(1.9rem, 5vw, 3rem); line-height: 1.1; letter-spacing: -.02em; overflow-wrap: anywhere; }
h2 { margin: 0 0 .9rem; font-size: 1.1rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin: 1.5rem 0 0; }
.tiles div { background: var(--card); border: 1px solid var(--line); border-radius: .8rem; padding: .8rem 1rem; }
.tiles dt { color: var(--soft); font-size: .82rem; }
.tiles dd { margin: 0; font-size: 1.55rem; font-weight: 650; font-variant-numeric: tabular-nums; }
section { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1.4rem; margin-bottom: 1.25rem; }
.search { position: relative; }
input[type="search"] {
  width: 100%; padding: .8rem 1rem; font: inherit; font-size: 1.1rem; color: inherit;
  background: var(--paper); border: 1px solid var(--line); border-radius: .7rem;
}
input[type="search"]:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.note { color: var(--soft); font-size: .9rem; margin: .7rem 0 0; }
.hits { list-style: none; margin: .6rem 0 0; padding: 0; }
.hits li { display: grid; grid-template-columns: 1fr auto; gap: 0 1rem; padding: .55rem 0; border-top: 1px solid var(--line); }
.hits small { grid-column: 1; color: var(--soft); overflow-wrap: anywhere; }
.hits span { font-variant-numeric: tabular-nums; color: var(--soft); font-size: .9rem; }
mark { background: var(--mark); color: inherit; padding: 0 .2em; border-radius: .25em; }
.bars { list-style: none; margin: 0; padding: 0; columns: 2 24rem; column-gap: 2.5rem; }
.bars li { display: grid; grid-template-columns: minmax(6rem, 10rem) 1fr 6.5rem; gap: .75rem; align-items: center; padding: .2rem 0; break-inside: avoid; }
.bars a { color: inherit; text-decoration: none; font-weight: 550; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.bars a:hover { color: var(--accent); text-decoration: underline; }
.bars svg { display: block; width: 100%; height: .6rem; }
.bars .track { fill: var(--line); } .bars .value { fill: var(--bar); }
.bars small { color: var(--soft); text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.scroll { overflow-x: auto; margin: 0 -1.4rem -.4rem; padding: 0 1.4rem; }
table { width: 100%; border-collapse: collapse; font-size: .94rem; }
th { text-align: left; color: var(--soft); font-weight: 600; font-size: .8rem; padding: 0 .9rem .5rem 0; white-space: nowrap; }
td { padding: .6rem .9rem .6rem 0; border-top: 1px solid var(--line); vertical-align: top; }
td:last-child, th:last-child { padding-right: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td strong { display: block; font-weight: 600; overflow-wrap: anywhere; }
td small { color: var(--soft); overflow-wrap: anywhere; }
.chip {
  display: inline-block; margin: 0 .3rem .3rem 0; padding: .05rem .55rem; border-radius: 1rem; max-width: 14rem;
  overflow: hidden; text-overflow: ellipsis; vertical-align: bottom; white-space: nowrap;
  background: var(--accent-soft); color: var(--accent); font-size: .82rem; text-decoration: none;
}
.chip:hover { text-decoration: underline; }
.skipped { margin: 0; padding: 0; list-style: none; }
.skipped li { padding: .35rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere; }
.skipped li:first-child { border-top: 0; }
.skipped span { color: var(--soft); }
footer { color: var(--soft); font-size: .85rem; padding-top: .5rem; padding-bottom: 3rem; }
@media (max-width: 44rem) {
  header { padding-top: 1.75rem; }
  section { padding: 1.1rem; border-radius: .8rem; }
  .bars li { grid-template-columns: 6.5rem 1fr 5.8rem; gap: .5rem; }
  table, tbody, tr, td { display: block; }
  thead { display: none; }
  tr { border-top: 1px solid var(--line); padding: .7rem 0; }
  tr:first-child { border-top: 0; }
  td { border: 0; padding: .1rem 0; }
  td.number { display: inline-block; margin-right: 1rem; color: var(--soft); font-size: .85rem; text-align: left; }
  td.number::after { content: " " attr(data-label); }
}
@media print { .search { display: none; } body { background: #fff; } section { break-inside: avoid; } }
`;
