/** Declares the tables of kinds that organizations bring. */

/** Kinds that organizations brought. */
export interface OwnKindTable {
  id: string
  organization_id: string
  slug: string
  newest_version: number
  created_at: number
  updated_at: number
}
/** Versions of such kinds; they never change. */
export interface OwnKindVersionTable {
  kind_id: string
  organization_id: string
  version: number
  file: string
  recordings: string | null
  /** JSON: title, description, counts and hosts. */
  summary: string
  /** JSON array: changes against the version before. */
  changes: string
  /** The long form as JSON, compressed. */
  definition: Uint8Array
  created_at: number
}

/** The tables by name. */
export interface OwnKindTables {
  own_kinds: OwnKindTable
  own_kind_versions: OwnKindVersionTable
}
