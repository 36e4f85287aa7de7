/** Kinds that organizations bring: uploads, versions, and what a new version means (docs/decisions/own-kinds.md). */
import { fail, type KindChange, pointTo } from 'ferrule/internal'
import * as wire from 'ferrule/wire'
import type { Db } from '../db/database.ts'
import type { Parts } from '../main/parts.ts'
import { type Principal, requireWholeScope } from '../values/access.ts'
import { iso, newId } from '../values/ids.ts'
import { failField, readBody, readQuery } from '../values/read.ts'
import { parseVersionSummary, type VersionSummary } from './connector-types.ts'
import { describePromotion, keepsTables } from './kind-promotions.ts'
import * as sql from './sql/own-kinds.ts'

const mostKinds = 100
/** Versions that stay although no connector runs them, beside the newest. */
const keptVersions = 20

/** What is stored of a file without mistakes. */
export interface CheckedKind {
  /** The definition, compressed (`packDefinition`). */
  readonly packed: Uint8Array
  readonly summary: Omit<VersionSummary, 'sandbox' | 'promoted'>
}

/** What is wrong with an uploaded file, or what it means. */
export interface ReadUpload {
  /** Undefined if there are mistakes. */
  readonly checked: CheckedKind | undefined
  readonly mistakes: wire.KindCheck['mistakes']
  readonly doubts: wire.KindCheck['doubts']
  readonly unsure: wire.KindCheck['unsure']
  /** Null without recordings, and with mistakes. */
  readonly test: wire.KindCheck['test']
  /** Changes against the version before, the weightiest first; none for a new kind. */
  readonly changes: readonly KindChange[]
}

/** An uploaded file, and what it is read with. */
export interface UploadTask {
  /** Slug that the file must name. */
  readonly slug: string
  readonly file: string
  /** Text of its recordings, which are checked too, and hold no secrets. */
  readonly recordings: string | undefined
  /** Whether the file is tested by its recordings. */
  readonly isTested: boolean
  /** Names that it cannot have. */
  readonly taken: readonly string[]
  /** Definition of the newest version, compressed; undefined for a new kind. */
  readonly before: Uint8Array | undefined
}

/** Kind file of a document, or why it cannot be made, as a sentence. */
export type ReadDocument = wire.KindImport | { readonly problem: string }

/** Reads what organizations upload, in a thread of its own, with bounds of time and memory. */
export interface ReadUploads {
  /** Parses, checks and compares a file. */
  readonly kind: (task: UploadTask) => Promise<ReadUpload>
  readonly document: (task: wire.KindDocument) => Promise<ReadDocument>
}

/** Kinds of the principal's organization. Methods with a slug throw `kind_not_found`. */
export interface OwnKinds {
  /** Lists the kinds. Scope connectors:read. */
  list(principal: Principal): Promise<wire.KindList>
  /** Reads a kind with its file. Scope connectors:read. @param query `{ version? }` */
  get(principal: Principal, slug: string, query: unknown): Promise<wire.KindRecord>
  /** Lists the versions of a kind, the newest first. Scope connectors:read. */
  listVersions(principal: Principal, slug: string): Promise<wire.KindVersionList>
  /**
   * Makes a kind file of a document. Stores nothing. Scope connectors:write.
   * @throws FerruleError `validation_failed` for a document that cannot be read
   */
  importDocument(principal: Principal, body: unknown): Promise<wire.KindImport>
  /** Checks a file, and says what it would change. Stores nothing. Scope connectors:write. @param body `{ file }` */
  check(principal: Principal, slug: string, body: unknown): Promise<wire.KindCheck>
  /**
   * Publishes a file as the newest version. Connectors stay with theirs. A file that is the newest version already changes nothing.
   * @param body `{ file, newest? }`
   * @throws FerruleError `kind_invalid` with all mistakes, `kind_changed`, `validation_failed` when the organization has 100 kinds
   */
  publish(principal: Principal, slug: string, body: unknown): Promise<wire.KindPublication>
  /** Deletes a kind that no connector uses. @throws FerruleError `kind_in_use` */
  remove(principal: Principal, slug: string): Promise<wire.KindRemoval>
}

const toChanges = (changes: readonly KindChange[]) => ({ class: changes[0]?.class ?? ('none' as const), changes })

const sum = (counts: ReadonlyMap<number, number>): number => [...counts.values()].reduce((total, each) => total + each, 0)

function toSummary(row: sql.OwnKindRow, summary: VersionSummary, connectors: number): wire.KindSummary {
  const { title, about, entities, hosts, sandbox } = summary
  const times = { created_at: iso(row.created_at), updated_at: iso(row.updated_at) }
  return { id: row.id, slug: row.slug, title, about, version: Number(row.newest_version), entities, hosts, sandbox, connectors, ...times }
}

const toFile = ({ file, recordings, version }: sql.OwnKindVersionRow) => ({ file, recordings, file_version: Number(version) })

async function requireKind(db: Db, principal: Principal, slug: string, find = sql.findOwnKind): Promise<sql.OwnKindRow> {
  const row = await find(db, principal.organizationId, slug)
  if (row === undefined) throw fail('kind_not_found', {})
  return row
}

