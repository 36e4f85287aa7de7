/** The pages of a stand-in, which look as those of the sandbox do: no script, no cookie, all texts escaped. */
import { createHash } from 'node:crypto'
import type { RecordedAnswer } from '../kind-recordings/recording.ts'

const style = `
:root { color-scheme: light dark; --page: #f3f4f6; --card: #fff; --ink: #1c2230; --soft: #556; --line: #cfd3dc; --accent: #5a2ca0; --on: #fff; --bad: #8c1d18; --bad-page: #fdecea; }
@media (prefers-color-scheme: dark) {
  :root { --page: #14161b; --card: #1e2129; --ink: #eceef3; --soft: #b3b8c5; --line: #444a58; --accent: #c6a6ff; --on: #17121f; --bad: #ffb4ab; --bad-page: #43201d; }
}
body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
header { padding: .5rem 1rem; background: #ffd84d; color: #2b2300; text-align: center; font-size: .9rem; }
main { max-width: 30rem; margin: 2.5rem auto; padding: 1.75rem 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
.vendor { margin: 0 0 1rem; color: var(--accent); font-weight: 700; }
h1 { margin: 0 0 .75rem; font-size: 1.35rem; line-height: 1.25; }
p { margin: .5rem 0; overflow-wrap: anywhere; }
ul { margin: .5rem 0; padding-left: 1.2rem; }
button { margin: 1rem .6rem 0 0; padding: .55rem 1.3rem; font: inherit; color: inherit; background: transparent; border: 1px solid #868d9c; border-radius: 7px; cursor: pointer; }
button.main { color: var(--on); background: var(--accent); border-color: var(--accent); }
:focus-visible { outline: 3px solid #2f7de1; outline-offset: 2px; }
.soft { color: var(--soft); font-size: .9rem; }
.problem { padding: .6rem .8rem; border-radius: 7px; color: var(--bad); background: var(--bad-page); }
@media (max-width: 34rem) { main { margin: 0; padding: 1.25rem; border-width: 0 0 1px; border-radius: 0; } }
`

/** Headers of pages and redirects: both can carry secrets in their address. */
export const privateHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' } as const

const pageHeaders = {
  ...privateHeaders,
  'content-type': 'text/html; charset=utf-8',
  // Without form-action: browsers apply it to the redirect after a form too, and that leads to the application.
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
} as const

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Escapes a text for HTML. */
const escapeHtml = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign)

/** Builds a page. @param main HTML */
function buildPage(given: string, title: string, main: string): string {
  const vendor = escapeHtml(given)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – ${vendor} (sandbox)</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<header>Sandbox: this page plays ${vendor}. Its data are recorded, and nobody has to sign in.</header>
<main>
<p class="vendor">${vendor}</p>
<h1>${title}</h1>
${main}
</main>
</body>
</html>
`
}

/** Builds the page where the owner of an account agrees or not; its form goes to its own address. */
export function buildConsentPage(
  vendor: string,
  { scopes, host }: { readonly scopes: readonly string[]; readonly host: string },
): RecordedAnswer {
  const asked = scopes.map((scope) => `<li><code>${escapeHtml(scope)}</code></li>`).join('\n')
  const main = `<p>The application wants to use your account${scopes.length === 0 ? '.</p>' : `, with these scopes:</p>\n<ul>${asked}</ul>`}
<p class="soft">Afterwards the browser goes to ${escapeHtml(host)}.</p>
<form method="post">
<p><button class="main" name="action" value="allow">Allow</button>
<button name="action" value="deny">Cancel</button></p>
</form>`
  return { status: 200, headers: pageHeaders, text: buildPage(vendor, 'Allow the application?', main) }
}

/** Builds the page of a request that nobody can agree to: the browser stays. */
export function buildRefusalPage(vendor: string, problem: string): RecordedAnswer {
  const main = `<p class="problem" role="alert">${escapeHtml(problem)}</p>
<p>Go back to the application. It has to ask in another way.</p>`
  return { status: 400, headers: pageHeaders, text: buildPage(vendor, 'This request cannot be authorized', main) }
}
