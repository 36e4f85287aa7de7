/** What the tests of advertising over HTTP share. */
import { writeJson } from '../../src/engine/json.ts'
import { tiktokCredentials as known } from '../../src/sandbox/index.ts'
import { execute, type Tiktok } from '../library/tiktok-support.ts'
import { sandboxConnector, type World } from './support.ts'

/** Body of a connector of the sandbox's advertiser accounts, or of some vendor's where `more` says so. */
export const sandboxAds = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
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