async function requireVersion(db: Db, kind: sql.OwnKindRow, version: number): Promise<sql.OwnKindVersionRow> {
  const row = await sql.findVersion(db, kind, version)
  if (row === undefined) throw fail('kind_not_found', {})
  return row
}

/** Names that no kind of an organization can have: those of served kinds, and of the organization's other kinds. */
async function listTaken({ kinds }: Pick<Parts, 'kinds'>, db: Db, principal: Principal, slug: string): Promise<readonly string[]> {
  const others = (await sql.listNewestVersions(db, principal.organizationId)).filter((each) => each.slug !== slug)
  return [
    ...kinds.served.list().flatMap(({ name, connector_type, sourceDefinitionId }) => [name, connector_type, sourceDefinitionId]),
    ...others.flatMap((each) => [each.slug, parseVersionSummary(each).title]),
  ]
}

interface Upload extends ReadUpload {
  /** Version that it was compared with; 0 for a new kind. */
  readonly newest: number
  /** True: the version keeps the tables of its own that an operator gave the one before. */
  readonly isPromoted: boolean
}

/** Says whether a version keeps the tables of the one before, and what it means if not. */
function addPromotion(read: ReadUpload, last: sql.OwnKindVersionRow | undefined): Omit<Upload, 'newest'> {
  const isPromoted = last !== undefined && parseVersionSummary(last).promoted === true
  if (!isPromoted || keepsTables(read.changes)) return { ...read, isPromoted }
  const [heavier, rest] = [true, false].map((isHeavier) => read.changes.filter((each) => (each.class === 'authorize') === isHeavier))
  return { ...read, changes: [...(heavier ?? []), describePromotion(false), ...(rest ?? [])], isPromoted: false }
}

async function readUpload(
  parts: OwnKindParts,
  principal: Principal,
  { slug, body: { file, recordings }, isTested = false }: { slug: string; body: wire.KindInput; isTested?: boolean },
): Promise<Upload> {
  const { db } = parts.database
  const kind = await sql.findOwnKind(db, principal.organizationId, slug)
  const newest = Number(kind?.newest_version ?? 0)
  const last = kind === undefined ? undefined : await sql.findVersion(db, kind, newest)
  const taken = await listTaken(parts, db, principal, slug)
  const read = await parts.readUploads.kind({ slug, file, recordings, isTested, taken, before: last?.definition })
  return { ...addPromotion(read, last), newest }
}

const failMistakes = ({ mistakes }: ReadUpload) =>
  fail(
    'kind_invalid',
    { reason: `${mistakes.length} of them, the first in line ${mistakes[0]?.line}: ${mistakes[0]?.message}` },
    {
      errors: mistakes.map(({ file, path, message, line, column }) => ({
        field: pointTo(file === 'kind' ? '/file' : '/recordings', ...path.split('.').filter((step) => step !== '')),
        message,
        error_code: 'kind',
        line,
        column,
      })),
    },
  )

/** Deletes old versions that no connector runs. */
async function deleteUnused(db: Db, kind: sql.OwnKindRow): Promise<void> {
  const used = await sql.countConnectorsByVersion(db, kind)
  const unused = (await sql.listVersions(db, kind)).map(({ version }) => Number(version)).filter((version) => !used.has(version))
  await sql.deleteVersions(db, kind, unused.filter((version) => version !== Number(kind.newest_version)).slice(keptVersions))
}

const endedConsent = {
  code: 'connect_return_refused',
  message: 'The kind leads to other hosts now.',
  hint: 'Start the authorization again.',
  retryable: false,
} as const

async function store(
  parts: OwnKindParts,
  principal: Principal,
  { slug, body, upload, checked }: { slug: string; body: wire.KindInput; upload: Upload; checked: CheckedKind },
): Promise<wire.KindPublication> {
  const now = parts.source.clock()
  const { organizationId } = principal
  return parts.database.transaction(async (db) => {
    const known = await sql.listOwnKinds(db, organizationId)
    const fresh: sql.OwnKindRow = {
      id: newId(parts.source),
      organization_id: organizationId,
      slug,
      newest_version: 0,
      created_at: now,
      updated_at: now,
    }
    if (!known.some((each) => each.slug === slug)) {
      if (known.length >= mostKinds)
        throw failField('', `cannot be done: the organization has ${mostKinds} kinds, the most; delete some`, 'limit')
      await sql.insertOwnKind(db, fresh)
    }
    const kind = (await sql.holdOwnKind(db, organizationId, slug)) ?? fresh
    const newest = Number(kind.newest_version)
    // A check belongs to the version that it compared with.
    if (newest !== upload.newest) throw fail('kind_changed', { newest: String(newest), given: String(upload.newest) })
    const version = newest + 1
    const sandbox = body.recordings !== undefined
    const summary: VersionSummary = { ...checked.summary, sandbox, ...(upload.isPromoted ? { promoted: true } : {}) }
    await sql.insertVersion(db, {
      kind_id: kind.id,
      organization_id: organizationId,
      version,
      file: body.file,
      recordings: body.recordings ?? null,
      summary: JSON.stringify(summary),
      changes: JSON.stringify(upload.changes),
      definition: checked.packed,
      created_at: now,
    })
    if (upload.changes.some((each) => each.class === 'authorize')) await sql.endConsents(db, kind, JSON.stringify(endedConsent))
    const stored = { ...kind, newest_version: version, updated_at: now }
    await deleteUnused(db, stored)
    const connectors = sum(await sql.countConnectorsByVersion(db, stored))
    return { ...toSummary(stored, summary, connectors), published: true, ...toChanges(upload.changes) }
  })
}

