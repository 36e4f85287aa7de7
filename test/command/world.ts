/** A service with copies, a profile that reaches it, and connectors to the sandbox. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { startCopyWorld } from '../http/search-support.ts'
import { client, sandboxConnector, type World, type WorldOptions } from '../http/support.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { buildPackage, startKindRegistry } from './kind-registry.ts'
import { type Caller, writeProfile } from './support.ts'

/** A world, and a folder with the files that commands read. */
export interface CommandWorld {
  readonly world: World
  readonly caller: Caller & { readonly folder: string }
  close(): Promise<void>
}

/** Parameters of a download of a call's media. */
export const mediaParams = (world: World) => ({
  filter: { callIds: [world.sandbox.gong.world.callId] },
  contentSelector: { exposedFields: { media: true } },
})

const thing = (id: number) => ({ id: `t${id}`, name: 'Lamp', created_at: `2026-01-0${id}T00:00:00Z` })
const said = { source: 'document', from: 'https://api.acme.example' }
/** Recordings of the kind that `kind new` writes. */
const thingRecordings = JSON.stringify({
  kind: 'acme',
  recordings: [
    {
      ...{ ...said, call: 'things.list', data: [thing(1), thing(2)] },
      exchanges: [
        { request: 'GET /things?limit=100', answer: { body: { data: [thing(1)], next_cursor: 'c' } } },
        { request: 'GET /things?limit=100&cursor=c', answer: { body: { data: [thing(2)] } } },
      ],
    },
    {
      ...{ ...said, call: 'things.get', params: { id: 't1' }, data: thing(1) },
      exchanges: [{ request: 'GET /things/t1', answer: { body: thing(1) } }],
    },
  ],
})

/** Plays the vendor of the kind that `kind new` writes. @returns the variables with its address and its token */
async function startThings() {
  const server = createServer(({ url, headers }, response) => {
    const body = headers.authorization === 'Bearer k3y' ? (url?.startsWith('/things?') ? { data: [thing(1)] } : thing(1)) : {}
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const { origin, close } = await listen(server)
  return { env: { ACME_TOKEN: 'k3y', ACME_ORIGIN: origin }, close }
}

/** Starts a world for the test file or the suite around. Nothing is synced until `world.context.worker` starts. */
export async function startCommandWorld(options: WorldOptions = {}): Promise<CommandWorld> {
  const world = await startCopyWorld('postgres', options)
  const folder = makeFolder('command')
  writeProfile(folder, { url: world.url, client_id: client.id, client_secret: client.secret })
  const { workspace_name: _, connector_type: __, ...file } = sandboxConnector('gong')
  // A copy of everything would take minutes.
  const entities = ['users', 'calls'].map((entity) => ({ entity }))
  writeFileSync(join(folder, 'gong.json'), JSON.stringify({ ...file, entities }))
  writeFileSync(join(folder, 'identity.json'), JSON.stringify({ client_id: client.id, client_secret: client.secret }))
  writeFileSync(join(folder, 'new-credentials.json'), JSON.stringify({ credentials: file.credentials }))
  writeFileSync(join(folder, 'media.json'), JSON.stringify(mediaParams(world)))
  writeFileSync(join(folder, 'acme.recordings.json'), thingRecordings)
  const things = await startThings()
  const registry = await startKindRegistry()
  registry.publish(await buildPackage('ferrule-kind-acme', '1.0.0'))
  return {
    world,
    caller: { config: folder, folder, env: { ...things.env, npm_config_registry: registry.url } },
    close: async () => {
      await things.close()
      await registry.close()
      await world.close()
    },
  }
}
