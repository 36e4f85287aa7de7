import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'

/** An `import` of `node:http` would load Node's `fetch` with it: 40 ms of a start, and 14 MB. */
const { createServer } = process.getBuiltinModule('node:http')

/** Bytes that are made when they are asked for, so that a body of any size needs constant memory. */
export interface ByteSource {
  /** Length in bytes. */
  readonly size: number
  /** Exactly `length` bytes from `offset` on; the caller stays inside `size`. */
  read(offset: number, length: number): Uint8Array
}

/** One HTTP answer before it is sent. */
export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | ByteSource
}

/** One HTTP request with its body read. */
export interface ReceivedRequest {
  readonly method: string
  /** The path as it was sent, without the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** A listening server. */
export interface ListeningServer {
  /** `http://host:port`. */
  readonly origin: string
  /** Stops listening and destroys every socket. */
  close(): Promise<void>
}

/** Largest request body that a stand-in reads, in bytes; more is answered with 413. */
const requestBodyLimit = 8 * 1024 * 1024

const chunkBytes = 128 * 1024

/** Returns a JSON answer. */
export const json = (status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Reply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(value),
})

/** Returns true for a JSON object: not null, not an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the JSON value of a text, or undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns bytes that are there already. */
export const bytesOf = (bytes: Uint8Array): ByteSource => ({
  size: bytes.length,
  read: (offset, length) => bytes.subarray(offset, offset + length),
})

/** Returns the byte source of an answer's body. */
export const sourceOf = (body: string | ByteSource): ByteSource => (typeof body === 'string' ? bytesOf(Buffer.from(body)) : body)

/** Writes bytes and waits until the socket took them; false when the client has gone. */
export function writeBytes(response: ServerResponse, bytes: Uint8Array): Promise<boolean> {
  if (response.destroyed || bytes.length === 0) return Promise.resolve(!response.destroyed)
  return new Promise((resolve) => {
    const gone = () => resolve(false)
    response.once('close', gone)
    response.write(bytes, (error) => {
      response.off('close', gone)
      resolve(!error)
    })
  })
}

/** Sends status and headers; the length is that of the body unless the answer is chunked. */
export function sendHead(response: ServerResponse, reply: Reply): void {
  const length = 'transfer-encoding' in reply.headers ? {} : { 'content-length': String(sourceOf(reply.body).size) }
  response.writeHead(reply.status, { ...length, ...reply.headers })
  response.flushHeaders()
}

/** Sends the body up to a byte, at the speed of the client. @returns false when the client went away before */
export async function sendBody(response: ServerResponse, body: string | ByteSource, end = Number.POSITIVE_INFINITY): Promise<boolean> {
  const source = sourceOf(body)
  const last = Math.min(source.size, end)
  for (let offset = 0; offset < last; offset += chunkBytes) {
    const bytes = source.read(offset, Math.min(chunkBytes, last - offset))
    if (!(await writeBytes(response, bytes))) return false
  }
  return true
}

/** Sends a whole answer; a request with method HEAD gets no body. */
export async function sendReply(response: ServerResponse, reply: Reply): Promise<void> {
  if (response.req.method === 'HEAD') {
    response.writeHead(reply.status, reply.headers).end()
    return
  }
  if (typeof reply.body === 'string') {
    response.writeHead(reply.status, { 'content-length': String(Buffer.byteLength(reply.body)), ...reply.headers }).end(reply.body)
    return
  }
  sendHead(response, reply)
  if (await sendBody(response, reply.body)) response.end()
}

async function readBody(message: IncomingMessage): Promise<string | undefined> {
  let chunks: Buffer[] = []
  let size = 0
  // What is too long is read a while and thrown away, so that the client comes to reading the refusal.
  for await (const chunk of message.iterator({ destroyOnReturn: false })) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk))
    size += bytes.length
    if (size > requestBodyLimit * 8) return undefined
    if (size > requestBodyLimit) chunks = []
    else chunks.push(bytes)
  }
  return size > requestBodyLimit ? undefined : Buffer.concat(chunks).toString('utf8')
}

async function receive(message: IncomingMessage): Promise<ReceivedRequest | undefined> {
  const body = await readBody(message)
  if (body === undefined) return undefined
  const target = message.url ?? '/'
  const mark = target.indexOf('?')
  return {
    method: message.method ?? 'GET',
    path: mark < 0 ? target : target.slice(0, mark),
    query: new URLSearchParams(mark < 0 ? '' : target.slice(mark + 1)),
    headers: message.headers,
    body,
  }
}

