/**
 * Mounts what people open in a browser: the console with its sign-in, the connect page, the documentation, and the files of all three.
 * Reasons: docs/decisions/console.md
 */
import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteHandlerMethod } from 'fastify'
import { FerruleError } from 'ferrule'
import type { Kind } from 'ferrule/definition'
import { type Block, buildReference, fail, isObject, readInline, readPlain } from 'ferrule/internal'
import { isOfLibrary, type ServedKind, summarize } from '../../connectors/connector-types.ts'
import { OAuthLimits } from '../address-limits.ts'
import { toError } from '../body.ts'
import { buildPage, pageType, sendPage } from '../html/frame.ts'
import { buildProblem, buildSignInFields, type Html, html } from '../html/html.ts'
import { reportError } from '../refusals.ts'
import type { Services } from '../route.ts'
import { acceptsEncoding } from '../unchanged.ts'
import {
  createAddressFinder,
  type FindAddress,
  isFromOwnPage,
  type OwnAddress,
  printEndedSession,
  printSession,
  readSession,
} from './own-address.ts'

/** Pages that are completed for each answer. */
type WebPage = 'console' | 'connect'

/** Usual folder of the build: beside the compiled service, and in a checkout where `scripts/web.mjs` puts it. */
const usualFolder = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../../../node_modules/.cache/ferrule/web/' : '../../web/', import.meta.url),
)

interface PageParts {
  /** Allows the style elements of this answer. */
  readonly nonce: string
  /** Path of a proxy in front of the service. */
  readonly basePath: string
}

const isMissing = (thrown: unknown): boolean => thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'

interface WebAsset {
  readonly content: ReadStream
  readonly headers: Readonly<Record<string, string>>
}

/** A page of the documentation. */
interface WebDocument {
  readonly content: Buffer
  /** Tag of the content in this form. */
  readonly etag: string
  readonly headers: Readonly<Record<string, string>>
}

/** Media types by ending. */
const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
  woff2: 'font/woff2',
}
/** Encodings that the build prepares, the smaller first, with the endings of their files. */
const encodings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

const nameForm = /^[\w-]+(?:\.[\w-]+)*\.(js|css|json|svg|woff2)$/
/** Path of a document: two names at most, so that nothing leads out of the folder. */
const documentForm = /^(?:[\w-]+\/)?[\w-]+$/

class WebFiles {
  readonly #folder: string

  /** @param folder default: the one of this build, or of this checkout */
  constructor(folder: string = usualFolder) {
    this.#folder = folder
  }

  /** Reads a page and completes it. @returns undefined when the pages are not built */
  async readPage(page: WebPage, { nonce, basePath }: PageParts): Promise<string | undefined> {
    const text = await readFile(join(this.#folder, `${page}.html`), 'utf8').catch((thrown: unknown) => {
      if (isMissing(thrown)) return undefined
      throw thrown
    })
    const base = basePath.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
    return text?.replaceAll('="./assets/', `="${base}/${page}/assets/`).replaceAll('__NONCE__', nonce).replaceAll('__BASE_PATH__', base)
  }

  /**
   * Opens a file in the smallest form that the browser takes. Its name holds the hash of its content, so it never changes.
   * @param accepted value of Accept-Encoding
   * @returns undefined: there is no such file
   */
  async openAsset(name: string, accepted: string): Promise<WebAsset | undefined> {
    const type = types[nameForm.exec(name)?.[1] ?? '']
    const found = type === undefined ? undefined : await this.#find(join('assets', name), type, accepted)
    return found === undefined ? undefined : { content: createReadStream(found.file), headers: found.headers }
  }

  /**
   * Reads a page of the documentation in the smallest form that the browser takes. Packed files have no times, so its tag is a digest.
   * @param name such as `search` or `reference/gong`
   * @returns undefined: there is no such page
   */
  async readDocument(name: string, accepted: string): Promise<WebDocument | undefined> {
    const found = documentForm.test(name) ? await this.#find(join('docs', `${name}.html`), pageType, accepted) : undefined
    if (found === undefined) return undefined
    const content = await readFile(found.file)
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
    return { content, etag, headers: found.headers }
  }

