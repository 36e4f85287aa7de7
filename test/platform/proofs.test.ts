/** Proofs of accepted credentials survive restarts, until the credentials change. */
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { computeBudgetKey } from '../../packages/ferrule/src/engine/limits/limits.ts'
import type { Platform } from '../../packages/server/src/main/platform-types.ts'
import { connectorBody, createWorldOfTest, firstPrincipal, keyPair, overBoth, secretOf } from './world.ts'

const budget = computeBudgetKey('notes', 'an account')

overBoth('credentials that proved themselves', (database) => {
  async function scene() {
    const world = await createWorldOfTest(database, 'proofs')
    const platform = await world.open()
    const principal = await firstPrincipal(platform)
    const { id } = await platform.connectors.create(principal, connectorBody())
    const proofOf = async (of: Platform) => {
      const { proof, credentials } = (await of.connectors.readAccess(principal, id)).connection
      if (proof === undefined) throw new Error('a stored connector keeps its proof')
      return { proof, values: (await credentials.open()).values }
    }
    const holds = async (of: Platform, key = budget) => {
      const { proof, values } = await proofOf(of)
      return proof.holds(key, values)
    }
    const stored = async () =>
      (await sql<{ proof: string | null }>`select proof from connectors`.execute(world.raw().db)).rows.map(({ proof }) => proof)
    return { world, platform, principal, id, proofOf, holds, stored }
  }
  /** Proves credentials. The proof is written beside the call and is stored when the platform has closed. */
  const prove = async ({ platform, proofOf }: Awaited<ReturnType<typeof scene>>, taken = true) => {
    const { proof, values } = await proofOf(platform)
    proof.keep(budget, values, taken)
    await platform.close()
  }

  test('are known after a restart, for their budget alone, by a digest that tells nothing of them', async () => {
    const given = await scene()
    expect(await given.holds(given.platform)).toBe(false)
    await prove(given)
    const next = await given.world.open()
    expect([await given.holds(next), await given.holds(next, computeBudgetKey('notes', 'another account'))]).toEqual([true, false])
    const [proof = ''] = await given.stored()
    expect(proof).toMatch(/^[\w-]{43}$/)
  })

  test('are unknown once there are new ones, also when the old ones come back', async () => {
    const given = await scene()
    await prove(given)
    const next = await given.world.open()
    await next.connectors.patch(given.principal, given.id, { credentials: { api_key: 'another', api_secret: 'another-secret' } })
    expect([await given.holds(next), await given.stored()]).toEqual([false, [null]])
    await next.connectors.patch(given.principal, given.id, { credentials: keyPair })
    expect(await given.holds(next)).toBe(false)
  })

  test('are unknown after a renewal of the token', async () => {
    const given = await scene()
    await prove(given)
    const next = await given.world.open()
    const { credentials } = (await next.connectors.readAccess(given.principal, given.id)).connection
    await credentials.renew((await credentials.open()).version, async () => secretOf({ ...keyPair, api_secret: 'renewed' }))
    expect([await given.holds(next), await given.stored()]).toEqual([false, [null]])
  })

  test('are unknown after the vendor has refused them', async () => {
    const given = await scene()
    await prove(given)
    const next = await given.world.open()
    await prove({ ...given, platform: next }, false)
    expect(await given.holds(await given.world.open())).toBe(false)
  })

  test('that came too late for the version they belong to change nothing', async () => {
    const given = await scene()
    const { proof, values } = await given.proofOf(given.platform)
    await given.platform.connectors.patch(given.principal, given.id, { credentials: { api_key: 'other', api_secret: 'other-secret' } })
    proof.keep(budget, values, true)
    await given.platform.close()
    expect(await given.stored()).toEqual([null])
  })

  test('have another digest in another installation', async () => {
    const one = await scene()
    await prove(one)
    const two = await scene()
    await prove(two)
    const [[first], [second]] = [await one.stored(), await two.stored()]
    if (database === 'sqlite') expect(first).not.toBe(second)
    else expect(first).toBe(second) // both have the same master key in their settings
  })
})
