/** Mounts what people open in a browser: the console with its sign-in, the connect page, and the files of both. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { fail, isObject } from 'ferrule/internal'
import { html } from '../html/html.ts'
import type { Services } from '../http/route.ts'
import { ConsoleSignIn, sendPlain } from './console-session.ts'
import { openAsset, readPage, type WebPage } from './files.ts'
import { createAddressFinder } from './own-address.ts'
import { buildConsoleRefusal } from './sign-in-page.ts'

/** Largest body of a form, in bytes. */
const formBytes = 16 * 1_024

/** Policy of a page: nothing but this service, no inline scripts, and style elements only with the nonce of the answer. */
const buildPolicy = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "media-src 'self'",
    "connect-src 'self'",
    "font-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')

const pageHeaders = {
  'cache-control': 'no-store',
  'content-type': 'text/html; charset=utf-8',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** Sends a page with a nonce of its own. */
async function sendWebPage(reply: FastifyReply, page: WebPage, basePath: string): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString('base64url')
  const text = await readPage(page, { nonce, basePath })
  if (text !== undefined) return reply.headers(pageHeaders).header('content-security-policy', buildPolicy(nonce)).send(text)
  const what = html`The files of this page are missing: they are built when the service is packed, and by <code>npm start</code> in a checkout.`
  const next = html`In a checkout, run <code>npm start</code>. Else install the package <code>@ferrule/server</code> again.`
  return sendPlain(reply, 503, { text: buildConsoleRefusal('This page is not built', [what, next]) })
}

async function sendAsset({ params, headers }: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const name = isObject(params) && typeof params['file'] === 'string' ? params['file'] : ''
  const asset = await openAsset(name, String(headers['accept-encoding'] ?? ''))
  if (asset === undefined) throw fail('not_found', { method: 'GET', path: `/console/assets/${name.slice(0, 100)}` })
  return reply.headers({ ...asset.headers, 'cache-control': 'public, max-age=31536000, immutable' }).send(asset.content)
}

/** Adds routes for people. */
function addRoutes(scope: FastifyInstance, services: Services): void {
  const findAddress = createAddressFinder(services.settings)
  const signIn = new ConsoleSignIn(services, findAddress)
  const publicPath = (request: FastifyRequest): string => findAddress(request.headers)?.basePath ?? ''
  const add = (method: 'GET' | 'POST', url: string, handler: RouteHandlerMethod) =>
    scope.route({ method, url, config: { path: url.replaceAll(/:(\w+)/g, '{$1}') }, handler })
  const showConsole: RouteHandlerMethod = async (request, reply) =>
    (await signIn.isSignedIn(request)) ? sendWebPage(reply, 'console', publicPath(request)) : signIn.show(request, reply)
  add('GET', '/console', showConsole)
  add('GET', '/console/*', showConsole)
  add('GET', '/connect/:id', (request, reply) => sendWebPage(reply, 'connect', publicPath(request)))
  for (const page of ['console', 'connect'] satisfies WebPage[]) add('GET', `/${page}/assets/:file`, sendAsset)
  add('POST', '/console/session', (request, reply) => signIn.start(request, reply))
  add('POST', '/console/session/end', (request, reply) => signIn.end(request, reply))
}

/** Mounts the pages. Their forms are read in a scope of their own. */
export function mountWeb(app: FastifyInstance, services: Services): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    const options = { parseAs: 'string', bodyLimit: formBytes } as const
    scope.addContentTypeParser('application/x-www-form-urlencoded', options, (_request, body, done) => done(null, body))
    addRoutes(scope, services)
    done()
  })
}
