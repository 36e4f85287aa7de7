/** What the tests of advertising over HTTP share. */
import { expect } from 'vitest'
import { writeJson } from '../../packages/ferrule/src/values/json/json.ts'
import { tiktokCredentials as known, type RecordedRequest } from '../../packages/sandbox/src/index.ts'
import { execute, freshCode, type Tiktok } from '../library/tiktok-support.ts'
import { type Answer, connectorsPath, type Json, sandboxConnector, type World } from './support.ts'

/** Body of a connector of the sandbox's advertiser accounts, or of some vendor's where `more` says so. */
export const sandboxAds = (name: string, more: object = {}) => ({
  ...sandboxConnector(name),
  connector_type: 'tiktok-marketing',
  credentials: { access_token: known.accessToken },
  ...more,
})

/** One list, as text: what the service sends, or what a program would write of the library's answer. Nothing is read as a double. */
export type ListText = (entity: string, params: object) => Promise<string>

/** The lists of a connector over HTTP. @throws when it is refused */
export const hostedText =
  (world: World, connectorId: string): ListText =>
  async (entity, params) => {
    const { status, text } = await world.execute(connectorId, { entity, action: 'list', params })
    if (status !== 200) throw new Error(`${status}: ${text}`)
    return text
  }

/** The lists of a connector of the library. */
export const libraryText =
  (connector: Tiktok): ListText =>
  async (entity, params) =>
    writeJson(await execute(connector, entity, 'list', params))

/** A client of the service that remembers all that it was sent. */
export interface Client {
  /** A request about connectors. */
  ask(path: string, method: string, body?: unknown): Promise<Answer>
  /** A connector with the documented token, or other credentials. @returns its id */
  create(name: string, replication_config?: object, credentials?: object): Promise<string>
  record(connectorId: string): Promise<Json>
  check(connectorId: string, body?: unknown): Promise<Json>
  list(connectorId: string, entity: string, params?: object): Promise<Answer>
  /** A code of the consent page, good for one exchange. */
  code(): Promise<string>
  /** Exchanges that the vendor met. */
  exchanges(): readonly RecordedRequest[]
  /** Fails when a secret is in something that the client was sent, or in the log. */
  expectSecrecy(...further: string[]): void
}

/** A client of a world. */
export function clientOf(world: World): Client {
  const sent: string[] = []
  const secrets = new Set<string>([known.accessToken, known.secret, known.expiredToken, known.revokedToken])
  const kept = (answer: Answer): Answer => {
    sent.push(answer.text)
    return answer
  }
  const ask: Client['ask'] = async (path, method, body) =>
    kept(await world.ask(`${connectorsPath}${path}`, { method, token: world.token, ...(body === undefined ? {} : { body }) }))
  return {
    ask,
    create: async (name, replication_config = {}, credentials) => {
      const body = sandboxAds(name, { check: false, replication_config, ...(credentials === undefined ? {} : { credentials }) })
      return String((await ask('', 'POST', body)).json.id)
    },
    record: async (id) => (await ask(`/${id}`, 'GET')).json,
    check: async (id, body) => (await ask(`/${id}/check`, 'POST', body)).json,
    list: async (id, entity, params = {}) => kept(await world.execute(id, { entity, action: 'list', params })),
    code: async () => {
      const made = await freshCode(world.sandbox)
      secrets.add(made)
      return made
    },
    exchanges: () => world.sandbox.tiktok.requests().filter(({ method }) => method === 'POST'),
    expectSecrecy: (...further) => {
      for (const secret of [...secrets, ...further]) expect([...sent, ...world.log].filter((text) => text.includes(secret))).toEqual([])
    },
  }
}
