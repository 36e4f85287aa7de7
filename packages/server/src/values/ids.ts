/**
 * Creates ids and random secrets, the digests that are stored instead of secrets and of other texts, and the JSON that digests are made of. Ids
 * are UUID version 7 (RFC 9562), so that they sort by creation.
 */
import { createHash } from 'node:crypto'
import { isObject, uuid } from 'ferrule/internal'

// Names of kinds of organizations within the service are `slug~id`, and `slug~id~version` where a connector keeps its version. A slug has neither
// `~` nor a wildcard of SQL.

/** Names a kind of an organization: its slug for people, its id so that it shares nothing with a kind of the same slug. */
export const nameOwnKind = ({ slug, id }: { readonly slug: string; readonly id: string }): string => `${slug}~${id}`

/** Names a version of such a kind. @param kind its name, `slug~id` */
export const nameOwnVersion = (kind: string, version: number): string => `${kind}~${version}`

/** What a name says. */
export interface OwnKindName {
  readonly id: string
  /** Undefined in the name of the kind itself. */
  readonly version: number | undefined
}

/** Reads a name; undefined for a kind that the service has for everybody. */
export function parseOwnKindName(name: string): OwnKindName | undefined {
  const [, id, version] = name.split('~')
  return id === undefined ? undefined : { id, version: version === undefined ? undefined : Number(version) }
}

/** Pattern of SQL for the names of a kind's versions. @param kind its name, `slug~id` */
export const likeVersions = (kind: string): string => `${kind}~%`
/** Pattern of SQL for the names of all kinds of organizations. */
export const likeOwnKinds = '%~%'

/** Stands for every kind of an organization, and for its entities, in metrics and traces: their names belong to their tenant. */
const label = 'own'

/** Returns the names of a call or a copy for metrics and traces. */
export const labelKind = <T extends { readonly kind: string; readonly entity?: string }>(named: T): T => {
  if (parseOwnKindName(named.kind) === undefined) return named
  return { ...named, kind: label, ...(named.entity === undefined ? {} : { entity: label }) }
}

/** Clock and randomness of ids. */
export interface IdSource {
  /** Clock of stored times, in whole milliseconds since 1970. */
  readonly clock: () => number
  readonly randomBytes: (size: number) => Buffer
}

const dashed = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`

/** Millisecond of the last id of a source, and the number of its ids before that one in it. */
const lastIds = new WeakMap<IdSource, { readonly ms: number; readonly before: number }>()
/** Largest number that the 12 bits behind the milliseconds hold. */
const mostBefore = 0xfff

/**
 * Creates an id: 48 bits of milliseconds, 12 bits that count the ids of one millisecond (RFC 9562 section 6.2), then 62 random bits. So ids
 * of one process sort by creation.
 */
export function newId(source: IdSource): string {
  const ms = source.clock()
  const last = lastIds.get(source)
  const before = last?.ms === ms ? Math.min(last.before + 1, mostBefore) : 0
  lastIds.set(source, { ms, before })
  const bytes = source.randomBytes(16)
  bytes.writeUIntBE(ms, 0, 6)
  bytes.writeUInt16BE(0x7000 | before, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return dashed(bytes.toString('hex'))
}

/** Derives an id from values: the same values give the same id, a UUID of version 8 (RFC 9562 section 5.8) from their SHA-256 digest. */
export function deriveId(...parts: readonly string[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(parts)).digest().subarray(0, 16)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return dashed(bytes.toString('hex'))
}

/** Sorts before every id. */
export const firstId = '00000000-0000-0000-0000-000000000000'

/** Returns the id in lower case; undefined when the value is no UUID. */
export const asId = (text: unknown): string | undefined => (typeof text === 'string' && uuid.test(text) ? text.toLowerCase() : undefined)

/** Formats milliseconds as ISO 8601 in UTC. */
export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Formats a timestamp that can be missing, in milliseconds since 1970, as `iso` does. */
export const isoOrNull = (milliseconds: number | null | undefined): string | null =>
  typeof milliseconds === 'number' ? iso(milliseconds) : null

/**
 * Returns JSON with object keys in the order of their UTF-16 code units, as in RFC 8785. Integers keep all digits where that standard
 * rounds. Undefined members are omitted.
 * @param value output of the JSON reader, nested at most as deep as a request body
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (!isObject(value)) return JSON.stringify(value) ?? 'null'
  const names = Object.keys(value).filter((name) => value[name] !== undefined)
  return `{${names
    .toSorted()
    .map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`)
    .join()}}`
}

/** Form of a secret that `newSecret` makes. */
const secretForm = /^[\w-]{43}$/

/** Creates a secret of 256 random bits, base64url. */
export const newSecret = (randomBytes: (size: number) => Buffer): string => randomBytes(32).toString('base64url')

/** Returns whether a text could be a secret that `newSecret` made: another one is not looked up. */
export const hasSecretForm = (text: string): boolean => secretForm.test(text)

/** Returns the SHA-256 digest of a text, base64url. Random secrets need no salt: nobody can try them all. */
export const digestText = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** Returns the SHA-256 digest of values, base64url. They are written as a JSON array, so that no two lists of values become one text. */
export const digestParts = (...parts: readonly unknown[]): string => digestText(JSON.stringify(parts))
