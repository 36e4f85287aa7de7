/** Sessions of the console, on both databases and with two nodes. */
import { expect, test } from 'vitest'
import { share } from '../support/share.ts'
import { createWorld, firstPrincipal, newTenant, openBeside, overBoth, refusal } from './world.ts'

const minuteMs = 60_000

overBoth('sessions of the console', async (database) => {
  const world = await share(createWorld(database, 'sessions'))
  const platform = await world.open()
  const sessions = platform.consoleSessions
  /** The same sessions on another node. */
  const other = (await openBeside(world)).consoleSessions
  const first = await firstPrincipal(platform)
  const tenant = await newTenant(platform, first)
  const organizationIds = [first.organizationId, tenant.organizationId] as const
  const made = await platform.applications.create({ name: 'Console', organizationId: first.organizationId })
  await platform.applications.grant(made.clientId, tenant.organizationId)
  /** An application of two organizations. */
  const client = { clientId: made.clientId, clientSecret: made.clientSecret.reveal() }

  const start = async () => (await sessions.start(client)).id

  test('a session reaches each organization of its application on every node, and none by accident', async () => {
    const id = await start()
    for (const organizationId of organizationIds)
      expect(await other.authenticate(id, organizationId)).toMatchObject({ organizationId, workspaceIds: null, connectorIds: null })
    expect(await refusal(other.authenticate(id, undefined))).toContain('organization_required')
    expect(await other.authenticateCaller(id)).toMatchObject({ kind: 'application', organizationId: null })
  })

  test('a use on one node keeps it alive on the other, and a look does not', async () => {
    const [used, watched] = [await start(), await start()]
    const { token } = await other.authenticateCaller(watched)
    world.now += 29 * minuteMs
    await other.authenticateCaller(used)
    expect(await other.isHeld(token.sessionDigest ?? '')).toBe(true)
    world.now += 2 * minuteMs
    expect([await sessions.isAlive(used), await sessions.isAlive(watched)]).toEqual([true, false])
    expect(await refusal(sessions.authenticateCaller(watched))).toContain('session_ended')
    world.now += 30 * minuteMs
    expect(await sessions.isAlive(used)).toBe(false)
  })

  test('an application has at most 200 sessions: a further sign-in ends the oldest', async () => {
    const oldest = await start()
    world.now += 1
    const ids = await Promise.all(Array.from({ length: 200 }, start))
    expect(await sessions.isAlive(oldest)).toBe(false)
    expect(await Promise.all(ids.map((id) => sessions.isAlive(id)))).not.toContain(false)
    await other.end(ids[0] ?? '', { isEverywhere: true })
    expect(await Promise.all(ids.map((id) => sessions.isAlive(id)))).not.toContain(true)
  })

  test('an end counts on every node at once: of the session, of the secret, of the application', async () => {
    const [left, kept] = [await start(), await start()]
    await sessions.end(left)
    await sessions.end('nonsense')
    expect([await other.isAlive(left), await other.isAlive(kept)]).toEqual([false, true])
    await platform.applications.rotate(client.clientId)
    expect(await other.isAlive(kept)).toBe(false)
    expect(await refusal(start())).toContain('invalid_client')
    const made = await platform.applications.create({ name: 'Short', organizationId: organizationIds[0] })
    const { id } = await sessions.start({ clientId: made.clientId, clientSecret: made.clientSecret.reveal() })
    await platform.applications.delete(made.clientId)
    expect(await other.isAlive(id)).toBe(false)
  })
})
