/** Frame of the service's own pages: plain HTML without scripts. */
import { createHash } from 'node:crypto'
import { type Html, html, Html as RawHtml } from './html.ts'

const style = `
body { margin: 0; background: #f4f5f7; color: #1d2330; font: 16px/1.5 system-ui, sans-serif; }
main { max-width: 34rem; margin: 3rem auto; padding: 2rem; background: #fff; border: 1px solid #d9dce3; border-radius: 10px; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1rem; }
p { margin: .5rem 0; }
label { display: block; margin: .4rem 0; overflow-wrap: anywhere; }
input[type=text], input[type=password], select { width: 100%; box-sizing: border-box; padding: .5rem; font: inherit; border: 1px solid #8a91a0; border-radius: 6px; }
fieldset { margin: 0; padding: .25rem 1rem .5rem; border: 1px solid #d9dce3; border-radius: 6px; max-height: 14rem; overflow: auto; }
button { margin: 1.25rem .75rem 0 0; padding: .55rem 1.2rem; font: inherit; border: 1px solid #8a91a0; border-radius: 6px; background: #fff; cursor: pointer; }
button.main { background: #1f4fd8; border-color: #1f4fd8; color: #fff; }
.note { color: #586074; font-size: .9rem; }
.problem { padding: .6rem .8rem; border-radius: 6px; background: #fdecea; color: #8c1d18; }
strong { overflow-wrap: anywhere; }
a { color: #1f4fd8; }
:root { color-scheme: light dark; }
@media (max-width: 36rem) {
  main { margin: 0; padding: 1.25rem; border: 0; border-radius: 0; }
}
@media (prefers-color-scheme: dark) {
  body { background: #1a1b1e; color: #dfe2e8; }
  main { background: #25262b; border-color: #3a3c43; }
  input[type=text], input[type=password], select { background: #1a1b1e; color: inherit; border-color: #7d8494; }
  fieldset { border-color: #3a3c43; }
  button { background: #2c2e33; color: inherit; border-color: #7d8494; }
  button.main { background: #3b5bdb; border-color: #3b5bdb; color: #fff; }
  .note { color: #a9b0bf; }
  .problem { background: #4a1d1b; color: #ffc9c4; }
  a { color: #9db7ff; }
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
<link rel="icon" href="data:,">${head}
<style>${new RawHtml(style)}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`.text