  /** Reads the list of pages for agents. @returns undefined when the pages are not built */
  async readList(): Promise<string | undefined> {
    return readFile(join(this.#folder, 'llms.txt'), 'utf8').catch((thrown: unknown) => {
      if (isMissing(thrown)) return undefined
      throw thrown
    })
  }

  /** Finds the smallest form of a file. */
  async #find(path: string, type: string, accepted: string) {
    for (const [encoding, ending] of [...encodings.filter(([each]) => acceptsEncoding(accepted, each)), ['identity', ''] as const]) {
      const file = join(this.#folder, `${path}${ending}`)
      const found = await stat(file).catch(() => undefined)
      if (found?.isFile() !== true) continue
      const headers = {
        'content-type': type,
        'content-length': String(found.size),
        vary: 'accept-encoding',
        ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }),
      }
      return { file, headers }
    }
    return undefined
  }
}

interface SignInParts {
  /** Path of the service in front of `/console`. */
  readonly basePath: string
  /** Path that a sign-in leads to. */
  readonly returnPath: string
  /** Client id of a try that was refused; it stays in its field. */
  readonly clientId?: string
  readonly problem?: string | undefined
  /** A sentence about what happened before. */
  readonly note?: string | undefined
}

const buildConsoleSignIn = ({ basePath, returnPath, clientId = '', problem, note }: SignInParts): string =>
  buildPage(
    'Sign in · Ferrule',
    html`<h1>Sign in to Ferrule</h1>${note === undefined ? undefined : html`<p>${note}</p>`}${buildProblem(problem)}
<form method="post" action="${basePath}/console/session"><input type="hidden" name="return" value="${returnPath}">
${buildSignInFields(clientId)}
<button class="main">Sign in</button>
</form>
<p class="note">Use an application of this service. The first one is printed when the service starts; <code>ferrule-server applications create</code> makes others.</p>
<p class="note">The session ends after 30 minutes without use, and after 12 hours.</p>`,
  )

const buildConsoleRefusal = (title: string, paragraphs: readonly Html[]): string =>
  buildPage(`${title} · Ferrule`, html`<h1>${title}</h1>${paragraphs.map((each) => html`<p>${each}</p>`)}`)

/**
 * Builds a page that loads itself again. A browser sends a cookie of the strict kind only when the way to a page began on its own site, so
 * a link of another site needs this step.
 */
const buildConsoleAgain = (path: string): string =>
  buildPage(
    'Ferrule',
    html`<h1>Opening the console</h1><p><a href="${path}">Continue to the console</a></p>`,
    html`<meta http-equiv="refresh" content="0;url=${path}">`,
  )

/** Longest address that a sign-in returns to. */
const longestReturn = 2_000

/** Returns a path below `/console` as it is, and the first page for everything else: nobody is led elsewhere. */
const checkReturn = (path: string): string =>
  path.length <= longestReturn &&
  /^\/console(?:[/?][\x21-\x7e]*)?$/.test(path) &&
  !/\\|\/\/|\/\.\.?(?:[/?]|$)/.test(path.split('?', 1)[0] ?? '')
    ? path
    : '/console'

class ConsoleSignIn {
  readonly #services: Services
  readonly #findAddress: FindAddress
  readonly #limits: OAuthLimits

  constructor(services: Services, findAddress: FindAddress) {
    this.#services = services
    this.#findAddress = findAddress
    this.#limits = new OAuthLimits(services.steady)
  }

  /** Answers a request for the console without a living session. */
  show({ headers, url }: FastifyRequest, reply: FastifyReply): FastifyReply {
    const address = this.#findAddress(headers)
    if (address === undefined) return this.#refuseAddress(reply)
    const returnPath = checkReturn(url)
    if (['cross-site', 'same-site'].includes(String(headers['sec-fetch-site'])))
      return sendPage(reply, { status: 200, text: buildConsoleAgain(`${address.basePath}${returnPath}`), formSource: address.origin })
    const had = readSession(headers, address) !== undefined
    return this.#send(reply, address, { returnPath, ...(had ? { note: 'Your session has ended. Sign in again to continue.' } : {}) })
  }

