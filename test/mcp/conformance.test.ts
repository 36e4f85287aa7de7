/**
 * The protocol's own conformance suite. It expects tools, prompts and resources of a fixture, so our mount is judged by the full sets with
 * the fixture behind it. The product's endpoint is judged by the scenarios that need nothing of the fixture.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startWorld } from '../http/support.ts'
import { share } from '../support/share.ts'
import { startBearerProxy } from './bearer-proxy.ts'
import { type Findings, listFailures, runConformance } from './conformance.ts'
import { startFixture } from './fixture/start.ts'

const revisions = ['2025-11-25', '2026-07-28'] as const
type Revision = (typeof revisions)[number]

/** They ask the client in the middle of a call, which needs a session. Ferrule asks nothing of clients, so it has no sessions. */
const notOffered = ['tools-call-sampling', 'tools-call-elicitation', 'elicitation-sep1034-defaults', 'elicitation-sep1330-enums']

/** Scenarios that the product can pass without the tools of the fixture. */
const applicable: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': [
    ...['server-initialize', 'ping', 'tools-list', 'resources-list', 'server-sse-multiple-streams', 'dns-rebinding-protection'],
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    ...['tools-list', 'resources-list', 'dns-rebinding-protection', 'server-sse-multiple-streams', 'http-header-validation'],
    ...['sep-2164-resource-not-found', 'input-required-result-unsupported-methods'],
  ],
}

/** Checks of `server-stateless` that need a tool of the fixture, and of `caching` that need a prompt. */
const needFixture = [
  'sep-2575-server-rejects-undeclared-capability',
  'sep-2575-missing-capability-http-400',
  'sep-2575-http-server-no-independent-requests-on-stream',
  'sep-2575-server-no-log-without-loglevel',
]

/** Reads the scenarios that a revision requires of servers. */
async function readRequired(revision: Revision): Promise<readonly string[]> {
  const folder = join(import.meta.dirname, '../../node_modules/@modelcontextprotocol/conformance/requirements')
  const text = await readFile(join(folder, `${revision}.yaml`), 'utf8')
  const [, list = ''] = /^server:\n((?: {2}- .+\n)+)/m.exec(text) ?? []
  return [...list.matchAll(/- (\S+)/g)].map(([, name = '']) => name)
}

const fixtureFindings = new Map<Revision, Findings>()
const productFindings = new Map<Revision, Findings>()

const world = await share(startWorld())
const fixture = await startFixture()
const proxy = await startBearerProxy(world.port, world.token)
for (const revision of revisions) {
  fixtureFindings.set(revision, await runConformance(fixture.url, revision))
  productFindings.set(revision, await runConformance(`${proxy.url}/mcp`, revision))
}
await proxy.close()
await fixture.close()

const find = (findings: ReadonlyMap<Revision, Findings>, revision: Revision): Findings => findings.get(revision) ?? new Map()

describe('the mount with the fixture', () => {
  test('passes all 37 scenarios of 2026-07-28', async () => {
    const required = await readRequired('2026-07-28')
    expect(required).toHaveLength(37)
    expect(listFailures(find(fixtureFindings, '2026-07-28'), required)).toEqual([])
  })
  test('passes 26 of the 30 scenarios of 2025-11-25; the other four need sessions', async () => {
    const required = await readRequired('2025-11-25')
    const offered = required.filter((name) => !notOffered.includes(name))
    expect([required.length, offered.length]).toEqual([30, 26])
    expect(listFailures(find(fixtureFindings, '2025-11-25'), offered)).toEqual([])
  })
})

describe("the product's endpoint", () => {
  test.each(revisions)('passes every applicable scenario of %s', (revision) => {
    expect(listFailures(find(productFindings, revision), applicable[revision])).toEqual([])
  })
  test('passes every check of a stateless server but those that call tools of the fixture', () => {
    const failed = listFailures(find(productFindings, '2026-07-28'), ['server-stateless'])
    expect(failed.map((line) => line.split(': ')[1])).toEqual(needFixture)
  })
})
