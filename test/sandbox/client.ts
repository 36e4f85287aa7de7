import { afterEach } from 'vitest'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../packages/sandbox/src/index.ts'
import { share } from '../support/share.ts'

/** Noon of a day on which the imitated company's clock is at UTC-7. */
export const noon = Date.UTC(2025, 5, 16, 19)

/** The documented access key. */
export const basic = `Basic ${Buffer.from('sandbox:sandbox-secret').toString('base64')}`

/** An answer with its body read. */
export interface Answered {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The JSON body; undefined for anything else. */
  readonly body: unknown
}

/** What a request can have beside its path. */
export interface Asked {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  /** A text is sent as it is, everything else as JSON. */
  readonly body?: unknown
}

/** Sends a request without following redirects. */
export async function ask(url: string, { method = 'GET', headers = {}, body }: Asked = {}): Promise<Answered> {
  const content = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }
  const response = await fetch(url, { method, headers, redirect: 'manual', ...content })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, body: readJson(text) }
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The value at a path of keys and positions; undefined when it ends early. */
export function get(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found: unknown = value
  for (const key of path) found = typeof found === 'object' && found !== null ? Reflect.get(found, key) : undefined
  return found
}

/** Returns the list at a path; empty when it is missing. */
export function rows(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = get(value, ...path)
  return Array.isArray(found) ? found : []
}

/** A sandbox with a clock that a test can move, and short ways to ask it. */
export interface World {
  readonly sandbox: Sandbox
  readonly facts: Sandbox['gong']['world']
  readonly clock: { now: number }
  /** GET on the API with the access key, or with other headers. */
  read(path: string, headers?: Readonly<Record<string, string>>): Promise<Answered>
  /** POST of JSON on the API with the access key, or with other headers. */
  post(path: string, body: unknown, headers?: Readonly<Record<string, string>>): Promise<Answered>
}

/** Starts a sandbox for the tests of one file; each test finds a vendor and the clock as they were at the start. */
export async function openSandbox(vendor: 'gong' | 'shopify' | 'snowflake' | 'tiktok', now: number, options: SandboxOptions) {
  const clock = { now }
  const sandbox = await share(startSandbox({ limits: false, clock: () => clock.now, ...options }))
  afterEach(() => {
    clock.now = now
    sandbox[vendor].reset()
  })
  return { sandbox, clock }
}

/** Opens Gong. */
export async function openWorld(options: SandboxOptions = {}): Promise<World> {
  const { sandbox, clock } = await openSandbox('gong', noon, options)
  const { api } = sandbox.origins.gong
  return {
    sandbox,
    facts: sandbox.gong.world,
    clock,
    read: (path, headers = { authorization: basic }) => ask(`${api}${path}`, { headers }),
    post: (path, body, headers = { authorization: basic }) =>
      ask(`${api}${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }),
  }
}

/** All pages of a list, at most 30. */
export async function walk(ask: (cursor: string | undefined) => Promise<Answered>): Promise<readonly Answered[]> {
  const pages: Answered[] = []
  let cursor: unknown
  do {
    const page = await ask(typeof cursor === 'string' ? cursor : undefined)
    pages.push(page)
    cursor = get(page.body, 'records', 'cursor')
  } while (cursor !== undefined && pages.length < 30)
  return pages
}
