/** Kinds of organizations on both databases: versions, counts, what stays, and consents that a publication ends. */
import { expect, test } from 'vitest'
import { readDocument, readUpload } from '../../packages/server/src/main/kinds/read-upload.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { createStubEngine } from '../support/engines.ts'
import { share } from '../support/share.ts'
import { connectorBody, createWorld, firstPrincipal, newTenant, overBoth, refusal, scopedPrincipal } from './world.ts'

const print = (number: number, host = 'api.acme.example.com'): string => `
kind: acme
title: Acme Desk
category: help desk
about: Tickets of customers
docs: https://acme.example.com/docs
api: https://${host}
auth: { token: { title: Token, fields: { token: secret Token }, send: { authorization: 'Bearer {token}' } } }
check: tickets.list
entities:
  tickets: { about: Questions ${number}, fields: { id: integer Id }, list: { call: GET /tickets, pages: none } }
`

overBoth('kinds of organizations', async (database) => {
  /** Runs while the credentials of a new connector are tried. */
  let meanwhile = async (): Promise<unknown> => undefined
  const world = await share(createWorld(database, 'own-kinds'))
  const engine = createStubEngine()
  const checkAccount: typeof engine.checkAccount = async (...given) => {
    await meanwhile()
    return engine.checkAccount(...given)
  }
  const platform = await world.open({
    readUploads: { kind: readUpload, document: readDocument },
    engine: () => ({ ...engine, checkAccount }),
  })
  const first = await firstPrincipal(platform)
  const connect = (principal: Principal, name: string, workspace = 'default') =>
    platform.connectors.create(
      principal,
      connectorBody({ name, workspace_name: workspace, connector_type: 'acme', credentials: { token: 't' }, check: false }),
    )

  test('keep versions that a connector runs, and the newest twenty others', async () => {
    const principal = await newTenant(platform, first)
    await platform.ownKinds.publish(principal, 'acme', { file: print(1) })
    const connector = await connect(principal, 'First')
    for (let version = 2; version <= 24; version += 1) await platform.ownKinds.publish(principal, 'acme', { file: print(version) })
    const { data } = await platform.ownKinds.listVersions(principal, 'acme')
    expect(data.map(({ version }) => version)).toEqual([...Array.from({ length: 21 }, (_each, index) => 24 - index), 1])
    expect(data.at(-1)).toMatchObject({ version: 1, connectors: 1 })
    expect((await platform.ownKinds.get(principal, 'acme', { version: '1' })).file).toBe(print(1))
    expect(await refusal(platform.ownKinds.get(principal, 'acme', { version: '2' }))).toContain('kind_not_found')
    const { connection } = await platform.connectors.readAccess(principal, connector.id)
    expect(connection.kind.definition.entities['tickets']?.about).toBe('Questions 1')
    expect((await platform.connectors.list(principal, { connector_type: 'acme' })).data.map(({ name }) => name)).toEqual(['First'])
    expect(
      (await platform.connectors.list(principal, { definition_id: (await platform.ownKinds.list(principal)).data[0]?.id })).data,
    ).toHaveLength(1)
  })

  test('are counted and deleted in their organization only', async () => {
    const [one, two] = [await newTenant(platform, first), await newTenant(platform, first)]
    for (const principal of [one, two]) await platform.ownKinds.publish(principal, 'acme', { file: print(1) })
    const connector = await connect(one, 'Mine')
    expect((await platform.ownKinds.list(one)).data).toMatchObject([{ slug: 'acme', connectors: 1 }])
    expect((await platform.ownKinds.list(two)).data).toMatchObject([{ slug: 'acme', connectors: 0 }])
    expect(await refusal(platform.ownKinds.remove(one, 'acme'))).toContain('kind_in_use')
    await platform.ownKinds.remove(two, 'acme')
    expect((await platform.connectors.get(one, connector.id)).kind_version).toBe(1)
    expect(await refusal(platform.connectors.get(two, connector.id))).toContain('connector_not_found')
  })

  test('that are deleted while credentials are tried get no connector', async () => {
    const principal = await newTenant(platform, first)
    await platform.ownKinds.publish(principal, 'acme', { file: print(1) })
    meanwhile = () => platform.ownKinds.remove(principal, 'acme')
    const body = connectorBody({ connector_type: 'acme', credentials: { token: 't' } })
    expect(await refusal(platform.connectors.create(principal, body))).toContain('kind_not_found')
    meanwhile = async () => undefined
    expect((await platform.connectors.list(principal, {})).data).toEqual([])
  })

  test('belong to the whole organization: a token of a workspace changes none', async () => {
    const principal = await newTenant(platform, first)
    const scoped = { ...(await scopedPrincipal(platform, principal, 'Scoped')), scopes: principal.scopes }
    await platform.ownKinds.publish(principal, 'acme', { file: print(1) })
    expect(await refusal(platform.ownKinds.publish(scoped, 'acme', { file: print(2) }))).toContain('organization_forbidden')
    expect(await refusal(platform.ownKinds.remove(scoped, 'acme'))).toContain('organization_forbidden')
    expect((await connect(scoped, 'Scoped', 'Scoped')).connector_type).toBe('acme')
  })

  test('get tables of their own from the operator, until a version needs others', async () => {
    const [one, two] = [await newTenant(platform, first), await newTenant(platform, first)]
    for (const principal of [one, two]) await platform.ownKinds.publish(principal, 'acme', { file: print(1) })
    const [connector, other] = [await connect(one, 'Mine'), await connect(two, 'Theirs')]
    const kinds = async () =>
      (await platform.kindPromotions.list()).filter(({ organizationId }) =>
        [one, two].some((each) => each.organizationId === organizationId),
      )
    const [mine, theirs] = (await kinds()).toSorted((each) => (each.organizationId === one.organizationId ? -1 : 1))
    const isPromoted = async () => (await platform.connectors.readAccess(one, connector.id)).own?.isPromoted === true
    const name = mine?.name ?? ''
    for (const _time of [1, 2]) expect(await platform.kindPromotions.set(name, true)).toMatchObject({ version: 2 })
    expect(await isPromoted()).toBe(true)
    expect((await platform.connectors.get(one, connector.id)).kind_version).toBe(2)
    expect((await platform.connectors.get(two, other.id)).kind_version).toBe(1)
    expect(await kinds()).toContainEqual(theirs)
    // Another sentence needs no other tables, another field does.
    expect(await platform.ownKinds.publish(one, 'acme', { file: print(2) })).toMatchObject({ version: 3, class: 'text' })
    await platform.connectors.patch(one, connector.id, { kind_version: 3 })
    expect(await isPromoted()).toBe(true)
    const wider = print(2)
      .replace('id: integer Id', 'id: integer Id, state: string State')
      .replace('pages: none }', 'pages: none }, sync: {}')
    const told = await platform.ownKinds.check(one, 'acme', { file: wider })
    expect([told.class, told.changes[0]?.message]).toEqual(['remade', 'its records are in the table of all kinds of organizations again'])
    expect(await platform.ownKinds.publish(one, 'acme', { file: wider })).toMatchObject({ version: 4, class: 'remade' })
    await platform.connectors.patch(one, connector.id, { kind_version: 4 })
    expect(await isPromoted()).toBe(false)
    expect(await platform.kindPromotions.set(name, true)).toEqual({ version: 5, connectors: 1 })
    expect(await platform.kindPromotions.set(name, false)).toEqual({ version: 6, connectors: 1 })
    expect(await isPromoted()).toBe(false)
    for (const unknown of ['acme', name.replace('acme', 'other'), `${name.slice(0, -1)}~`])
      expect(await refusal(platform.kindPromotions.set(unknown, true))).toContain('kind_not_found')
  })

  test('two publications at once make two versions, or one is told of the other', async () => {
    const principal = await newTenant(platform, first)
    const ends = await Promise.allSettled([1, 2, 3].map((number) => platform.ownKinds.publish(principal, 'acme', { file: print(number) })))
    const made = ends.flatMap((end) => (end.status === 'fulfilled' ? [end.value.version] : []))
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [Reflect.get(Object(end.reason), 'code')] : []))
    expect(made.toSorted()).toEqual(made.map((_each, index) => index + 1))
    expect(refused.filter((code) => code !== 'kind_changed')).toEqual([])
    expect((await platform.ownKinds.listVersions(principal, 'acme')).data).toHaveLength(made.length)
  })

  test('whose host an account names ask for the credentials again when it changes', async () => {
    const principal = await newTenant(platform, first)
    const file = print(1).replace('api: https://api.acme.example.com', "api: 'https://{server}'\nconfiguration: { server: host Host }")
    await platform.ownKinds.publish(principal, 'acme', { file })
    const body = { connector_type: 'acme', credentials: { token: 't' }, check: false, replication_config: { server: 'one.example.com' } }
    const { id } = await platform.connectors.create(principal, connectorBody(body))
    const moved = { replication_config: { server: 'two.example.com' } }
    expect(await refusal(platform.connectors.patch(principal, id, moved))).toContain('two.example.com')
    expect(await refusal(platform.connectors.update(principal, id, moved))).toContain('two.example.com')
    await platform.connectors.patch(principal, id, { replication_config: { server: 'https://one.example.com/' } })
    const changed = await platform.connectors.patch(principal, id, { ...moved, credentials: { token: 'other' }, check: false })
    expect(changed.replication_config).toEqual({ server: 'two.example.com' })
  })

  test('that sign in by a call get a new token for a new password', async () => {
    const principal = await newTenant(platform, first)
    const login = "login: { call: POST /session, send: { user: '{user}', password: '{password}' }, token: token }"
    const way = `auth: { user: { title: User, fields: { user: string User, password: secret Password }, ${login} } }`
    await platform.ownKinds.publish(principal, 'acme', { file: print(1).replace(/auth: .*/, way) })
    const credentials = { user: 'ada', password: 'old', access_token: 'of-the-old' }
    const { id } = await platform.connectors.create(principal, connectorBody({ connector_type: 'acme', credentials, check: false }))
    const read = async () => (await (await platform.connectors.readAccess(principal, id)).connection.credentials.open()).values.reveal()
    expect(await read()).toEqual(credentials)
    await platform.connectors.patch(principal, id, { credentials: { password: 'new' }, check: false })
    expect(await read()).toEqual({ user: 'ada', password: 'new' })
  })
})
