/**
 * Compares the importer of OpenAPI documents with judgements by hand: `node bench/import/compare.ts github github.json`. The documents are the
 * vendors' and not part of the repository. Each file of judged/ has 60 operations: those with the smallest SHA-256 of `1 GET /path`.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { importAll } from '../../packages/ferrule/src/import/openapi/index.ts'
import { parseDocument } from '../../packages/ferrule/src/import/parse.ts'
import type { FileOperation, KindFile } from '../../packages/ferrule/src/kind-file/file.ts'

interface Judged {
  readonly call: string
  /** Actions that are right, with | between them; other: none is. */
  readonly action: string
  readonly entity?: string
  readonly rows?: string
  readonly key?: string
  readonly paging?: string
  readonly body?: string
}

const actions = ['list', 'get', 'create', 'update', 'delete'] as const
const allows = (judged: string | undefined, made: string): boolean => judged === undefined || judged.split('|').includes(made)
const toFull = (value: string | FileOperation): FileOperation => (typeof value === 'string' ? { call: value } : value)
const plain = (call: string): string => call.replaceAll(/\{[^}]*\}/g, '{}')

/** Lists what the file says about each call. */
function listMade({ entities, lists = {}, pages = {}, writes = {} }: KindFile) {
  return new Map(
    Object.entries(entities).flatMap(([entity, definition]) =>
      actions.flatMap((action) => {
        const value = definition[action]
        if (value === undefined) return []
        const full = toFull(value)
        const way = pages[full.pages ?? lists.pages ?? 'none']
        const paging = way === undefined ? 'none' : `${way.next}${way.send === undefined ? '' : `>${way.send}`}`
        const body = full.wrap ?? full.as ?? writes.as ?? 'json'
        const rows = full.at ?? (action === 'list' ? lists.at : undefined) ?? ''
        return [[plain(full.call), { entity, action, rows, key: String(definition.key ?? 'id'), paging, body }] as const]
      }),
    ),
  )
}

/** Says what is wrong with an operation; nothing if it is right. */
function findWrong(judged: Judged, made: ReturnType<typeof listMade>): string | undefined {
  const found = made.get(plain(judged.call))
  const action = found?.action ?? 'other'
  if (!allows(judged.action, action)) return `${action}, and not ${judged.action}`
  if (found === undefined) return undefined
  const paging = allows(judged.paging, found.paging) || (judged.paging ?? '').split('|').some((each) => each === found.paging.split('>')[0])
  if (action === 'list' && !allows(judged.rows, found.rows)) return `rows at ${found.rows}, and not ${judged.rows}`
  if (action === 'list' && !allows(judged.key, found.key)) return `key ${found.key}, and not ${judged.key}`
  if (action === 'list' && !paging) return `pages ${found.paging}, and not ${judged.paging}`
  if (action === 'get' && !allows(judged.rows, found.rows)) return `record at ${found.rows}, and not ${judged.rows}`
  if (['create', 'update'].includes(action) && judged.body !== undefined && judged.body !== found.body)
    return `body ${found.body}, and not ${judged.body}`
  return undefined
}

const [name = '', file = ''] = process.argv.slice(2)
const judged: readonly Judged[] = JSON.parse(readFileSync(join(import.meta.dirname, 'judged', `${name}.json`), 'utf8'))
const { file: made } = importAll(await parseDocument(readFileSync(file, 'utf8')), { kind: name, api: 'https://api.example.com' })
const wrong = judged.flatMap((each) => {
  const why = findWrong(each, listMade(made))
  return why === undefined ? [] : [{ call: each.call, why }]
})
const others = judged.filter(({ action }) => action === 'other').length
const wrongOthers = wrong.filter(({ call }) => judged.find((each) => each.call === call)?.action === 'other').length
const right = judged.length - others - (wrong.length - wrongOthers)
console.log(
  `${name}: ${right} of ${judged.length} right (${Math.round((100 * right) / judged.length)} %); ${others - wrongOthers} of ${others} that fit no action left out`,
)
for (const { call, why } of wrong) console.log(`  ${call}: ${why}`)
