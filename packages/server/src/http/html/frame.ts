/** Frame of the service's own pages: plain HTML without scripts. */

import { createHash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import { type Html, html, Html as RawHtml } from './html.ts'
import { mark, tokens } from './look.ts'

/** Address of the mark: these pages name no other file, and so need no path of a proxy. */
const markAddress = `data:image/svg+xml,${encodeURIComponent(mark)}`

const style = `${tokens}
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 var(--font); }
main { max-width: 34rem; margin: 3rem auto; padding: 2rem; background: var(--card); border: 1px solid var(--line); border-radius: calc(2 * var(--radius)); }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0; }
label { display: block; margin: .4rem 0; overflow-wrap: anywhere; }
input[type=text], input[type=password], select, button { min-height: 2.75rem; border: 1px solid var(--field); border-radius: var(--radius); background: var(--card); color: inherit; font: inherit; }
input[type=text], input[type=password], select { width: 100%; box-sizing: border-box; margin-top: .35rem; padding: .5rem .75rem; font-weight: 400; }
label:has(> input[type=text], > input[type=password]) { margin: 1rem 0; font-weight: 600; }
fieldset { margin: 0; padding: .25rem 1rem .5rem; border: 1px solid var(--line); border-radius: var(--radius); max-height: 14rem; overflow: auto; }
button { margin: 1.25rem .75rem .5rem 0; padding: .55rem 1.25rem; font-weight: 600; cursor: pointer; }
button:hover { background: var(--quiet); }
button.main { background: var(--main); border-color: var(--main); color: var(--on-main); }
button.main:hover { background: var(--main-hover); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
.mark { display: block; margin: 0 0 1.25rem; }
.note { color: var(--soft); font-size: .9rem; }
.problem { padding: .6rem .8rem; border-radius: var(--radius); background: var(--bad-back); color: var(--bad); }
strong { overflow-wrap: anywhere; }
main:has(table) { max-width: 60rem; }
h3 { margin: 1.25rem 0 .25rem; font-size: 1rem; }
table { display: block; overflow: auto; margin: .5rem 0; border-collapse: collapse; font-size: .9rem; }
th, td { padding: .35rem .6rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
pre { overflow: auto; padding: .6rem .8rem; border: 1px solid var(--line); border-radius: var(--radius); }
a { color: var(--link); }
@media (max-width: 36rem) {
  main { margin: 0; padding: 1.25rem; border: 0; border-radius: 0; }
}
`

/** Builds the policy of a page without scripts. @param forms where its forms may be sent: sources of `form-action` */
function buildPolicy(forms: string): string {
  const styleHash = createHash('sha256').update(style).digest('base64')
  return [
    "default-src 'none'",
    `style-src 'sha256-${styleHash}'`,
    'img-src data:',
    `form-action ${forms}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}

/**
 * Builds the headers of a page. Chromium applies `form-action` to redirects after a form too, so a page names where they lead.
 * @param formSource origin or scheme of the checked redirect URI of this request; empty: forms stay here; undefined: the page has no form
 */
export const buildPageHeaders = (formSource?: string): Readonly<Record<string, string>> => ({
  'cache-control': 'no-store',
  'content-security-policy': buildPolicy(formSource === undefined ? "'none'" : `'self' ${formSource}`.trim()),
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
})

/** Media type of a page. */
export const pageType = 'text/html; charset=utf-8'

/** Builds a page around its body. @param head more elements of the head */
export const buildPage = (title: string, body: Html, head?: Html): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="${markAddress}">${head}
<style>${new RawHtml(style)}</style>
</head>
<body>
<main>
<img class="mark" src="${markAddress}" alt="" width="40" height="40">
${body}
</main>
</body>
</html>
`.text

/** A page with its status. */
export interface SentPage {
  readonly status: number
  readonly text: string
  /** Where the page's form may lead beside this service; undefined: the page has no form. */
  readonly formSource?: string | undefined
}

/** Sends a page. */
export const sendPage = (reply: FastifyReply, { status, text, formSource }: SentPage): FastifyReply =>
  reply.code(status).headers(buildPageHeaders(formSource)).type(pageType).send(text)
