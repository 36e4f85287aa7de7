import { afterEach, expect, test } from 'vitest'
import type { Engine } from '../../packages/ferrule/src/engine/call/execute.ts'
import type { Connection } from '../../packages/ferrule/src/engine/connection.ts'
import type { CredentialValues } from '../../packages/ferrule/src/engine/credentials/source.ts'
import { fail } from '../../packages/ferrule/src/errors.ts'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { failure } from '../engine/support.ts'
import { createStubEngine } from '../support/engines.ts'
import { share } from '../support/share.ts'
import { connectorBody, createWorld, firstPrincipal, newTenant, oauth, overBoth, refusal, secretOf } from './world.ts'

overBoth('a creation', async (database) => {
  let number = 0
  /** What the vendor does with credentials. */
  const take: Engine['checkAccount'] = async () => undefined
  let check = take
  afterEach(() => {
    check = take
  })
  const world = await share(createWorld(database, 'creation'))
  const platform = await world.open({ engine: () => createStubEngine({ checkAccount: (connection) => check(connection) }) })
  const first = await firstPrincipal(platform)

  /** Creates a tenant, and a body without the permission to create workspaces. */
  const fresh = async () => {
    number += 1
    const principal = await newTenant(platform, first)
    const body = (more: Record<string, unknown> = {}) => connectorBody({ create_workspace: null, name: `Notes ${number}`, ...more })
    return { principal, body }
  }
  const namesOf = async (principal: Principal) => (await platform.workspaces.list(principal, {})).data.map(({ name }) => name)
  const countOf = async (principal: Principal) => (await platform.connectors.list(principal, {})).data.length

  test('in an unknown workspace names those of the organization that are near, and makes it only when that is asked for', async () => {
    const { principal, body } = await fresh()
    const stranger = await newTenant(platform, first)
    await platform.workspaces.create(stranger, { name: 'Salez' })
    for (const name of ['Sales', 'Sales EMEA', 'Finance']) await platform.workspaces.create(principal, { name })
    const error = await failure(platform.connectors.create(principal, body({ workspace_name: 'Slaes' })))
    expect(error).toMatchObject({ code: 'workspace_not_found', status: 404, errors: [{ field: '/workspace_name' }] })
    expect(error.hint).toContain('Near: Sales.')
    expect(error.hint).toContain('create_workspace: true')
    expect(JSON.stringify(error.toProblem())).not.toContain('Salez')
    expect((await namesOf(principal)).toSorted()).toEqual(['Finance', 'Sales', 'Sales EMEA', 'default'])
    const made = await platform.connectors.create(principal, body({ workspace_name: 'Slaes', create_workspace: true }))
    expect(made.workspace_name).toBe('Slaes')
  })

  test('tells all its mistakes at once', async () => {
    const { principal, body } = await fresh()
    const wrong = body({
      workspace_name: 'Nowhere',
      name: '',
      credentials: { api_key: 'x', wrong: 'y' },
      environment: { sandbox: 'yes' },
      entities: [{ entity: 'nothing' }],
      surprise: 1,
    })
    const error = await failure(platform.connectors.create(principal, wrong))
    expect(error).toMatchObject({ code: 'validation_failed', status: 422 })
    const fields = ['/credentials', '/entities/0/entity', '/environment/sandbox', '/name', '/surprise', '/workspace_name']
    expect([...new Set(error.errors.map(({ field }) => field))].toSorted()).toEqual(fields)
    expect(error.errors.find(({ field }) => field === '/workspace_name')?.error_code).toBe('workspace_not_found')
    expect(error.errors.find(({ field }) => field === '/credentials')?.error_code).toBe('credentials_mismatch')
    const kindless = await failure(platform.connectors.create(principal, body({ connector_type: 'nots', workspace_name: 'Nowhere' })))
    expect(kindless.errors.map(({ error_code }) => error_code).toSorted()).toEqual(['connector_type_not_found', 'workspace_not_found'])
  })

  test('with a name that is taken says so before the vendor is asked', async () => {
    const { principal, body } = await fresh()
    await platform.connectors.create(principal, body())
    check = () => Promise.reject(new Error('the vendor was asked'))
    expect(await refusal(platform.connectors.create(principal, body()))).toMatch(/^connector_name_conflict/)
  })

  test('whose credentials the vendor refuses, or that cannot be tried, stores nothing, not even the workspace', async () => {
    const { principal, body } = await fresh()
    const wanted = body({ workspace_name: 'New', create_workspace: true })
    const vendor = 'Good Notes'
    const refusals = [
      [fail('upstream_auth_failed', { vendor, reason: 'status 401' }), 422],
      [fail('upstream_unreachable', { vendor, reason: 'no address' }), 502],
      [fail('upstream_timeout', { vendor, reason: 'no answer within 30 seconds' }), 504],
    ] as const
    for (const [thrown, status] of refusals) {
      check = () => Promise.reject(thrown)
      const error = await failure(platform.connectors.create(principal, wanted))
      expect(error).toMatchObject({ code: thrown.code, status, message: thrown.message })
      expect(error.hint).toContain('check: false')
    }
    expect(await namesOf(principal)).toEqual(['default'])
    expect(await countOf(principal)).toBe(0)
    check = () => Promise.reject(new Error('it was tried'))
    await platform.connectors.create(principal, { ...wanted, check: false })
    expect(await countOf(principal)).toBe(1)
  })

  /** Builds a vendor that accepts each refresh token once, and that can be unavailable afterwards. */
  const singleUse = (state: { isThere: boolean }) => {
    const valid = new Set<string>([oauth.refresh_token])
    const used: string[] = []
    check = async ({ credentials }: Connection) => {
      const opened = await credentials.open()
      await credentials.renew(opened.version, async (current) => {
        const { refresh_token: token = '' } = current.reveal()
        used.push(token)
        if (!valid.delete(token)) throw fail('upstream_auth_failed', { vendor: 'Good Notes', reason: 'the token is spent' })
        const next = `next-${used.length}`
        valid.add(next)
        return secretOf({ ...current.reveal(), refresh_token: next })
      })
      if (!state.isThere) throw fail('upstream_unreachable', { vendor: 'Good Notes', reason: 'no address' })
      return undefined
    }
    return used
  }
  const storedOf = async (principal: Principal, id: string): Promise<CredentialValues> =>
    (await (await platform.connectors.readAccess(principal, id)).connection.credentials.open()).values.reveal()

  test.each([undefined, 'a-key'])('that renews a single-use token keeps it for a repeat (Idempotency-Key %s)', async (idempotencyKey) => {
    const { principal, body } = await fresh()
    const state = { isThere: false }
    const used = singleUse(state)
    const wanted = body({ credentials: oauth, workspace_name: 'Once', create_workspace: true })
    expect(await refusal(platform.connectors.create(principal, wanted, { idempotencyKey }))).toMatch(/^upstream_unreachable/)
    expect(await countOf(principal)).toBe(0)
    const rows = await world.raw().db.selectFrom('connector_creations').selectAll().execute()
    expect(JSON.stringify(rows.map((row) => Buffer.from(row.sealed ?? []).toString('latin1')))).not.toContain('next-1')
    state.isThere = true
    const made = await platform.connectors.create(principal, wanted, { idempotencyKey })
    expect(used).toEqual([oauth.refresh_token, 'next-1'])
    expect(await storedOf(principal, made.id)).toMatchObject({ refresh_token: 'next-2' })
  })

  test('under an Idempotency-Key is made once: a repeat gets the connector, another body is refused', async () => {
    const { principal, body } = await fresh()
    let replays = 0
    const replayed = () => {
      replays += 1
    }
    const trial = { idempotencyKey: 'k', replayed }
    const [one, other] = await Promise.all([1, 2].map(() => platform.connectors.create(principal, body(), trial)))
    const later = await platform.connectors.create(principal, body(), trial)
    expect([other?.id, later.id]).toEqual([one?.id, one?.id])
    expect(replays).toBe(2)
    expect(await refusal(platform.connectors.create(principal, body({ name: 'Other' }), trial))).toMatch(/^idempotency_key_conflict/)
    const stranger = await newTenant(platform, first)
    expect((await platform.connectors.create(stranger, body(), trial)).id).not.toBe(one?.id)
    expect(await refusal(platform.connectors.create(principal, body(), { idempotencyKey: '' }))).toMatch(/^validation_failed/)
  })

  test('is followed by changes that are tried likewise: what is refused leaves the stored credentials as they are', async () => {
    const { principal, body } = await fresh()
    const { id } = await platform.connectors.create(principal, body())
    const before = await storedOf(principal, id)
    check = () => Promise.reject(fail('upstream_auth_failed', { vendor: 'Good Notes', reason: 'status 401' }))
    const change = { credentials: { api_secret: 'another' } }
    const error = await failure(platform.connectors.patch(principal, id, change))
    expect(error).toMatchObject({ code: 'upstream_auth_failed', status: 422 })
    expect(await storedOf(principal, id)).toEqual(before)
    await platform.connectors.patch(principal, id, { ...change, check: false })
    expect(await storedOf(principal, id)).toMatchObject({ api_secret: 'another' })
    const state = { isThere: false }
    const used = singleUse(state)
    expect(await refusal(platform.connectors.patch(principal, id, { credentials: oauth }))).toMatch(/^upstream_unreachable/)
    expect(await storedOf(principal, id)).toMatchObject({ api_secret: 'another' })
    state.isThere = true
    await platform.connectors.patch(principal, id, { credentials: oauth })
    expect(used).toEqual([oauth.refresh_token, 'next-1'])
    expect(await storedOf(principal, id)).toMatchObject({ refresh_token: 'next-2' })
  })
})
