/** The sandbox of the service: kinds with recordings, and the ten that ship with it. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { createEngine } from '../../packages/ferrule/src/engine/call/execute.ts'
import { listMissing } from '../../packages/ferrule/src/kind-recordings/compare-requests.ts'
import { createReplayConnection, loadRecordings } from '../../packages/ferrule/src/kind-recordings/index.ts'
import { walkCall } from '../../packages/ferrule/src/kind-recordings/replay.ts'
import { createCatalogue } from '../../packages/server/src/connectors/kinds.ts'
import { readServedKinds } from '../../packages/server/src/main/kinds/served.ts'
import { StandIns } from '../../packages/server/src/main/kinds/stand-ins.ts'
import { makeFolder } from '../support/folder.ts'

const folder = makeFolder('stand-ins')
const standIns = new StandIns()
const engine = createEngine({ limits: false })
afterAll(() => Promise.all([standIns.close(), engine.close()]))

const printKind = (kind: string): string => `
kind: ${kind}
title: ${kind}
category: help desk
about: Tickets of customers
docs: https://acme.example/docs
api: https://api.acme.example
auth: { token: { title: Token, fields: { token: secret Token }, send: { authorization: 'Bearer {token}' } } }
check: tickets.list
entities:
  tickets: { about: Questions of customers, fields: { id: integer Id }, list: { call: GET /tickets, pages: none } }
`

test('kinds of the operator have a stand-in where recordings stand beside their file, and it reads mended ones', async () => {
  for (const kind of ['acme', 'bare']) writeFileSync(join(folder, `${kind}.kind.yaml`), printKind(kind))
  const path = join(folder, 'acme.recordings.json')
  writeFileSync(path, '{"kind": "acme"')
  const [acme, bare] = (await readServedKinds({ FERRULE_KINDS: folder, FERRULE_DATA: join(folder, 'data') })).slice(-2)
  if (acme === undefined || bare === undefined) throw new Error('two kinds are expected')
  expect([acme, bare].map(createCatalogue([acme, bare]).hasStandIn)).toEqual([true, false])
  expect(await standIns.find(bare)).toBeUndefined()
  await expect(standIns.find(acme)).rejects.toMatchObject({ code: 'definition_invalid' })
  const exchanges = [{ request: 'GET /tickets', answer: { body: [{ id: 7 }] } }]
  const recording = { call: 'tickets.list', source: 'document', from: 'https://acme.example/docs', one_page: 'It has one.', exchanges }
  writeFileSync(path, JSON.stringify({ kind: 'acme', recordings: [recording] }))
  const answer = await fetch(`${await standIns.find(acme)}/tickets`, { headers: { authorization: 'Bearer any' } })
  expect(await answer.json()).toEqual([{ id: 7 }])
})

/** Makes the recorded calls of a kind. @returns those that bring something else than what was recorded */
async function listFailed(kind: Parameters<StandIns['find']>[0]): Promise<readonly string[]> {
  const { configuration, recordings } = await loadRecordings(kind.recordings ?? '')
  const api = (await standIns.find(kind)) ?? ''
  const connection = { ...createReplayConnection(kind, configuration), origin: { api } }
  const failed: string[] = []
  for (const call of recordings.filter(({ exchanges }) => exchanges.every(({ answer }) => answer.status < 300))) {
    if (call.error !== undefined) continue
    const { error, rows, record } = await walkCall(engine, connection, { call, mostPages: 10 })
    const problems = error === undefined ? listMissing(call.data ?? {}, call.action === 'list' ? rows : record) : [String(error)]
    if (call.data !== undefined || error !== undefined)
      failed.push(...problems.map((problem) => `${call.entity}.${call.action}: ${problem}`))
  }
  return failed
}

test('all recorded calls of the ten kinds succeed at their stand-ins', async () => {
  const ten = (await readServedKinds({})).filter(({ ships }) => ships)
  const failed: Record<string, readonly string[]> = {}
  for (const kind of ten) {
    const problems = await listFailed(kind)
    if (problems.length > 0) failed[kind.definition.kind] = problems
  }
  expect({ count: ten.length, failed }).toEqual({ count: 10, failed: {} })
})

test('lists with fields of an account bring their records when a copy asks for them', async () => {
  const kind = (await readServedKinds({})).find(({ definition }) => definition.kind === 'salesforce')
  if (kind === undefined) throw new Error('Salesforce ships')
  const { configuration } = await loadRecordings(kind.recordings ?? '')
  const connection = { ...createReplayConnection(kind, configuration), origin: { api: (await standIns.find(kind)) ?? '' } }
  const params = { deleted: true, since: '2026-01-01T00:00:00Z' }
  for (const entity of ['accounts', 'contacts', 'leads', 'opportunities', 'cases', 'tasks', 'events', 'products']) {
    const answer = await engine.run(connection, { entity, action: 'list', params })
    expect(answer.type === 'list' && Array.isArray(answer.data) ? answer.data.length : 0, entity).toBeGreaterThan(0)
  }
})
