/** Creates ids: UUID version 7 (RFC 9562), so that ids sort by creation. */

/** Clock and randomness of ids. */
export interface IdSource {
  /** Clock of stored times, in whole milliseconds since 1970. */
  readonly clock: () => number
  readonly randomBytes: (size: number) => Buffer
}

const dashed = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20, 32)}`

/** Creates an id: 48 bits of milliseconds, then 74 random bits. */
export function newId({ clock, randomBytes }: IdSource): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(clock(), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return dashed(bytes.toString('hex'))
}

/** Sorts before every id. */
export const firstId = '00000000-0000-0000-0000-000000000000'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Returns the id in lower case; undefined when the value is no UUID. */
export const asId = (text: unknown): string | undefined => (typeof text === 'string' && uuid.test(text) ? text.toLowerCase() : undefined)

/** Formats milliseconds as ISO 8601 in UTC. */
export const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** Formats a timestamp that can be missing, in milliseconds since 1970, as `iso` does. */
export const isoOrNull = (milliseconds: number | null | undefined): string | null =>
  typeof milliseconds === 'number' ? iso(milliseconds) : null