  /** Returns whether a request brings a living session. */
  async isSignedIn({ headers }: FastifyRequest): Promise<boolean> {
    const address = this.#findAddress(headers)
    const id = address === undefined ? undefined : readSession(headers, address)
    return id !== undefined && (await this.#services.platform.consoleSessions.isAlive(id))
  }

  async start(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const address = this.#enter(request)
    if (address === undefined) return this.#refuseAddress(reply)
    const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    const returnPath = checkReturn(form.get('return') ?? '')
    const clientId = form.get('client_id')?.trim() ?? ''
    const tried = { returnPath, clientId }
    const wait = this.#limits.count('signIn', request.ip)
    if (wait !== undefined) {
      reply.header('retry-after', String(wait))
      return this.#send(reply.code(429), address, { ...tried, problem: 'There were too many attempts. Wait a minute, then try again.' })
    }
    try {
      const given = { clientId, clientSecret: form.get('client_secret') ?? '' }
      const { id } = await this.#services.platform.consoleSessions.start(given)
      reply.header('set-cookie', printSession(address, id))
    } catch (thrown) {
      if (!(thrown instanceof FerruleError) || thrown.code !== 'invalid_client') throw thrown
      return this.#send(reply.code(403), address, { ...tried, problem: 'Client id or client secret is wrong.' })
    }
    return reply.redirect(`${address.basePath}${returnPath}`, 303)
  }

  async end(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const address = this.#enter(request)
    if (address === undefined) return this.#refuseAddress(reply)
    const form = new URLSearchParams(typeof request.body === 'string' ? request.body : '')
    const id = readSession(request.headers, address)
    const isEverywhere = form.get('everywhere') === '1'
    if (id !== undefined) await this.#services.platform.consoleSessions.end(id, { isEverywhere })
    return reply.header('set-cookie', printEndedSession(address)).redirect(`${address.basePath}/console`, 303)
  }

  /** Finds the address of a form that a page of this service sent. */
  #enter({ headers }: FastifyRequest): OwnAddress | undefined {
    const address = this.#findAddress(headers)
    return address !== undefined && isFromOwnPage(headers, address) ? address : undefined
  }

  #send(reply: FastifyReply, { basePath, origin }: OwnAddress, parts: Omit<SignInParts, 'basePath'>): FastifyReply {
    return sendPage(reply, { status: reply.statusCode, text: buildConsoleSignIn({ basePath, ...parts }), formSource: origin })
  }

  #refuseAddress(reply: FastifyReply): FastifyReply {
    const { publicUrl } = this.#services.settings
    const open =
      publicUrl === undefined
        ? html`Open it on the machine of the service, such as <code>http://localhost:8080/console</code>. Or set FERRULE_PUBLIC_URL to the https address of the service.`
        : html`Open <a href="${publicUrl}/console">${publicUrl}/console</a>. That address must be https, or name this machine.`
    const reason = html`This request did not come from a page of the service at its own address, so no session can be trusted there.`
    return sendPage(reply, { status: 403, text: buildConsoleRefusal('No sign-in here', [reason, open]) })
  }
}

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
  return sendPage(reply, { status, text: buildConsoleRefusal('This did not work', paragraphs) })
}

interface Sending {
  readonly files: WebFiles
  /** Path of a proxy in front of the service. */
  readonly basePath: string
}

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
  return sendPage(reply, { status: 503, text: buildConsoleRefusal('This page is not built', [what, next]) })
}

