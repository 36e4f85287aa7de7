import { createHash } from 'node:crypto'
import type { Reply } from './http.ts'

/** Text that is HTML already. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** What a template can hold: text is escaped, markup is not, nothing is left out. */
type MarkupPart = string | Markup | readonly Markup[] | undefined

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

function textOf(part: MarkupPart): string {
  if (part === undefined) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'string') return part.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)
  return part.map(({ text }) => text).join('\n')
}

/** Builds markup from a template; every text in it is escaped. */
export const html = (strings: TemplateStringsArray, ...parts: readonly MarkupPart[]): Markup =>
  new Markup(strings.map((text, index) => text + textOf(parts[index])).join(''))

const style = `
:root { color-scheme: light dark; --page: #f3f4f6; --card: #fff; --ink: #1c2230; --soft: #556; --line: #cfd3dc; --accent: #5a2ca0; --on: #fff; --bad: #8c1d18; --bad-page: #fdecea; }
.tiktok { --accent: #14171f; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14161b; --card: #1e2129; --ink: #eceef3; --soft: #b3b8c5; --line: #444a58; --accent: #c6a6ff; --on: #17121f; --bad: #ffb4ab; --bad-page: #43201d; }
  .tiktok { --accent: #7fe3e0; --on: #0c1a1a; }
}
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header { padding: .5rem 1rem; background: #ffd84d; color: #2b2300; text-align: center; font-size: .9rem; }
main { max-width: 30rem; margin: 2.5rem auto; padding: 1.75rem 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.vendor { margin: 0 0 1rem; color: var(--accent); font-weight: 700; letter-spacing: .02em; }
h1 { margin: 0 0 .75rem; font-size: 1.35rem; line-height: 1.25; }
h2 { margin: 1.5rem 0 .4rem; font-size: 1rem; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
ul { margin: .5rem 0; padding-left: 1.2rem; }
a { color: var(--accent); }
label { display: block; margin: .6rem 0; }
label.tick { display: flex; gap: .6rem; align-items: baseline; margin: .35rem 0; }
input:not([type=checkbox]) { display: block; width: 100%; box-sizing: border-box; margin-top: .2rem; padding: .5rem .6rem; font: inherit; color: inherit; background: var(--page); border: 1px solid #868d9c; border-radius: 7px; }
fieldset { margin: 1rem 0; padding: .25rem 1rem .6rem; border: 1px solid var(--line); border-radius: 8px; }
legend { padding: 0 .35rem; font-weight: 600; }
button { margin: 1rem .6rem 0 0; padding: .55rem 1.3rem; font: inherit; color: inherit; background: transparent; border: 1px solid #868d9c; border-radius: 7px; cursor: pointer; }
button.main { color: var(--on); background: var(--accent); border-color: var(--accent); }
:focus-visible { outline: 3px solid #2f7de1; outline-offset: 2px; }
.soft { color: var(--soft); font-size: .9rem; }
.problem { padding: .6rem .8rem; border-radius: 7px; color: var(--bad); background: var(--bad-page); }
code { font-size: .95em; }
@media (max-width: 34rem) { main { margin: 0; padding: 1.25rem; border-width: 0 0 1px; border-radius: 0; } }
`

// `form-action` is left out: Chromium applies it to the redirect after a form too, and that leads to the app.
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** The vendor whose page it is; the first word of its name is the class of its colours. */
export type PageVendor = 'Gong' | 'TikTok for Business' | 'Shopify' | 'Snowflake'

/** One page of a vendor. */
export interface Page {
  readonly vendor: PageVendor
  readonly title: string
  readonly body: Markup
  /** Default 200. */
  readonly status?: number
}

/** Returns a page as an answer; it says at its top that it is the sandbox's. */
export function pageReply({ vendor, title, body, status = 200 }: Page): Reply {
  const look = vendor.split(' ')[0]?.toLowerCase()
  const { text } = html`<!doctype html>
<html lang="en" class="${look}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – ${vendor} (sandbox)</title>
<link rel="icon" href="data:,">
<style>${new Markup(style)}</style>
</head>
<body>
<header>Sandbox: this page plays ${vendor}. Its people, passwords and data are invented.</header>
<main>
<p class="vendor">${vendor}</p>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
  return { status, headers, body: text }
}

/** Returns the sentence of what went wrong; nothing for undefined. */
export const problemText = (problem: string | undefined): Markup | undefined =>
  problem === undefined ? undefined : html`<p class="problem" role="alert">${problem}</p>`

/** Returns buttons of a form by action and label; the first is the main one, and what the Enter key does. */
export function buttons(labels: Readonly<Record<string, string>>): Markup {
  const made = Object.entries(labels).map(([action, label], index) => {
    return html`<button${index === 0 ? html` class="main"` : html` formnovalidate`} name="action" value="${action}">${label}</button>`
  })
  return html`<p>${made}</p>`
}

/** A box that can be ticked. */
export interface Box {
  readonly value: string
  readonly label: string
  readonly isTicked: boolean
}

/** Returns a group of boxes that all have the same field name. */
export function boxes(legend: string, name: string, list: readonly Box[]): Markup {
  const made = list.map(({ value, label, isTicked }) => {
    const tick = isTicked ? html` checked` : undefined
    return html`<label class="tick"><input type="checkbox" name="${name}" value="${value}"${tick}><span>${label}</span></label>`
  })
  return html`<fieldset><legend>${legend}</legend>${made}</fieldset>`
}