async function publish(parts: OwnKindParts, principal: Principal, given: { slug: string; body: unknown }): Promise<wire.KindPublication> {
  const { slug } = given
  const body = readBody(wire.kindInput, given.body)
  const upload = await readUpload(parts, principal, { slug, body })
  const { checked, newest } = upload
  if (body.newest !== undefined && body.newest !== newest)
    throw fail('kind_changed', { newest: String(newest), given: String(body.newest) })
  if (checked === undefined) throw failMistakes(upload)
  const { db } = parts.database
  const kind = newest === 0 ? undefined : await sql.findOwnKind(db, principal.organizationId, slug)
  const last = kind === undefined ? undefined : await sql.findVersion(db, kind, newest)
  if (kind === undefined || last === undefined || last.file !== body.file || last.recordings !== (body.recordings ?? null))
    return store(parts, principal, { slug, body, upload, checked })
  const connectors = sum(await sql.countConnectorsByVersion(db, kind))
  return { ...toSummary(kind, parseVersionSummary(last), connectors), published: false, ...toChanges([]) }
}

/** What the service of own kinds needs. */
export interface OwnKindParts extends Parts {
  readonly readUploads: ReadUploads
}

/** Builds the service. */
export const createOwnKinds = (parts: OwnKindParts): OwnKinds => {
  const { db } = parts.database
  return {
    list: async (principal) => {
      requireWholeScope(principal, 'connectors:read')
      const { organizationId } = principal
      const summaries = new Map((await sql.listNewestVersions(db, organizationId)).map((each) => [each.kind_id, parseVersionSummary(each)]))
      const connectors = await sql.countConnectorsByKind(db, organizationId)
      const data = (await sql.listOwnKinds(db, organizationId)).flatMap((row) => {
        const summary = summaries.get(row.id)
        return summary === undefined ? [] : [toSummary(row, summary, connectors.get(row.id) ?? 0)]
      })
      return { data }
    },
    get: async (principal, slug, query) => {
      requireWholeScope(principal, 'connectors:read')
      const { version } = readQuery(wire.kindQuery, query)
      const kind = await requireKind(db, principal, slug)
      const newest = await requireVersion(db, kind, Number(kind.newest_version))
      const wanted = version === undefined ? newest : await requireVersion(db, kind, Number(version))
      const connectors = sum(await sql.countConnectorsByVersion(db, kind))
      return { ...toSummary(kind, parseVersionSummary(newest), connectors), ...toFile(wanted) }
    },
    listVersions: async (principal, slug) => {
      requireWholeScope(principal, 'connectors:read')
      const kind = await requireKind(db, principal, slug)
      const connectors = await sql.countConnectorsByVersion(db, kind)
      const data = (await sql.listVersions(db, kind)).map((row) => ({
        version: Number(row.version),
        connectors: connectors.get(Number(row.version)) ?? 0,
        created_at: iso(row.created_at),
        ...toChanges(JSON.parse(row.changes)),
      }))
      return { data }
    },
    importDocument: async (principal, given) => {
      requireWholeScope(principal, 'connectors:write')
      const read = await parts.readUploads.document(readBody(wire.kindDocument, given))
      if ('problem' in read) throw failField('/document', read.problem, 'document')
      return read
    },
    check: async (principal, slug, given) => {
      requireWholeScope(principal, 'connectors:write')
      const body = readBody(wire.kindInput, given)
      const { checked, newest, changes, mistakes, doubts, unsure, test } = await readUpload(parts, principal, {
        slug,
        body,
        isTested: true,
      })
      const hosts = checked?.summary.hosts ?? []
      return { slug, valid: checked !== undefined, mistakes, doubts, unsure, test, newest, hosts, ...toChanges(changes) }
    },
    publish: async (principal, slug, body) => {
      requireWholeScope(principal, 'connectors:write')
      return parts.unfinished.add(publish(parts, principal, { slug, body }))
    },
    remove: async (principal, slug) => {
      requireWholeScope(principal, 'connectors:write')
      return parts.database.transaction(async (inside) => {
        const kind = await requireKind(inside, principal, slug, sql.holdOwnKind)
        const connectors = sum(await sql.countConnectorsByVersion(inside, kind))
        if (connectors > 0) throw fail('kind_in_use', { connectors: String(connectors) })
        await sql.deleteOwnKind(inside, kind)
        return { id: kind.id, slug: kind.slug }
      })
    },
  }
}