/** Sends a page of the documentation. The browser asks again each time, so that a new version of the service shows at once. */
async function sendDocument(
  { params, headers }: FastifyRequest,
  reply: FastifyReply,
  { files, kinds }: { readonly files: WebFiles; readonly kinds: readonly ServedKind[] },
): Promise<FastifyReply> {
  const given = isObject(params) ? params['*'] : undefined
  if (given === '' || given === 'index') return reply.redirect('../docs') // the links of the first page begin at `/docs`
  const name = typeof given === 'string' ? given : 'index'
  const found = await files.readDocument(name, String(headers['accept-encoding'] ?? ''))
  if (found === undefined && name === 'index') return sendNotBuilt(reply)
  const kind = found === undefined ? kinds.find((each) => name === `reference/${summarize(each).kind}`) : undefined
  if (kind !== undefined) return sendPage(reply, { status: 200, text: printKindPage(kind) })
  if (found === undefined) {
    const next = html`<a href="${'../'.repeat(name.split('/').length)}docs">See all pages</a>, or search them there.`
    return sendPage(reply, {
      status: 404,
      text: buildConsoleRefusal('There is no such page', [html`The documentation has no page here.`, next]),
    })
  }
  const { content, etag } = found
  reply.headers({ ...pageHeaders, 'cache-control': 'no-cache', 'content-security-policy': buildPolicy(), etag, vary: 'accept-encoding' })
  return headers['if-none-match'] === etag ? reply.code(304).send() : reply.headers(found.headers).send(content)
}

/** Sends the list of pages for agents (https://llmstxt.org). */
async function sendList(reply: FastifyReply, files: WebFiles): Promise<FastifyReply> {
  const text = await files.readList()
  if (text === undefined) return sendNotBuilt(reply)
  return reply
    .headers({ 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
    .send(text)
}

async function sendAsset({ params, headers }: FastifyRequest, reply: FastifyReply, files: WebFiles): Promise<FastifyReply> {
  const name = isObject(params) && typeof params['file'] === 'string' ? params['file'] : ''
  const asset = await files.openAsset(name, String(headers['accept-encoding'] ?? ''))
  if (asset === undefined) throw fail('not_found', { method: 'GET', path: `/console/assets/${name.slice(0, 100)}` })
  return reply.headers({ ...asset.headers, 'cache-control': 'public, max-age=31536000, immutable' }).send(asset.content)
}

function addRoutes(scope: FastifyInstance, services: Services, files: WebFiles): void {
  const findAddress = createAddressFinder(services.settings)
  const signIn = new ConsoleSignIn(services, findAddress)
  const own = services.kinds.filter((kind) => !isOfLibrary(kind)) // pages of the others are built
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
  add('GET', '/llms.txt', (_request, reply) => sendList(reply, files))
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

/** Returns where a link of a page leads: the web, or another page of the documentation. @returns undefined for other addresses */
function findPageLink(url: string): string | undefined {
  if (/^https?:/.test(url)) return url
  return /^(?:\.\.\/)?[\w-]+\.md(?:#[\w-]+)?$/.test(url) ? url.replace('.md', '') : undefined
}

/** Prints Markdown of one line. */
const printInline = (text: string): readonly Html[] =>
  readInline(text).map(({ text: words, look, url }) => {
    const shown = look === 'code' ? html`<code>${words}</code>` : look === 'strong' ? html`<strong>${words}</strong>` : html`${words}`
    const target = url === undefined ? undefined : findPageLink(url)
    return target === undefined ? shown : html`<a href="${target}" rel="noreferrer">${shown}</a>`
  })

const blockPrinters: Readonly<Record<Block['type'], (block: Block) => Html>> = {
  heading: ({ text = '' }) => html`<h3>${printInline(text)}</h3>`,
  paragraph: ({ text = '' }) => html`<p>${printInline(text)}</p>`,
  code: ({ code = '' }) => html`<pre><code>${code}</code></pre>`,
  table: ({ headers = [], rows = [] }) =>
    html`<table><thead><tr>${headers.map((each) => html`<th>${printInline(each)}</th>`)}</tr></thead><tbody>${rows.map(
      (cells) => html`<tr>${cells.map((cell) => html`<td>${printInline(cell)}</td>`)}</tr>`,
    )}</tbody></table>`,
}

const printBlocks = (blocks: readonly Block[]): readonly Html[] => blocks.map((block) => blockPrinters[block.type](block))

function printKindPage(kind: Kind): string {
  const { title, blocks, sections } = buildReference(kind)
  return buildPage(
    `${readPlain(title)} · Ferrule`,
    html`<h1>${printInline(title)}</h1>${printBlocks(blocks)}${sections.map((each) => html`<h2>${each.title}</h2>${printBlocks(each.blocks)}`)}`,
  )
}
