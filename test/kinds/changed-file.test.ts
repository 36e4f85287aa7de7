/** A kind file that changes between two starts: what becomes of the copy. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Service, startService } from '../../packages/server/src/index.ts'
import { serve } from '../engine/support.ts'
import { eventually } from '../http/search-support.ts'
import { connectorsPath, type Json, tokenPath } from '../http/support.ts'
import { makeFolder } from '../support/folder.ts'
import { kindHead } from '../support/kind-head.ts'
import { copyEmbeddedDatabase } from '../support/postgres.ts'

const head = `${kindHead('notes')}limits: { per: key, rates: [1000/s] }
check: notes.list
lists: { at: list, pages: none }
entities:
`
const notes = (fields: string, key = 'id') =>
  `  notes: { about: Notes, key: ${key}, fields: { id: string Id, changed: date-time When it changed, ${fields} }, ${list} }`
const list = 'list: { call: GET /notes, params: { since: date-time Changed since } }, sync: { since: { changed: since } }'
const people = '  people: { about: People, fields: { id: string Id }, list: { call: GET /people }, sync: full }'
const first = `${head}${notes('size: integer Size')}`
const withMore = `${head}${notes('size: integer Size, title: string Title')}\n${people}`
const withKey = `${head}${notes('size: integer Size, title: string Title', 'title')}\n${people}`
const withType = `${head}${notes('size: string Size, title: string Title', 'title')}`
const operator = { id: 'operator', secret: 'a-secret-for-tests' }

/** A service that was started with one file. */
async function start(folder: string, origin: string, file: string): Promise<Service> {
  await writeFile(join(folder, 'notes.kind.yaml'), file)
  return startService({
    FERRULE_DATA: folder,
    FERRULE_PORT: '0',
    FERRULE_LOG_LEVEL: 'silent',
    FERRULE_SANDBOX: 'off',
    FERRULE_OPERATOR_CLIENT_ID: operator.id,
    FERRULE_OPERATOR_CLIENT_SECRET: operator.secret,
    FERRULE_KINDS: join(folder, 'notes.kind.yaml'),
    FERRULE_ORIGINS: JSON.stringify({ notes: origin }),
  })
}

test('a field, an entity, a key and a type of a kind file change between two starts', { timeout: 600_000 }, async () => {
  const folder = makeFolder('changed-kind', onTestFinished)
  await copyEmbeddedDatabase(join(folder, 'context'))
  const rows = Array.from({ length: 3 }, (_, index) => ({
    id: `n${index}`,
    changed: '2026-01-01T00:00:00Z',
    title: `Note ${index}`,
    size: 7,
  }))
  let held = Promise.resolve()
  await using vendor = await serve(async ({ url }) => {
    await held
    return { body: { list: url.startsWith('/people') ? [{ id: 'p' }] : rows } }
  })
  let id = ''
  /** Starts the service with a file. @returns what the first search after the start finds, and what searches find after the next sync */
  const look = async (file: string, ...entities: readonly string[]) => {
    const gate = Promise.withResolvers<void>()
    held = gate.promise // no sync ends before the first search
    const service = await start(folder, vendor.origin, file)
    try {
      let token = ''
      const ask = async (path: string, body: object): Promise<Json> => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
        return (await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json()
      }
      token = (await ask(tokenPath, { client_id: operator.id, client_secret: operator.secret })).access_token
      const search = async (entity: string) => {
        const found = await ask(`${connectorsPath}/${id}/execute`, { entity, action: 'context_store_search', params: { query: {} } })
        return found.code ?? found.data
      }
      if (id === '') {
        gate.resolve()
        const body = { workspace_name: 'default', connector_type: 'notes', name: 'notes', credentials: { key: 'k' } }
        id = (await ask(connectorsPath, body)).id
      }
      const before = []
      for (const entity of entities) before.push(await search(entity))
      gate.resolve()
      await ask(`${connectorsPath}/${id}/syncs`, {})
      const isRead = (found: Json) => Array.isArray(found) && found.every((row) => row.title !== null)
      const after = []
      for (const entity of entities) after.push(await eventually(() => search(entity), isRead))
      return { before, after }
    } finally {
      await service.close()
    }
  }
  const notReady = 'context_store_not_ready'
  const part = (...names: readonly (keyof (typeof rows)[number])[]) =>
    rows.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])))
  expect((await look(first, 'notes')).after).toEqual([part('id', 'changed', 'size')])
  const whole = part('id', 'changed', 'size', 'title')
  const more = await look(withMore, 'notes', 'people')
  expect([more.before[1], ...more.after]).toEqual([notReady, whole, [{ id: 'p' }]])
  expect(await look(withKey, 'notes')).toEqual({ before: [notReady], after: [whole] })
  expect(await look(withType, 'notes')).toEqual({ before: [notReady], after: [whole.map((row) => ({ ...row, size: '7' }))] })
})
