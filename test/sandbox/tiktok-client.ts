import { type Sandbox, type SandboxOptions, type TiktokWorldFacts, tiktokCredentials } from '../../packages/sandbox/src/index.ts'
import { type Answered, ask, get, openSandbox } from './client.ts'

/** Midnight UTC is past: yesterday still in Los Angeles, today in Tokyo. */
export const start = Date.UTC(2025, 5, 16, 3)

/** One day in milliseconds. */
export const day = 86_400_000

/** A sandbox with a clock that a test can move, and short ways to ask its advertiser accounts. */
export interface Desk {
  readonly sandbox: Sandbox
  readonly tiktok: Sandbox['tiktok']
  readonly facts: TiktokWorldFacts
  readonly origin: string
  readonly clock: { now: number }
  /** GET below the version with the documented token or other headers; values that are no texts are sent as JSON. */
  read(path: string, query?: Readonly<Record<string, unknown>>, headers?: Readonly<Record<string, string>>): Promise<Answered>
}

/** Headers of a request with a token. */
export function withToken(token: string): Readonly<Record<string, string>> {
  return { 'access-token': token }
}

/** A query string; values that are no texts become JSON. */
export function queryOf(query: Readonly<Record<string, unknown>>): string {
  const entries = Object.entries(query).map(([name, value]): [string, string] => {
    return [name, typeof value === 'string' ? value : JSON.stringify(value)]
  })
  return String(new URLSearchParams(entries))
}

/** Opens advertiser accounts. */
export async function openDesk(options: SandboxOptions = {}): Promise<Desk> {
  const { sandbox, clock } = await openSandbox('tiktok', start, options)
  const origin = sandbox.origins['tiktok-marketing'].api
  return {
    sandbox,
    tiktok: sandbox.tiktok,
    facts: sandbox.tiktok.world,
    origin,
    clock,
    read: (path, query = {}, headers = withToken(tiktokCredentials.accessToken)) =>
      ask(`${origin}/open_api/v1.3${path}?${queryOf(query)}`, { headers }),
  }
}

/** Code and message of an answer. */
export function codeOf({ body }: Answered): readonly [unknown, unknown] {
  return [get(body, 'code'), get(body, 'message')]
}
