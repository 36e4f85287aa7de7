/** A hosted connector of a test: the real service, and a `fetch` whose requests are noted and can be answered by the test. */
import { connect, Ferrule, type HostedOptions, type KindName } from '../../packages/ferrule/src/index.ts'
import { client, type World } from '../http/support.ts'

/** A request, as the client sent it. */
export interface SentRequest {
  readonly url: string
  readonly init: RequestInit
}

/** Answers a request instead of the service; undefined lets it pass. */
export type Answer = (sent: SentRequest, pass: () => Promise<Response>) => Response | Promise<Response> | undefined

/** Makes a `fetch` that notes what is sent. */
export function watchFetch(answer: Answer = () => undefined) {
  const sent: SentRequest[] = []
  const watched: typeof fetch = async (input, init = {}) => {
    const request = { url: String(input), init }
    sent.push(request)
    return (await answer(request, () => fetch(input, init))) ?? fetch(input, init)
  }
  return { fetch: watched, sent, paths: () => sent.map(({ url }) => new URL(url).pathname) }
}

/** Connects to a world, and notes what is sent. */
export function connectTo<K extends KindName>(world: World, kind: K, more: HostedOptions = {}) {
  return connect(kind, { url: world.url, clientId: client.id, clientSecret: client.secret, ...more })
}

/** Opens a client of a world's service. */
export const openFerrule = (world: World): Ferrule => new Ferrule({ url: world.url, clientId: client.id, clientSecret: client.secret })

/** Reads the body of a request. */
export const readBody = ({ init }: SentRequest): Record<string, unknown> => JSON.parse(String(init.body))

/** Builds an answer with problem details. */
export const problem = (status: number, code: string, headers: Readonly<Record<string, string>> = {}): Response =>
  Response.json({ code, message: `it is ${code}`, hint: 'do this', retryable: true, errors: [] }, { status, headers })
