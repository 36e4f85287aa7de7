/** Wrong uses of the platform's client: each is a compile error. Compiled by the type check, never run. */
import { Ferrule } from '../../packages/ferrule/src/index.ts'

const ferrule = new Ferrule()
const { applications, organizations, workspaces, connectors, syncs, contextStore, definitions, tokens, jobs } = ferrule

// @ts-expect-error an option that there is not
new Ferrule({ URL: 'https://ferrule.example.com' })
// @ts-expect-error the address is a text
new Ferrule({ url: new URL('https://ferrule.example.com') })
// @ts-expect-error a session is a page's or it is not
new Ferrule({ session: 'yes' })
// @ts-expect-error the resources are the client's own
ferrule.workspaces = workspaces

// @ts-expect-error an organization needs a name
await organizations.create({})
// @ts-expect-error the list is not paged
await organizations.page()
// @ts-expect-error organizations are not found by a name
await organizations.list({ name: 'Second' })

// @ts-expect-error a list has no secrets
;(await applications.list())[0]?.client_secret
// @ts-expect-error an application is named by its id
await applications.rotateSecret({ client_id: 'id' })
// @ts-expect-error the service makes the secret
await applications.create({ name: 'n', client_secret: 'secret' })

// @ts-expect-error a status that there is not
workspaces.list({ status: 'deleted' })
// @ts-expect-error the name of the member has an underscore
workspaces.list({ nameContains: 'a' })
// @ts-expect-error the size of a page is a number
await workspaces.page({ limit: '10' })
// @ts-expect-error the next page is null at the end
await workspaces.page((await workspaces.page()).next)
// @ts-expect-error an iterator has no length
workspaces.list().length
// @ts-expect-error a creation names no status
await workspaces.create({ name: 'n', status: 'active' })
// @ts-expect-error the change is required
await workspaces.update('id')
// @ts-expect-error ids are texts
await workspaces.get(1)
// @ts-expect-error a workspace's creation takes no key
await workspaces.create({ name: 'n' }, { idempotencyKey: 'key' })
// @ts-expect-error records are read-only
;(await workspaces.get('id')).name = 'n'

// @ts-expect-error credentials are required
await connectors.create({ name: 'n', connector_type: 'gong' })
// @ts-expect-error a name is required
await connectors.create({ credentials: {} })
// @ts-expect-error credentials are fields
await connectors.create({ name: 'n', credentials: 'secret' })
// @ts-expect-error a member that there is not
await connectors.create({ name: 'n', credentials: {}, kind: 'gong' })
// @ts-expect-error credentials are changed by patch
await connectors.update('id', { credentials: {} })
// @ts-expect-error a mode that there is not
await connectors.patch('id', { entities: [{ entity: 'users', modes: ['delete'] }] })
// @ts-expect-error a check that is not stored needs the whole connector
await connectors.checkNew({ credentials: {} })
// @ts-expect-error the answer has no credentials
;(await connectors.get('id')).credentials
// @ts-expect-error without wait the answer is the id of the job only
;(await connectors.delete('id')).finished_at
// @ts-expect-error a list of connectors is no promise
;(await connectors.list()).data

// @ts-expect-error a mode that there is not
await syncs.start('id', { mode: 'quick' })
// @ts-expect-error entities are a list
await syncs.start('id', { entities: 'users' })
// @ts-expect-error a run is named by its connector and itself
await syncs.get('id')
// @ts-expect-error a state that there is not
syncs.list('id', { state: 'done' })
// @ts-expect-error a stream is not awaited but walked
;(await syncs.watch('id', 'run')).state
// @ts-expect-error a stream ends when all is filled, or not at all
contextStore.watch('id', { until: 'ready' })
// @ts-expect-error the interval is a number of seconds
await contextStore.schedule('id', { interval_seconds: '1h' })
// @ts-expect-error entities are a list here, although the address has them as a text
await contextStore.reset('id', { entities: 'users,calls' })

// @ts-expect-error kinds are found by their name
await definitions.list({ connector_type: 'gong' })
// @ts-expect-error a scoped token is for one workspace, by its name
await tokens.create({ workspace_id: 'id' })
// @ts-expect-error jobs are not listed
await jobs.list()
// @ts-expect-error a method that routes do not have
await ferrule.request('HEAD', '/')
// @ts-expect-error a path is a text
await ferrule.request('GET', new URL('https://ferrule.example.com'))
// @ts-expect-error a member of a query is no object
await ferrule.request('GET', '/', { query: { a: {} } })
// @ts-expect-error an unknown value must be checked before it is used
;(await (await ferrule.request('GET', '/')).json()).data

// @ts-expect-error words are a text
await ferrule.search({ text: ['acme'] })
// @ts-expect-error a member that there is not
await ferrule.search({ text: 'acme', connector: 'id' })
