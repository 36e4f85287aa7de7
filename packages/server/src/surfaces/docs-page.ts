/** The reference page at /docs: Swagger UI from our own files, so that nothing is fetched from anywhere else. */
import { createReadStream } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Readable } from 'node:stream'

/** An asset of the page. */
export interface Asset {
  readonly content: string | Readable
  readonly type: string
}

/** Addresses are relative: the page also works below a path of a proxy. */
const page = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ferrule API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="stylesheet" href="docs/page.css">
</head>
<body>
<main id="reference"></main>
<noscript>This page needs JavaScript; the document behind it is <a href="openapi.json">/openapi.json</a>.</noscript>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/page.js"></script>
</body>
</html>
`

const script = `SwaggerUIBundle({
  url: 'openapi.json',
  domNode: document.getElementById('reference'),
  deepLinking: true,
  displayOperationId: false,
  defaultModelsExpandDepth: -1,
  defaultModelExpandDepth: 2,
  docExpansion: 'list',
  filter: false,
  persistAuthorization: false,
  tryItOutEnabled: true,
  validatorUrl: null,
})
`

/** The scopes of a token are hidden: none chosen means all, which is what a reader wants here. */
const style = `body { margin: 0; background: #fff; }
.swagger-ui .info { margin: 24px 0; }
.swagger-ui .scheme-container { padding: 16px 0; box-shadow: none; border-bottom: 1px solid #ddd; }
.swagger-ui .auth-container .scopes, .swagger-ui .scope-def { display: none; }
.swagger-ui textarea { min-height: 180px; }
.swagger-ui .responses-table:not(.live-responses-table) .highlight-code > pre { max-height: 180px; overflow: auto; }
`

/** Our own files by name. */
const texts: Readonly<Record<string, Asset>> = {
  'page.js': { content: script, type: 'text/javascript; charset=utf-8' },
  'page.css': { content: style, type: 'text/css; charset=utf-8' },
}
/** Files of the package that are served. */
const files: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
}

const require = createRequire(import.meta.url)

/** The page itself. */
export const docsPage: Asset = { content: page, type: 'text/html; charset=utf-8' }

/** A file of the page; undefined for any name that is not one. Large files are read when they are asked for and never kept. */
export function docsAsset(name: string): Asset | undefined {
  const text = Object.hasOwn(texts, name) ? texts[name] : undefined
  if (text !== undefined) return text
  const type = Object.hasOwn(files, name) ? files[name] : undefined
  if (type === undefined) return undefined
  const folder = join(dirname(require.resolve('@fastify/swagger-ui')), 'static')
  return { content: createReadStream(join(folder, name)), type }
}

/** Policy of the page: nothing but this service, no inline scripts. `publicUrl` is where "try it out" sends to. */
export function docsPolicy(publicUrl: string | undefined): string {
  const connect = publicUrl === undefined ? "'self'" : `'self' ${new URL(publicUrl).origin}`
  const self = ["script-src 'self'", "style-src 'self'", "img-src 'self' data:", `connect-src ${connect}`]
  return ["default-src 'none'", ...self, "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"].join('; ')
}
