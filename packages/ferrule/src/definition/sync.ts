/** How a definition describes the sync of an entity. */
import type { Fields } from './fields.ts'

/**
 * How a vendor writes a timestamp. `iso` (default): ISO 8601; numbers count from 1970; `date`: the day in UTC. A text has slots for the parts of
 * the time in UTC: `{year}/{month}/{day} {hour}:{minute}:{second}`.
 */
export type TimeForm = 'iso' | 'seconds' | 'milliseconds' | 'date' | `${string}{year}${string}`

/** Incremental sync: only new or changed records. */
export interface Since {
  /** How the parameters carry the time. */
  readonly as?: TimeForm
  /** Text of the parameter, with `{time}` for the time: `created:>={time}`. */
  readonly text?: string
  /** Parameter (path) for the start of the window, inclusive. */
  readonly param: string
  /** Parameter (path) for the end of the window, if the vendor needs one: a day after the start of the run. */
  readonly until?: string
  /** Start of the first window; the parameter is omitted without it. */
  readonly first?: string
  /** Path of the timestamp in the record. The sync stores the latest. */
  readonly field: string
  /**
   * The list is sorted by this time, the oldest first, and every record has it. After each page the sync asks from its last record on, so a
   * record that changes meanwhile moves no other one out of sight, and a cap of the vendor ends nothing.
   */
  readonly sorted?: true
  /** Overlap before the latest timestamp, in seconds, because records can change or appear late. */
  readonly lookback: number
  /** The timestamp of a record never changes: a copied record within the window that the vendor did not return is deleted. */
  readonly fixed?: true
}

/** Sync of days, window by window. */
export interface Windows {
  /** Parameters for the first and the last day, both included. */
  readonly from: string
  readonly to: string
  /** Longest window, in days. */
  readonly days: number
  /** Configuration field with the first day of all. */
  readonly first: string
  /** Number of days before the last synced day whose figures can still change. */
  readonly lookback: number
  /** Configuration field, with a default, that adds days to `lookback`. */
  readonly setting?: string
}

/** Values that a vendor may withdraw. */
export interface Withdrawn {
  /** Parameter with a JSON array of strings. */
  readonly param: string
  /** Regular expression over the vendor's message. Its first group holds the refused values in quotes. */
  readonly matches: string
}

/** Records within the records of another entity. */
export interface Within {
  readonly entity: string
  readonly at: string
  /**
   * Maximum number of nested records that the vendor returns. At the maximum, the sync calls the entity's own list: parameter → path in the
   * record.
   */
  readonly most?: { readonly records: number; readonly take: Readonly<Record<string, string>> }
}

/** A list of changes that the vendor keeps for a while, read instead of a whole pass. */
export interface Changes {
  /** Entity whose list has the changes, the newest first. */
  readonly entity: string
  /** The list has the oldest change first. */
  readonly oldest?: true
  /** Parameters of that list. */
  readonly params?: Readonly<Record<string, unknown>>
  /** Its parameter for the start of the window, and the field with the time of a change. */
  readonly since: { readonly param: string; readonly field: string; readonly as?: TimeForm }
  /** Changes of this entity: the field of a change and its values; `*` at the end stands for anything. */
  readonly where: { readonly field: string; readonly is: readonly string[] }
  /** Values of the same field for deleted records. */
  readonly gone: readonly string[]
  /** Path of the record in a change. */
  readonly record: string
  /** Days that the vendor keeps changes. An older mark means a whole pass. */
  readonly keepsDays: number
}

/** Says what a record must be: a field has a value (not null, false or ''), or this one, or one of these. */
export interface Condition {
  readonly field: string
  readonly is?: string | number | boolean | readonly (string | number | boolean)[]
  /** The field is there, and not null. False and '' count. */
  readonly exists?: true
  /** The field is a number above, or below, this one. */
  readonly above?: number
  readonly below?: number
  /** It must not be so: the field has no value, or another one. */
  readonly not?: true
}

/** One call per record of another entity, or per `batch` of records. */
export interface Each {
  readonly entity: string
  /** Parameter (path) → path in that record. */
  readonly take: Readonly<Record<string, string>>
  readonly batch?: number
  /**
   * Only for records that fit. `{name}` as the value is the field of configuration of that name: one of its values fits, and every record
   * does without any.
   */
  readonly where?: Condition
}

/** How the context store gets the records of an entity. Searchable entities and their parents have a sync. */
export interface Sync {
  /** Parameters of every call. */
  readonly params?: Readonly<Record<string, unknown>>
  /** The records lie within another entity's records at this path, so they need no call. */
  readonly within?: Within
  /** Calls per record of another entity, or of several that hang on the same root. `since` and `newest` then hold for each of these records. */
  readonly each?: Each | readonly Each[]
  /**
   * Searchable field with the parent's value at a path. A copied record of a parent that was read, and that the vendor no longer returned,
   * is deleted. Without `under` it is deleted after a complete pass.
   */
  readonly under?: { readonly field: string; readonly parent: string }
  /** Omitted: every run is a complete pass. */
  readonly since?: Since
  /** One walk with each of these parameters. */
  readonly values?: readonly Readonly<Record<string, string | number | boolean>>[]
  /** The list is sorted by this time, newest first, and has no filter by it: the walk stops at what the copy has. */
  readonly newest?: string
  /** The last page names a token, and the next run sends it to get what changed: its path in the answer, its parameter. */
  readonly token?: { readonly read: string; readonly param: string }
  readonly changes?: Changes
  /** The vendor still lists the record, and this field says that it is deleted. Without `is`: any value says so. */
  readonly gone?: Condition
  /** The next page starts after the largest value of a field, for vendors whose own positions expire. */
  readonly after?: { readonly param: string; readonly field: string }
  readonly windows?: Windows
  /** A sync leaves out the values that the vendor has withdrawn, and says so. */
  readonly withdrawn?: Withdrawn
  /**
   * Parameters with which a live list answers other records, or other figures, than a sync: deleted objects, sums of a part. What such a
   * list answers is not copied.
   */
  readonly notCopied?: readonly string[]
  /** Searchable field → path in the record, or `parent.<path>` in the parent record of the call. */
  readonly project?: Readonly<Record<string, string>>
}

const isSeveral = (each: Each | readonly Each[]): each is readonly Each[] => Array.isArray(each)

/** Lists the entities for whose records a list is called. */
export const listEach = ({ each }: Sync): readonly Each[] => (each === undefined ? [] : isSeveral(each) ? each : [each])

/** Lists the entities that the records of an entity belong to: it lies within them, or is called for each of them. */
export const listParentNames = (sync: Sync): readonly string[] =>
  sync.within === undefined ? listEach(sync).map(({ entity }) => entity) : [sync.within.entity]

/** Reads the field of configuration that a condition names as its value; undefined for another value. */
export const readSetting = ({ is }: Condition): string | undefined => (typeof is === 'string' ? /^\{(\w+)\}$/.exec(is)?.[1] : undefined)

/** Reads the number of days before the last synced day whose figures can still change. */
export function readLookback(
  { configuration: fields }: { readonly configuration: Fields },
  { lookback, setting }: Windows,
  configuration: Readonly<Record<string, unknown>>,
): number {
  const value: unknown = setting === undefined ? 0 : (configuration[setting] ?? fields[setting]?.default)
  return lookback + Number(value ?? 0)
}
