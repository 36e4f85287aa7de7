/** A hosted service with one Gong connector behind the vendor's stand-in, and the bare server beside it. */
import { type Child, start } from './child.ts'

/** A request that either side answers. */
export interface Target {
  readonly child: Child
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Number of clients under load. */
  readonly connections?: number
}

/** Running processes of a benchmark of the service. */
export interface Hosted {
  /** A request for an action on the connector. */
  ours(body: unknown): Target
  /** Begins the copy of the connector's calls, which lists fill and compare from then on. */
  beginCopy(): Promise<void>
  /** The same request to a route of the bare server. */
  baseline(path: string, body: unknown): Target
  [Symbol.asyncDispose](): Promise<void>
}

/** Settings of a service that `connectTo` knows. */
export const serviceCredentials = {
  FERRULE_OPERATOR_CLIENT_ID: '0195f3a0-0000-7000-8000-000000000001',
  FERRULE_OPERATOR_CLIENT_SECRET: 'a secret of the benchmark',
}

const post = async <T>(url: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<T> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as T // the shapes of our own API
}

/** The id, the headers and the address of execute of a new connector. @param connector what its body has beside workspace and name */
export async function connectTo({ origin }: Child, connector: object) {
  const secrets = {
    client_id: serviceCredentials.FERRULE_OPERATOR_CLIENT_ID,
    client_secret: serviceCredentials.FERRULE_OPERATOR_CLIENT_SECRET,
  }
  const { access_token } = await post<{ access_token: string }>(`${origin}/api/v1/account/applications/token`, secrets)
  const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
  const { id } = await post<{ id: string }>(
    `${origin}/api/v1/integrations/connectors`,
    { workspace_name: 'default', name: 'of the benchmark', check: false, ...connector },
    headers,
  )
  return { id, headers, url: `${origin}/api/v1/integrations/connectors/${id}/execute` }
}

/**
 * Starts vendor, service and bare server.
 * @param mediaBytes size of the vendor's media file
 */
export async function startHosted(mediaBytes = 0): Promise<Hosted> {
  await using stack = new AsyncDisposableStack()
  const vendor = stack.use(await start('vendor.ts', { BENCH_MEDIA_BYTES: String(mediaBytes) }))
  const origins = { FERRULE_ORIGINS: JSON.stringify({ gong: vendor.origin }) }
  const service = stack.use(await start('service.ts', { ...serviceCredentials, ...origins }))
  const bare = stack.use(await start('baseline.ts', { BENCH_VENDOR: vendor.origin }))
  const gong = { connector_type: 'gong', credentials: { access_key: 'key', access_key_secret: 'secret' } }
  const { id, headers, url } = await connectTo(service, gong)
  const kept = stack.move()
  return {
    ours: (body) => ({ child: service, url, headers, body: JSON.stringify(body) }),
    beginCopy: () => service.tell(`gong calls ${id}`),
    baseline: (path, body) => ({ child: bare, url: `${bare.origin}${path}`, headers, body: JSON.stringify(body) }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}
