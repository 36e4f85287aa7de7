/** What the tests of the warehouse over HTTP share. */
import { expect } from 'vitest'
import { snowflakeCredentials as known } from '../../packages/sandbox/src/index.ts'
import { configuration } from '../library/snowflake-support.ts'
import { type Answer, connectorsPath, type Json, sandboxConnector, type World } from './support.ts'

/** Body of a connector of the sandbox's warehouse, or of some vendor's where `more` says so. */
export const sandboxWarehouse = (name: string, more: object = {}) => ({
  ...sandboxConnector(name),
  connector_type: 'snowflake',
  credentials: { programmatic_access_token: known.token },
  replication_config: configuration,
  ...more,
})

/** A client of the service that remembers all that it was sent. */
export interface Client {
  /** A request about connectors. */
  ask(path: string, method: string, body?: unknown): Promise<Answer>
  /** A connector with the documented context and token, or others. @returns its id */
  create(name: string, more?: object): Promise<string>
  record(connectorId: string): Promise<Json>
  check(connectorId: string, body?: unknown): Promise<Json>
  execute(connectorId: string, call: { readonly entity: string; readonly action: string; readonly params?: object }): Promise<Answer>
  /** Fails when a secret is in something that the client was sent, or one of these texts or a secret is in the log. */
  expectSecrecy(...texts: string[]): void
}

/** A client of a world. */
export function clientOf(world: World): Client {
  const sent: string[] = []
  const secrets: string[] = [known.token, known.restrictedToken, known.readOnlyToken, known.expiredToken, known.noPolicyToken]
  const kept = (answer: Answer): Answer => {
    sent.push(answer.text)
    return answer
  }
  const ask: Client['ask'] = async (path, method, body) =>
    kept(await world.ask(`${connectorsPath}${path}`, { method, token: world.token, ...(body === undefined ? {} : { body }) }))
  return {
    ask,
    create: async (name, more) => String((await ask('', 'POST', sandboxWarehouse(name, { check: false, ...more }))).json.id),
    record: async (id) => (await ask(`/${id}`, 'GET')).json,
    check: async (id, body) => (await ask(`/${id}/check`, 'POST', body)).json,
    execute: async (id, call) => kept(await world.execute(id, call)),
    expectSecrecy: (...texts) => {
      for (const secret of secrets) expect(sent.filter((text) => text.includes(secret))).toEqual([])
      for (const text of [...secrets, ...texts]) expect(world.log.filter((line) => line.includes(text))).toEqual([])
    },
  }
}
