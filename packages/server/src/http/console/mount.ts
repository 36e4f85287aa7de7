/** Mounts what people open in a browser: the console with its sign-in, the connect page, the documentation, and the files of all three. */
import { randomBytes } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import type { FerruleError } from 'ferrule'
import type { Kind } from 'ferrule/definition'
import { fail, isObject } from 'ferrule/internal'
import { isShipped } from '../../connectors/catalogue.ts'
import { pageType } from '../html/frame.ts'
import { html } from '../html/html.ts'
import { printKindPage } from '../reference/kind-page.ts'
import { reportError } from '../refusals.ts'
import { toError } from '../reply.ts'
import type { Services } from '../route.ts'
import { buildConsoleRefusal, ConsoleSignIn, sendPlain } from './console-session.ts'
import { WebFiles, type WebPage } from './files.ts'
import { createAddressFinder } from './own-address.ts'

/** Largest body of a form, in bytes. */
const formBytes = 16 * 1_024

/** Policy of a page: nothing but this service, no inline scripts, and style elements only with the nonce of the answer. @param nonce undefined: none */
const buildPolicy = (nonce?: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self'${nonce === undefined ? '' : ` 'nonce-${nonce}'`}`,
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
  'content-type': pageType,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

/** Sends an error as a page: a person reads it. */
function sendErrorPage(reply: FastifyReply, { status, message, hint, code, retryAfterMs }: FerruleError): FastifyReply {
  if (retryAfterMs !== undefined) reply.header('retry-after', String(Math.max(1, Math.ceil(retryAfterMs / 1_000))))
  const paragraphs = [html`${message} ${hint}`, html`<code>${code}</code> Request <code>${reply.request.id}</code>`]
  return sendPlain(reply, status, { text: buildConsoleRefusal('This did not work', paragraphs) })
}

/** What a page is sent with. */
interface Sending {
  readonly files: WebFiles
  /** Path of a proxy in front of the service. */
  readonly basePath: string
}

/** Sends a page with a nonce of its own. */
async function sendWebPage(reply: FastifyReply, page: WebPage, { files, basePath }: Sending): Promise<FastifyReply> {
  const nonce = randomBytes(16).toString('base64url')
  const text = await files.readPage(page, { nonce, basePath })
  if (text !== undefined) {
    // The connect page speaks to its opener; the console has none.
    if (page === 'console') reply.header('cross-origin-opener-policy', 'same-origin')
    return reply.headers(pageHeaders).header('content-security-policy', buildPolicy(nonce)).send(text)
  }
  return sendNotBuilt(reply)
}

function sendNotBuilt(reply: FastifyReply): FastifyReply {
  const what = html`The files of this page are missing: they are built when the service is packed, and by <code>npm start</code> in a checkout.`
  const next = html`In a checkout, run <code>npm start</code>. Else install the package <code>@ferrule/server</code> again.`
  return sendPlain(reply, 503, { text: buildConsoleRefusal('This page is not built', [what, next]) })
}

/** Sends a page of the documentation. The browser asks again each time, so that a new version of the service shows at once. */
async function sendDocument(
  { params, headers }: FastifyRequest,
  reply: FastifyReply,
  { files, kinds }: { readonly files: WebFiles; readonly kinds: readonly Kind[] },
): Promise<FastifyReply> {
  const given = isObject(params) ? params['*'] : undefined
  if (given === '' || given === 'index') return reply.redirect('../docs') // the links of the first page begin at `/docs`
  const name = typeof given === 'string' ? given : 'index'
  const found = await files.readDocument(name, String(headers['accept-encoding'] ?? ''))
  if (found === undefined && name === 'index') return sendNotBuilt(reply)
  const kind = found === undefined ? kinds.find(({ definition }) => name === `reference/${definition.kind}`) : undefined
  if (kind !== undefined) return sendPlain(reply, 200, { text: printKindPage(kind) })
  if (found === undefined) throw fail('not_found', { method: 'GET', path: `/docs/${name.slice(0, 100)}` })
  const { content, etag } = found
  reply.headers({ ...pageHeaders, 'cache-control': 'no-cache', 'content-security-policy': buildPolicy(), etag, vary: 'accept-encoding' })
  return headers['if-none-match'] === etag ? reply.code(304).send() : reply.headers(found.headers).send(content)
}

async function sendAsset({ params, headers }: FastifyRequest, reply: FastifyReply, files: WebFiles): Promise<FastifyReply> {
  const name = isObject(params) && typeof params['file'] === 'string' ? params['file'] : ''
  const asset = await files.openAsset(name, String(headers['accept-encoding'] ?? ''))
  if (asset === undefined) throw fail('not_found', { method: 'GET', path: `/console/assets/${name.slice(0, 100)}` })
  return reply.headers({ ...asset.headers, 'cache-control': 'public, max-age=31536000, immutable' }).send(asset.content)
}

/** Adds routes for people. */
function addRoutes(scope: FastifyInstance, services: Services, files: WebFiles): void {
  const findAddress = createAddressFinder(services.settings)
  const signIn = new ConsoleSignIn(services, findAddress)
  const own = services.kinds.filter((kind) => !isShipped(kind)) // pages of the others are built
  const send = ({ headers }: FastifyRequest, reply: FastifyReply, page: WebPage) =>
    sendWebPage(reply, page, { files, basePath: findAddress(headers)?.basePath ?? '' })
  const add = (method: 'GET' | 'POST', url: string, handler: RouteHandlerMethod) =>
    scope.route({ method, url, config: { path: url.replaceAll(/:(\w+)/g, '{$1}') }, handler })
  const showConsole: RouteHandlerMethod = async (request, reply) =>
    (await signIn.isSignedIn(request)) ? send(request, reply, 'console') : signIn.show(request, reply)
  add('GET', '/console', showConsole)
  add('GET', '/console/*', showConsole)
  add('GET', '/connect/:id', (request, reply) => send(request, reply, 'connect'))
  add('GET', '/docs', (request, reply) => sendDocument(request, reply, { files, kinds: own }))
  add('GET', '/docs/*', (request, reply) => sendDocument(request, reply, { files, kinds: own }))
  for (const page of ['console', 'connect', 'docs'])
    add('GET', `/${page}/assets/:file`, (request, reply) => sendAsset(request, reply, files))
  add('POST', '/console/session', (request, reply) => signIn.start(request, reply))
  add('POST', '/console/session/end', (request, reply) => signIn.end(request, reply))
}

/** Mounts the pages. Their forms are read in a scope of their own. @param folder of the built files; default: the usual one */
export function mountWeb(app: FastifyInstance, services: Services, folder?: string): void {
  app.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    const options = { parseAs: 'string', bodyLimit: formBytes } as const
    scope.addContentTypeParser('application/x-www-form-urlencoded', options, (_request, body, done) => done(null, body))
    scope.setErrorHandler((thrown, request, reply) => {
      const { method, url, headers } = request
      const error = toError(thrown, { method, url, contentType: headers['content-type'], bodyLimit: formBytes })
      reportError(services.logger, error, request)
      sendErrorPage(reply, error)
    })
    addRoutes(scope, services, new WebFiles(folder))
    done()
  })
}
