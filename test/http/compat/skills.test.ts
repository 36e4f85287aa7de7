import { describe, expect, test } from 'vitest'
import { share } from '../../support/share.ts'
import { base, connectorsPath, type Json, startWorld } from '../support.ts'
import { recordedClient, shownText } from './support.ts'

const world = await share(startWorld())
const gong = await world.connect('calls')
const clients = { sdk: await recordedClient(world, 'sdk'), packages: await recordedClient(world, 'packages') }

const both = ['sdk', 'packages'] as const

describe('the documents for agents', () => {
  test.each(both)('are found by an inspection, and read section by section: %s', async (name) => {
    const client = clients[name]
    const inspected = await client.send(`${connectorsPath}/${gong}/inspect`)
    const id = inspected.json.docs_skill_id
    const outline = await client.send(`${base}/skills/docs?id=${id}`)
    expect(outline.json).toMatchObject({ id: 'gong', section_id: null, metadata: { id: 'gong', title: 'Gong', warnings: [] } })
    // PyAirbyte names its workspace and its organization too.
    const { workspace_id, organization_id } = inspected.json
    const tenant = `workspace_id=${workspace_id}&organization_id=${organization_id}`
    expect((await client.send(`${base}/skills/docs?id=${id}&${tenant}`)).json).toEqual(outline.json)
    expect((await client.send(`${base}/skills?limit=100&${tenant}`)).json.data).toHaveLength(4)
    const ids = outline.json.outline.map((section: Json) => section.id)
    expect(ids).toEqual(expect.arrayContaining(['calls', 'credentials', 'configuration', 'entity:users', 'entity:call_audio']))
    for (const section of ids) {
      const { json } = await client.send(`${base}/skills/docs?id=${id}&section=${encodeURIComponent(section)}`)
      expect([json.section_id, json.content.length > 0]).toEqual([section, true])
      expect(JSON.stringify(json.content)).not.toContain('](../')
    }
    const unknown = await client.send(`${base}/skills/docs?id=${id}&section=entity:none`)
    expect([unknown.status, shownText(unknown)]).toEqual([422, expect.stringMatching(/^\/section must be one of: calls, .*entity:users/)])
    expect((await client.send(`${base}/skills/docs?id=none`)).json.code).toBe('connector_type_not_found')
  })

  test('are listed page by page', async () => {
    const client = clients.sdk
    const seen: string[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const page = await client.send(`${base}/skills?limit=3${cursor === '' ? '' : `&cursor=${cursor}`}`)
      seen.push(...page.json.data.map(({ id }: Json) => id))
      cursor = page.json.next_cursor
    }
    expect(seen.toSorted()).toEqual(['gong', 'shopify', 'snowflake', 'tiktok-marketing'])
    expect((await client.send(`${base}/skills?cursor=other`)).json.code).toBe('invalid_cursor')
  })
})
