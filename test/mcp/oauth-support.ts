/** A service with an authorization server, the browser of an operator, and the authorization of the official client. */
import { createHash, randomBytes } from 'node:crypto'
import { connect, createServer } from 'node:net'
import {
  auth,
  Client,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type StoredOAuthClientInformation,
  type StoredOAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { client, type Json, startWorld, type World, type WorldOptions } from '../http/support.ts'
import { listen } from '../support/listen.ts'

/** Where clients get their codes: another site, which nobody answers for. */
export const callback = 'https://client.example/callback'

/** A world below a public URL that is known before it starts. */
export interface OAuthWorld extends World {
  /** Address of the settings, not of the socket. */
  readonly issuer: string
  readonly resource: string
  /** Ends the service and starts another one over the same database, at the same address. */
  restart(): Promise<void>
}

/** Starts a world behind a relay: the service listens elsewhere than at its public URL, as behind a proxy. */
export async function startOAuthWorld(options: WorldOptions = {}): Promise<OAuthWorld> {
  let target = 0
  const sockets = new Set<{ destroy(): void }>()
  const relay = createServer((socket) => {
    const onward = connect(target, '127.0.0.1')
    for (const each of [socket, onward]) {
      sockets.add(each)
      each.on('error', () => undefined)
      each.once('close', () => {
        socket.destroy()
        onward.destroy()
      })
    }
    socket.pipe(onward).pipe(socket)
  })
  const { origin: issuer } = await listen(relay)
  const start = async () => {
    const world = await startWorld({ ...options, settings: { publicUrl: issuer, ...options.settings } })
    target = world.port
    return world
  }
  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }
  const first = await start()
  let { close } = first
  const made: OAuthWorld = {
    ...{ ...first, issuer, resource: `${issuer}/mcp` },
    restart: async () => {
      drop()
      await close()
      const next = await start()
      Object.assign(made, { ...next, close: made.close })
      close = next.close
    },
    close: async () => {
      drop()
      relay.close()
      await close()
    },
  }
  return made
}

/** An answer to the browser. */
export interface Shown {
  readonly status: number
  readonly text: string
  readonly headers: Headers
  /** Address of a redirect. */
  readonly location: string | undefined
}

/** A browser without scripts: it keeps cookies for their paths, and sends the forms of pages. */
export class Browser {
  readonly #cookies = new Map<string, { readonly value: string; readonly path: string }>()

  /** Asks for one address; follows nothing. */
  async ask(url: string, form?: Readonly<Record<string, string | readonly string[]>>): Promise<Shown> {
    const { pathname } = new URL(url)
    const sent = [...this.#cookies].filter(([, { path }]) => pathname === path || pathname.startsWith(`${path}/`))
    const fields = Object.entries(form ?? {}).flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, String(each)]),
    )
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie: sent.map(([name, { value }]) => `${name}=${value}`).join('; '), accept: 'text/html' },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(fields) }),
    })
    for (const line of answer.headers.getSetCookie()) this.#keep(line)
    const location = answer.headers.get('location') ?? /^0; url=(.+)$/.exec(answer.headers.get('refresh') ?? '')?.[1] ?? null
    const { status, headers } = answer
    return { status, headers, text: await answer.text(), location: location === null ? undefined : new URL(location, url).href }
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '') this.#cookies.delete(name)
    else this.#cookies.set(name, { value, path: /; path=([^;]+)/i.exec(line)?.[1] ?? '/' })
  }

  /** Follows redirects within the service. @returns the page, or the redirect to another site */
  async follow(first: Shown, issuer: string): Promise<Shown> {
    let shown = first
    while (shown.location?.startsWith(issuer)) shown = await this.ask(shown.location)
    return shown
  }
}

/** Proof that a page made a form. */
export const readFormToken = (page: string): string => /name="form_token" value="([^"]+)"/.exec(page)?.[1] ?? ''

/** What an operator fills in. */
export interface Filled {
  readonly id?: string
  readonly secret?: string
  readonly form?: Readonly<Record<string, string | readonly string[]>>
}

/** Opens an authorization. @returns the browser, and the address and text of the page that it shows */
export async function openPage(world: OAuthWorld, url: string) {
  const browser = new Browser()
  const first = await browser.ask(url)
  const at = first.location ?? ''
  return { browser, at, first, page: await browser.follow(first, world.issuer) }
}

