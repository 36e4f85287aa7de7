import { expect, test } from 'vitest'
import type { Principal } from '../../packages/server/src/values/access.ts'
import { share } from '../support/share.ts'
import { createWorld, firstPrincipal, newTenant, overBoth, refusal, scopedPrincipal } from './world.ts'

overBoth('the applications of an organization', async (database) => {
  const world = await share(createWorld(database, 'organization_applications'))
  const platform = await world.open()
  const first = await firstPrincipal(platform)
  const tenant = await newTenant(platform, first)

  const names = async (principal: Principal) => (await platform.organizationApplications.list(principal)).map(({ name }) => name).toSorted()
  const create = (name: string) => platform.organizationApplications.create(tenant, { name })
  const principalOf = async ({ client_id: clientId, client_secret: clientSecret }: { client_id: string; client_secret: string }) =>
    platform.tokens.authenticate((await platform.tokens.issueApplicationToken({ clientId, clientSecret })).access_token, undefined)

  test('are created, get another secret and are deleted', async () => {
    const made = await create('Reports')
    expect(await principalOf(made)).toMatchObject({ organizationId: tenant.organizationId, workspaceIds: null })
    expect(await names(tenant)).toEqual(['First application', 'Reports'])
    expect(await names(first)).toEqual(['First application'])
    const rotated = await platform.organizationApplications.rotateSecret(tenant, made.id)
    expect(await refusal(principalOf(made))).toMatch(/^invalid_client: /)
    const self = await principalOf(rotated)
    expect(await refusal(platform.organizationApplications.remove(self, made.id))).toContain('cannot delete itself')
    expect(await platform.organizationApplications.remove(tenant, made.id)).toMatchObject({ id: made.id })
    expect(await names(tenant)).toEqual(['First application'])
    expect(await refusal(principalOf(rotated))).toMatch(/^invalid_client: /)
  })

  test('of two that delete each other at the same time one stays, every time', async () => {
    for (let round = 1; round <= 5; round += 1) {
      const [one, other] = [await create('One'), await create('Other')]
      const [oneSelf, otherSelf] = [await principalOf(one), await principalOf(other)]
      const ended = await Promise.allSettled([
        platform.organizationApplications.remove(oneSelf, other.id),
        platform.organizationApplications.remove(otherSelf, one.id),
      ])
      expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      const left = await platform.organizationApplications.list(tenant)
      expect(left).toHaveLength(2)
      for (const { id, name } of left) if (name !== 'First application') await platform.organizationApplications.remove(tenant, id)
    }
  })

  test('keep their secret while they reach other organizations', async () => {
    const shared = await create('Shared')
    await platform.applications.grant(shared.client_id, first.organizationId)
    expect(await refusal(platform.organizationApplications.rotateSecret(tenant, shared.id))).toContain('reaches other organizations too')
    expect(await refusal(platform.organizationApplications.remove(tenant, shared.id))).toContain('reaches other organizations too')
    await platform.applications.revoke(shared.client_id, first.organizationId)
    const rotated = await platform.organizationApplications.rotateSecret(tenant, shared.id)
    expect((await principalOf(rotated)).applicationId).toBe(shared.id)
  })

  test('are closed to a revoked application and to tokens of one workspace', async () => {
    const made = await create('Revoked')
    const revoked = await principalOf(made)
    await platform.applications.revoke(made.client_id, tenant.organizationId)
    const scoped = { ...(await scopedPrincipal(platform, tenant, 'default')), scopes: tenant.scopes }
    for (const principal of [revoked, scoped]) {
      expect(await refusal(platform.organizationApplications.list(principal))).toMatch(/^organization_forbidden: /)
      expect(await refusal(platform.organizationApplications.create(principal, { name: 'Late' }))).toMatch(/^organization_forbidden: /)
    }
    expect(await refusal(platform.organizations.update(revoked, tenant.organizationId, { name: 'Late' }))).toMatch(
      /^organization_forbidden: /,
    )
    expect(await names(tenant)).not.toContain('Late')
  })
})