type RequestHandler = (request: ReceivedRequest, response: ServerResponse) => Promise<void>

async function answerOnce(message: IncomingMessage, response: ServerResponse, handle: RequestHandler): Promise<void> {
  try {
    const request = await receive(message)
    if (request) await handle(request, response)
    else response.writeHead(413, { connection: 'close' }).end()
  } catch (error) {
    // A client that went away in the middle of its request is not our failure.
    if (response.headersSent || message.destroyed) response.destroy()
    else response.writeHead(500, { 'content-type': 'text/plain' }).end(error instanceof Error ? error.message : String(error))
  }
}

/**
 * Time after which an idle connection is closed, in milliseconds. Clients keep connections for a minute at most, so no request begins on one
 * that ends.
 */
const idleMs = 65_000

/** Opens one HTTP server. Port 0 is a free one. @throws the listen error of Node, for example EADDRINUSE */
export async function listen(handle: RequestHandler, address: { host: string; port: number }): Promise<ListeningServer> {
  const server = createServer({ maxHeaderSize: 64 * 1024, keepAliveTimeout: idleMs }, (message, response) => {
    void answerOnce(message, response, handle)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(address.port, address.host, () => resolve())
  })
  const bound = server.address()
  const port = typeof bound === 'object' && bound ? bound.port : address.port
  return { origin: `http://${reachableHost(address.host)}:${port}`, close: () => shut(server) }
}

const shut = (server: ReturnType<typeof createServer>): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}

/** A method and a path with `{slot}` segments. */
export interface RoutePattern {
  readonly method: string
  readonly path: string
}

/** What a router found: the route with its slots, the methods that the path does have, or nothing. */
type RouteMatch<R extends RoutePattern> =
  | { readonly found: 'route'; readonly route: R; readonly slots: Readonly<Record<string, string>> }
  | { readonly found: 'path'; readonly methods: readonly string[] }
  | { readonly found: 'nothing' }

function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/')
  const given = path.split('/')
  if (wanted.length !== given.length) return undefined
  const slots: Record<string, string> = {}
  for (const [index, segment] of wanted.entries()) {
    const value = given[index] ?? ''
    if (segment.startsWith('{')) slots[segment.slice(1, -1)] = decodeSegment(value)
    else if (segment !== value) return undefined
  }
  return slots
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Finds the route of a request. The first pattern that fits the path decides, so literal paths stand before slots. */
export function findRoute<R extends RoutePattern>(routes: readonly R[], method: string, path: string): RouteMatch<R> {
  const first = routes.find((route) => matchPath(route.path, path))
  if (!first) return { found: 'nothing' }
  const same = routes.filter((route) => route.path === first.path)
  const route = same.find((candidate) => candidate.method === method)
  if (!route) return { found: 'path', methods: same.map((candidate) => candidate.method) }
  return { found: 'route', route, slots: matchPath(route.path, path) ?? {} }
}

interface Endpoint extends RoutePattern {
  handle(request: ReceivedRequest): Reply
}

/** Answers a request to one of some endpoints; undefined for other paths. */
export function answerAt(endpoints: readonly Endpoint[], request: ReceivedRequest): Reply | undefined {
  const match = findRoute(endpoints, request.method, request.path)
  return match.found === 'route' ? match.route.handle(request) : undefined
}

/** Returns the first value of a header; undefined when it is missing. */
export function headerOf({ headers }: ReceivedRequest, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** Returns the host that a request is for: the forwarded one, else its own if that ends in the vendor's domain. */
export function hostOf(request: ReceivedRequest, domain = ''): string | undefined {
  const own = (request.headers.host ?? '').toLowerCase().replace(/:\d+$/, '')
  return headerOf(request, 'x-forwarded-host')?.toLowerCase() ?? (own.endsWith(domain) ? own : undefined)
}

/** Returns the address to which a consent page sends the browser back; undefined for none of http or https. */
export function redirectTarget(text: string): URL | undefined {
  const target = URL.canParse(text) ? new URL(text) : undefined
  return target?.protocol === 'https:' || target?.protocol === 'http:' ? target : undefined
}

/** Sends the browser back to the app; parameters without a value are left out. */
export function sendBack(target: URL, parameters: Readonly<Record<string, string | null>>): Reply {
  for (const [name, value] of Object.entries(parameters)) if (value !== null) target.searchParams.set(name, value)
  return { status: 302, headers: { location: target.href, 'content-type': 'text/plain' }, body: 'Back to the app' }
}