/** Signs in on an opened page. @returns the page after it */
export async function signIn(
  world: OAuthWorld,
  opened: Awaited<ReturnType<typeof openPage>>,
  { id = client.id, secret = client.secret }: Filled = {},
) {
  const { browser, at, page } = opened
  const form = { form_token: readFormToken(page.text), action: 'sign_in', client_id: id, client_secret: secret }
  return browser.follow(await browser.ask(at, form), world.issuer)
}

/** Signs in and agrees. @returns where the browser is sent */
export async function agree(world: OAuthWorld, url: string, filled: Filled = {}): Promise<URLSearchParams> {
  const opened = await openPage(world, url)
  const consent = await signIn(world, opened, filled)
  const form = { form_token: readFormToken(consent.text), organization: world.organizationId, workspace: 'default', reach: 'all' }
  const sent = await opened.browser.ask(opened.at, { ...form, action: 'allow', ...filled.form })
  const done = await opened.browser.follow(sent, world.issuer)
  if (done.location === undefined) throw new Error(`the operator stays on a page: ${done.status} ${done.text}`)
  return new URL(done.location).searchParams
}

/** The authorization of the official client, with its memory. */
export class Login implements OAuthClientProvider {
  readonly clientMetadataUrl?: string
  readonly redirectUrl: string
  information: StoredOAuthClientInformation | undefined
  stored: StoredOAuthTokens | undefined
  url: URL | undefined
  #verifier = ''
  #found: OAuthDiscoveryState | undefined

  constructor(redirectUrl: string = callback, documentUrl?: string) {
    this.redirectUrl = redirectUrl
    if (documentUrl !== undefined) this.clientMetadataUrl = documentUrl
  }

  get clientMetadata() {
    return { client_name: 'Test client', redirect_uris: [this.redirectUrl], token_endpoint_auth_method: 'none' }
  }

  clientInformation = () => this.information
  saveClientInformation = (information: StoredOAuthClientInformation): void => {
    this.information = information
  }
  tokens = () => this.stored
  saveTokens = (tokens: StoredOAuthTokens): void => {
    this.stored = tokens
  }
  saveDiscoveryState = (found: OAuthDiscoveryState): void => {
    this.#found = found
  }
  discoveryState = () => this.#found
  state = () => 'state-of-the-client'
  redirectToAuthorization = (url: URL): void => {
    this.url = url
  }
  saveCodeVerifier = (verifier: string): void => {
    this.#verifier = verifier
  }
  codeVerifier = () => this.#verifier
}

/** Lets the official client get tokens: discovery from the refusal at `/mcp`, registration, code. */
export async function logIn(world: OAuthWorld, login: Login, filled: Filled = {}): Promise<URLSearchParams> {
  const transport = new StreamableHTTPClientTransport(new URL(world.resource), { authProvider: login })
  const failed = await new Client({ name: 'test', version: '1' }).connect(transport).catch((thrown: unknown) => thrown)
  if (login.url === undefined) throw failed
  const answer = await agree(world, login.url.href, filled)
  await transport.finishAuth(answer)
  return answer
}

/** Refreshes by the official client. */
export const refresh = (world: OAuthWorld, login: Login) => auth(login, { serverUrl: world.resource })

/** Connects with the tokens of a login. */
export async function connectLogin(world: OAuthWorld, login: Login): Promise<Client> {
  const connected = new Client({ name: 'test', version: '1' })
  await connected.connect(new StreamableHTTPClientTransport(new URL(world.resource), { authProvider: login }))
  return connected
}

/** Sends a form to an endpoint. */
export async function post(url: string, form: Readonly<Record<string, string>>) {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams(form) })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, json: text === '' ? undefined : JSON.parse(text) }
}

/** Registers a client. */
export async function registerClient(world: OAuthWorld, more: object = {}) {
  const body = JSON.stringify({ redirect_uris: [callback], token_endpoint_auth_method: 'none', client_name: 'By hand', ...more })
  const answer = await fetch(`${world.issuer}/oauth/register`, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  const json: Json = await answer.json()
  return { status: answer.status, headers: answer.headers, json }
}

/** A verifier with its challenge (RFC 7636). */
export function createChallenge() {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}

/** Builds the address of an authorization. */
export function buildAuthorization(world: OAuthWorld, more: Readonly<Record<string, string | undefined>>): string {
  const all = {
    response_type: 'code',
    redirect_uri: callback,
    code_challenge_method: 'S256',
    resource: world.resource,
    state: 's',
    ...more,
  }
  const query = Object.entries(all).flatMap(([name, value]): [string, string][] => (value === undefined ? [] : [[name, value]]))
  return `${world.issuer}/oauth/authorize?${new URLSearchParams(query)}`
}
