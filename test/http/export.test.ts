import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer, text } from 'node:stream/consumers'
import { DuckDBInstance } from '@duckdb/node-api'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildPrimaryKey } from '../../packages/server/src/copies/search/keys.ts'
import { exportFormats } from '../../packages/server/src/http/routes/export.ts'
import { bundleOf } from '../../scripts/bundles.mjs'
import { root } from '../../scripts/paths.mjs'
import { buildSourceEnvironment } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'
import { share } from '../support/share.ts'
import { expectDocumented } from './contract.ts'
import { allFound, eventually, overStatements, startCopyWorld } from './search-support.ts'
import { client, connectorsPath, type Json } from './support.ts'

const operation = `GET ${connectorsPath}/{connector_id}/entities/{entity}/export`
const folder = makeFolder('export')

/** Rows of CSV as RFC 4180 has it. An empty cell is null unless it has quotes. */
function readCsv(csv: string): (string | null)[][] {
  const rows: (string | null)[][] = []
  let row: (string | null)[] = []
  for (const [, cell = '', end] of csv.matchAll(/("(?:[^"]|"")*"|[^",\r\n]*)(,|\r\n)/g)) {
    row.push(cell === '' ? null : cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

overStatements('an export', async (engine) => {
  const path = (query = '', entity = 'users') => `${connectorsPath}/${connector}/entities/${entity}/export${query}`
  const ask = (query = '', entity = 'users') => world.ask(path(query, entity), { token: world.token })
  const json = (value: unknown) => encodeURIComponent(JSON.stringify(value))
  const world = await share(startCopyWorld(engine))
  const connector = await world.connect('exported', { entities: [{ entity: 'users' }] })

  test('before the first sync is told to come again', async () => {
    const answer = await ask()
    expect([answer.status, answer.json.code]).toEqual([409, 'context_store_not_ready'])
    expectDocumented(operation, answer)
    await world.context.sync()
  })

  test('is what a search finds, a line each', async () => {
    const answer = await ask()
    expect([answer.status, answer.headers['content-type'], answer.headers['content-disposition']]).toEqual([
      200,
      'application/x-ndjson',
      'attachment; filename="users.ndjson"',
    ])
    expect(answer.headers['x-context-store-synced-at']).toBe(new Date(world.clock.now).toISOString())
    expectDocumented(operation, answer)
    const records = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(records).toEqual(await allFound(world, connector, { entity: 'users', params: { query: {} } }))
  })

  test('is filtered, sorted and cut like a search', async () => {
    const query = { filter: { and: [{ eq: { active: true } }, { keyword: { title: 'engineer' } }] }, sort: [{ lastName: 'desc' }] }
    const answer = await ask(`?filter=${json(query.filter)}&sort=${json(query.sort)}&fields=settings.emailsImported,id`)
    const records = answer.text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(records.length).toBeGreaterThan(5)
    expect(Object.keys(records[0])).toEqual(['settings', 'id'])
    expect(records).toEqual(
      await allFound(world, connector, { entity: 'users', params: { query, fields: ['id', 'settings.emailsImported'] } }),
    )
  })

  test('as CSV has a header, and every value comes back', async () => {
    const answer = await ask('?format=csv&fields=id,lastName,active,emailAliases,extension,settings')
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8; header=present')
    const [head, ...rows] = readCsv(answer.text)
    expect(head).toEqual(['id', 'lastName', 'active', 'emailAliases', 'extension', 'settings'])
    const records = await allFound(world, connector, { entity: 'users', params: { query: {}, fields: head } })
    const textOf = (value: Json) => (value === null || typeof value === 'string' ? value : JSON.stringify(value))
    expect(rows).toEqual(records.map((record) => head?.map((name) => textOf(record[name ?? '']))))
  })

  test('as Parquet has every value of a search, with its type', async () => {
    const fields = ['settings', 'id', 'lastName', 'created', 'active', 'emailAliases']
    const answer = await world.open(path(`?format=parquet&fields=${fields}`), { token: world.token })
    expect([answer.headers['content-type'], answer.headers['content-disposition']]).toEqual([
      'application/vnd.apache.parquet',
      'attachment; filename="users.parquet"',
    ])
    writeFileSync(join(folder, 'users.parquet'), await buffer(answer))
    const database = await (await DuckDBInstance.create(':memory:')).connect()
    const found = await database.runAndReadAll(
      `select * replace (epoch_ms(created)::int8 as created) from '${folder}/users.parquet' order by id`,
    )
    database.closeSync()
    expect(found.columnNames()).toEqual([...fields, '_rescued'])
    const records = await allFound(world, connector, { entity: 'users', params: { query: {}, fields } })
    const asRow = (record: Json) => ({ ...record, created: Date.parse(record.created), _rescued: null })
    const readJson = (value: unknown) => (typeof value === 'string' ? JSON.parse(value) : value)
    const rows = found.getRowObjectsJson().map((row) => ({
      ...row,
      created: Number(row['created']),
      emailAliases: readJson(row['emailAliases']),
      settings: readJson(row['settings']),
    }))
    expect(rows).toEqual(records.map(asRow).toSorted((one, other) => (one.id < other.id ? -1 : 1)))
  })

  test('shows a value of another type in _rescued: always as Parquet, else where it is named', async () => {
    const ref = { connector, kind: 'gong', entity: 'users' }
    const fields = { id: 'odd', active: 'perhaps' }
    const key = buildPrimaryKey(world.context.store.getTable('gong', 'users').key, fields) ?? ''
    await world.context.store.writeBatch(ref, { records: [{ key, fields }], asked: world.clock.now })
    const only = `filter=${json({ eq: { id: 'odd' } })}`
    const parquet = async (more: string) => {
      writeFileSync(
        join(folder, 'odd.parquet'),
        await buffer(await world.open(path(`?format=parquet&${only}${more}`), { token: world.token })),
      )
      const database = await (await DuckDBInstance.create(':memory:')).connect()
      const rows = (await database.runAndReadAll(`select id, _rescued::text as rescued from '${folder}/odd.parquet'`)).getRowObjectsJson()
      database.closeSync()
      return rows[0]?.['rescued']
    }
    const named = await parquet('&fields=_rescued,id')
    expect([await parquet(''), named, await parquet('&fields=id,active'), await parquet('&fields=id')]).toEqual([
      '{"active":"perhaps"}',
      '{"active":"perhaps"}',
      '{"active":"perhaps"}',
      null,
    ])
    expect((await ask(`?${only}&fields=id,active`)).text).toBe('{"id":"odd","active":null}\n')
    expect((await ask(`?${only}&fields=id,_rescued`)).text).toBe('{"id":"odd","_rescued":{"active": "perhaps"}}\n')
    expect((await ask(`?${only}&fields=id,_rescued&format=csv`)).text).toBe('id,_rescued\r\nodd,"{""active"":""perhaps""}"\r\n')
    await world.context.store.writeBatch(ref, { records: [], removed: [key], asked: world.clock.now })
  })

  test('of nothing is nothing', async () => {
    const none = json({ in: { id: [] } })
    const [lines, csv] = [await ask(`?filter=${none}`), await ask(`?filter=${none}&format=csv&fields=id`)]
    expect([lines.status, lines.text, csv.text]).toEqual([200, '', 'id\r\n'])
  })

  describe('is refused, with the field, when', () => {
    test.each([
      ['the filter is no JSON', '?filter={', 'validation_failed /filter'],
      ['the filter is wrong', `?filter=${json({ not: { eq: { nope: 1 } } })}`, 'field_not_searchable /filter/not/eq/nope'],
      ['the sort is wrong', `?sort=${json([{ settings: 'asc' }])}`, 'operator_not_supported /sort/0/settings'],
      ['a field is unknown', '?fields=id,nope', 'field_not_searchable /fields/1'],
      ['the format is unknown', '?format=xml', 'validation_failed /format'],
      ['a parameter is unknown', '?limit=3', 'validation_failed /limit'],
    ])('%s', async (_says, query, refusal) => {
      const answer = await ask(query)
      expect([answer.status, `${answer.json.code} ${answer.json.errors[0].field}`]).toEqual([422, refusal])
      expectDocumented(operation, answer)
    })

    test('the entity cannot be searched, or is none', async () => {
      expect((await ask('', 'workspaces')).json.code).toBe('action_not_supported')
      expect((await ask('', '__proto__')).json.code).toBe('entity_not_found')
    })
  })

  describe('of many records', () => {
    const many = 30_000
    beforeAll(async () => {
      const ref = { connector, kind: 'gong', entity: 'users' }
      const { key } = world.context.store.getTable('gong', 'users')
      for (let from = 0; from < many; from += 5_000) {
        const records = Array.from({ length: 5_000 }, (_, index) => {
          const fields = { id: `many${from + index}`, title: `${'long '.repeat(40)}${from + index}` }
          return { key: buildPrimaryKey(key, fields) ?? '', fields }
        })
        await world.context.store.writeBatch(ref, { records, asked: world.clock.now })
      }
    })

    test('comes page by page, each record once', async () => {
      const { text: lines } = await ask(`?filter=${json({ like: { id: 'many%' } })}&fields=id`)
      expect(new Set(lines.trimEnd().split('\n')).size).toBe(many)
    })

    test('ends with its client, and reads no further', async () => {
      const answer = await world.open(path(), { token: world.token })
      await once(answer, 'readable')
      answer.destroy()
      const { store } = world.context
      await eventually(
        async () => (await world.ask('/metrics')).text,
        (metrics) => /^ferrule_executes_in_flight 0$/m.test(metrics),
      )
      await eventually(
        async () => store.status(),
        ({ running, waiting }) => running + waiting === 0,
      )
    })

    test('waits for a slow client instead of filling the memory', async () => {
      const answer = await world.open(path(), { token: world.token })
      await once(answer, 'readable')
      const held = await eventually(
        async () => world.context.store.status().running,
        (running) => running === 0,
      )
      expect(held).toBe(0)
      expect((await text(answer)).trimEnd().split('\n').length).toBeGreaterThan(many)
    })
  })

  // The command does not know where the copy is: one of both is enough.
  if (engine === 'embedded') return
  describe('by the command', () => {
    async function ferrule(args: readonly string[], secret: string = client.secret) {
      const env = { ...buildSourceEnvironment(), FERRULE_CLIENT_ID: client.id, FERRULE_CLIENT_SECRET: secret }
      const child = spawn(process.execPath, [bundleOf('ferrule-server'), 'export', ...args, '--url', world.url], { cwd: root, env })
      const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
      return { status, stdout, stderr }
    }

    test('goes to standard output, or into a file', async () => {
      const filter = JSON.stringify({ eq: { active: false } })
      const same = (await ask(`?filter=${encodeURIComponent(filter)}&format=csv`)).text
      expect(await ferrule([connector, 'users', '--format', 'csv', '--filter', filter])).toEqual({ status: 0, stdout: same, stderr: '' })
      const file = join(folder, 'users.ndjson')
      expect(await ferrule([connector, 'users', '--filter', filter, '--output', file])).toEqual({ status: 0, stdout: '', stderr: '' })
      expect(readFileSync(file, 'utf8')).toBe((await ask(`?filter=${encodeURIComponent(filter)}`)).text)
    })

    test('tells what is wrong in one sentence', async () => {
      const refused = await ferrule([connector, 'users', '--fields', 'nope'])
      expect([refused.status, refused.stdout]).toEqual([1, ''])
      expect(refused.stderr).toMatch(/^nope cannot be searched in users\..*\n$/)
      expect((await ferrule([connector, 'users'], 'wrong')).stderr).toMatch(/^The client id or client secret is wrong\..*\n$/)
      expect((await ferrule([connector, 'users'], '')).status).toBe(78)
    })
  })
})

describe('a line of CSV', () => {
  const { head, line } = exportFormats.csv

  test('quotes what must be, and nothing else', () => {
    expect(head(['id', 'a,b'], 'mark')).toBe('id,"a,b"\r\n')
    const record = { plain: 'x y', comma: 'a,b', quote: 'say "hi"', lines: 'a\r\nb', returned: 'a\rb', empty: '', none: null }
    expect(line(JSON.stringify(record), Object.keys(record), 'mark')).toBe('x y,"a,b","say ""hi""","a\r\nb","a\rb","",\r\n')
  })

  test('keeps numbers as they are written, also within', () => {
    const record =
      '{"id":6107734829915563302,"price":12.50,"many":0.1234567890123456789,"parts":[{"n":9007199254740993,"p":1.10}],"on":true}'
    expect(line(record, ['id', 'price', 'many', 'parts', 'on'], 'mark')).toBe(
      '6107734829915563302,12.50,0.1234567890123456789,"[{""n"":9007199254740993,""p"":1.10}]",true\r\n',
    )
  })
})
