/** A manifest becomes a file by the command, the file passes the check, and its lists page through a vendor. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { connect } from '../../packages/ferrule/src/core.ts'
import { loadKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { runFerrule, runForJson } from '../command/support.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { share } from '../support/share.ts'
import { writeManifest } from './manifests.ts'

const all = Array.from({ length: 7 }, (_, index) => ({ id: `n${index}`, title: `Note ${index}`, changed_at: '2026-01-05T10:00:00Z' }))
const asked: string[] = []
const folder = makeFolder('manifest-walk')
const server = createServer((request, response) => {
  asked.push(`${request.url} ${request.headers.authorization}`)
  const { searchParams } = new URL(request.url ?? '', 'http://localhost')
  const [from, size] = [Number(searchParams.get('after') ?? 0), Number(searchParams.get('limit'))]
  const next = from + size < all.length ? String(from + size) : ''
  response.setHeader('content-type', 'application/json').end(JSON.stringify({ data: all.slice(from, from + size), meta: { next } }))
})
const { origin } = await share(listen(server))

const manifest = writeManifest({
  retriever: `paginator:
  type: DefaultPaginator
  page_size_option: { type: RequestOption, inject_into: request_parameter, field_name: limit }
  page_token_option: { type: RequestOption, inject_into: request_parameter, field_name: after }
  pagination_strategy: { type: CursorPagination, page_size: 3, cursor_value: "{{ response['meta']['next'] }}", stop_condition: "{{ not response['meta']['next'] }}" }`,
  streams: `
- type: DeclarativeStream
  name: reports
  retriever: { type: CustomRetriever, class_name: source_papers.components.Reports }`,
})

test('from a manifest to records: new, check, list', async () => {
  writeFileSync(join(folder, 'papers.yaml'), manifest)
  const caller = { config: folder }
  const made = await runForJson(caller, 'kind', 'new', 'papers.kind.yaml', '--manifest', 'papers.yaml', '--format', 'json')
  expect(made).toEqual({
    ...{ file: 'papers.kind.yaml', kind: 'papers', entities: 1, unsure: 1 },
    left_out: [{ what: 'reports', why: 'custom code: retriever: CustomRetriever' }],
  })
  const checked = await runForJson(caller, 'kind', 'check', 'papers.kind.yaml', '--format', 'json')
  expect(checked.filter(({ is }: { is: string }) => is === 'mistake')).toEqual([])
  expect(checked.filter(({ is }: { is: string }) => is === 'unsure').map(({ path }: { path: string }) => path)).toEqual(['category'])

  const papers = connect(await loadKind(join(folder, 'papers.kind.yaml')), { credentials: { token: 'secret' }, origin })
  const records = await Array.fromAsync(papers.entity('notes').records())
  expect(records).toEqual(all)
  expect(asked).toEqual(['', '&after=3', '&after=6'].map((more) => `/v1/notes?limit=3${more} Bearer secret`))
})

test('a document that is no manifest is refused, and nothing is written', async () => {
  writeFileSync(join(folder, 'other.yaml'), 'openapi: 3.1.0')
  const { code, stderr } = await runFerrule({ config: folder }, 'kind', 'new', 'other.kind.yaml', '--manifest', 'other.yaml')
  expect([code === 0, stderr.includes('other.yaml is no manifest')]).toEqual([false, true])
  await expect(loadKind(join(folder, 'other.kind.yaml'))).rejects.toThrow('ENOENT')
})
