/** Frame of the pages at /docs: plain HTML without scripts. Addresses are relative, so the pages also work below a path of a proxy. */
import { Html, type HtmlPart, html } from '../html/html.ts'
import { buildPlainPolicy } from '../html/page.ts'

const style = `
:root { color-scheme: light dark; --text: #1d2330; --soft: #545c6e; --back: #fff; --raised: #f4f5f8; --line: #d9dce3; --link: #1f4fd8; }
@media (prefers-color-scheme: dark) {
  :root { --text: #dfe2e8; --soft: #aab1c0; --back: #1a1b1e; --raised: #25262b; --line: #3a3c43; --link: #9db7ff; }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
header { display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; align-items: center; padding: .75rem 1.5rem; border-bottom: 1px solid var(--line); }
header > a { font-weight: 650; color: var(--text); text-decoration: none; }
header form { display: flex; flex: 1 1 14rem; gap: .5rem; max-width: 30rem; }
header input { flex: 1; min-width: 0; }
input, button { padding: .4rem .7rem; font: inherit; color: inherit; background: var(--back); border: 1px solid #7d8494; border-radius: 6px; }
button { cursor: pointer; background: var(--raised); }
.columns { display: flex; gap: 2.5rem; max-width: 84rem; margin: 0 auto; padding: 1.5rem; }
main { flex: 1; min-width: 0; }
aside { flex: 0 0 15rem; font-size: .92rem; }
aside > div { position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow: auto; padding: .2rem; }
aside h2 { margin: 0 0 .4rem; font-size: .95rem; }
aside ul { margin: 0 0 1rem; padding: 0; list-style: none; }
aside li { margin: .2rem 0; }
aside a[aria-current] { font-weight: 650; color: var(--text); }
h1 { margin: .25rem 0 .5rem; font-size: 1.7rem; line-height: 1.25; }
h2 { margin: 2rem 0 .5rem; font-size: 1.2rem; }
h3 { margin: 1.25rem 0 .25rem; font-size: 1rem; }
h2 a.anchor { margin-left: .4rem; color: var(--soft); text-decoration: none; font-weight: 400; }
section { border-top: 1px solid var(--line); margin-top: 2rem; }
section > h2 { margin-top: 1.25rem; }
.path { margin: 0; color: var(--soft); font-size: .92rem; }
.wide { overflow-x: auto; margin: .75rem 0; border: 1px solid var(--line); border-radius: 8px; }
table { width: 100%; border-collapse: collapse; font-size: .92rem; }
th, td { padding: .4rem .75rem; text-align: left; vertical-align: top; border-top: 1px solid var(--line); overflow-wrap: normal; }
thead th { border-top: 0; background: var(--raised); white-space: nowrap; }
td:last-child { min-width: 14rem; }
td:first-child { white-space: nowrap; }
code, pre { font: .92em/1.5 ui-monospace, SFMono-Regular, Consolas, monospace; }
code { padding: .1em .3em; background: var(--raised); border-radius: 4px; }
pre code { padding: 0; background: none; }
pre { margin: .75rem 0; padding: .75rem 1rem; overflow-x: auto; background: var(--raised); border: 1px solid var(--line); border-radius: 8px; }
.method { display: inline-block; min-width: 4.2rem; font-weight: 650; }
.results { padding: 0; list-style: none; }
.results li { margin: .8rem 0; }
.results p { margin: 0; color: var(--soft); }
@media (max-width: 60rem) {
  .columns { flex-direction: column; padding: 1rem; gap: 1rem; }
  header { padding: .75rem 1rem; }
  aside { flex: none; border-top: 1px solid var(--line); padding-top: 1rem; }
  aside > div { position: static; max-height: none; }
}
@media print { header form, aside { display: none; } }
`

/** Headers of each page. Browsers ask again each time, so that a new version of the service shows at once. */
export const docsHeaders = {
  'cache-control': 'no-cache',
  'content-security-policy': buildPlainPolicy(style, "'self'"),
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
} as const

/** A page without its frame. */
export interface DocsPage {
  readonly title: string
  /** Way back from the service's address to the page, such as `../../`. */
  readonly root: string
  readonly main: Html
  /** Links to neighbours of the page. */
  readonly aside?: Html
  /** What was searched. */
  readonly typed?: string
}

/** Prints a page in its frame. */
export const printFrame = ({ title, root, main, aside, typed = '' }: DocsPage): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:,">
<style>${new Html(style)}</style>
</head>
<body>
<header>
<a href="${root}docs">Ferrule reference</a>
<form action="${root}docs" method="get" role="search">
<input type="search" name="q" value="${typed}" maxlength="200" aria-label="Search the reference" placeholder="Entity, action, field or path">
<button>Search</button>
</form>
<nav aria-label="More"><a href="${root}console">Console</a> · <a href="${root}openapi.json">openapi.json</a></nav>
</header>
<div class="columns">
<main>
${main}
</main>
${aside === undefined ? undefined : html`<aside><div>${aside}</div></aside>`}
</div>
</body>
</html>
`.text

/** A link of a list. */
export interface DocsLink {
  readonly href: string
  readonly label: HtmlPart
  readonly isCurrent?: boolean
}

/** Prints a titled list of links. */
export const printLinks = (title: string, links: readonly DocsLink[]): Html => html`<nav aria-label="${title}">
<h2>${title}</h2>
<ul>${links.map(
  ({ href, label, isCurrent }) => html`
<li><a href="${href}"${isCurrent === true ? html` aria-current="page"` : undefined}>${label}</a></li>`,
)}
</ul>
</nav>`
