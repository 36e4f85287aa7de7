/** The definition of an entity: plain data that can be compared with the vendor's page. */
import type { Fields } from './fields.ts'
import type { Condition, Sync } from './sync.ts'

/** Actions that call the external system. */
export const liveActions = ['list', 'get', 'create', 'update', 'delete', 'download'] as const
/** The name of a live action. */
export type LiveAction = (typeof liveActions)[number]

const writes: ReadonlySet<string> = new Set<LiveAction>(['create', 'update', 'delete'])
/** Returns whether an action changes something at the vendor. */
export const isWriting = (action: string): boolean => writes.has(action)

/** Methods of HTTP. */
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** Methods that a request to a vendor can have. No operation needs HEAD. */
export type SentMethod = Method | 'HEAD'

/** Names a rule of the kind: a pure function in `connectors/<kind>/rules.ts`. */
export type RuleName = `rule:${string}`

/** How the request carries a parameter with another name or form. Paths are dotted (`filter.fromDateTime`). */
export interface Send {
  /** The vendor's name: a path in the body, or a query name. */
  readonly to: string
  /**
   * Converts a timestamp to a UTC day, for vendors that take days in an unknown time zone. `day_before` (inclusive start): the day before.
   * `day_after` (exclusive end): the second day after the last millisecond before it, omitted unless in the past, because vendors refuse
   * future days.
   */
  readonly as?: 'day_before' | 'day_after'
}

/**
 * A parameter whose text is written from other parameters, which the request then omits. A slot `{name}` is quoted as the vendor's language
 * quotes; `{name|bare}` takes letters, digits and `.:+-_` only. A part whose slots have no value is left out.
 */
export interface TextParameter {
  /** Text before the parts. */
  readonly start?: string
  readonly parts: readonly string[]
  /** What stands between the parts: ` AND `. */
  readonly join: string
  /** Text before the first part, only if there is one: ` WHERE `. */
  readonly lead?: string
  /** Text behind the parts. */
  readonly end?: string
  /** Quotes around strings: `"` or `'`. Both, and backslashes, are escaped by a backslash within. */
  readonly quote: '"' | "'"
}

/** A filter that the vendor lacks and the engine applies to the page. The request omits the parameter unless `send` names it. */
export interface LocalFilter {
  /** Field of the record. */
  readonly field: string
  /** `from`: at or after the timestamp; `before`: strictly before it; `equals`: the same value; `in`: one of the listed values. */
  readonly keep: 'from' | 'before' | 'equals' | 'in'
}

/**
 * The source of a record field that the answer lacks under its documented name. `rename` moves the vendor's field, `copy` keeps it, `param`
 * takes a parameter of the call. `as` converts the value; `integer` and `number` turn an invalid decimal string into null. A field that the
 * answer has keeps its value, as the type that `as` names.
 */
export interface Origin {
  readonly rename?: string
  readonly copy?: string
  readonly param?: string
  readonly as?: 'string' | 'lower' | 'integer' | 'number'
}

/**
 * Merges the objects under these keys into one record. A later object overrides an earlier one, and fields beside them override all. A
 * value equal to `empty` becomes null. A row with its documented key is used unchanged. Without objects, `rest` takes the account's own fields.
 */
export interface MergedRows {
  readonly merge: readonly string[]
  /** Omitted: every value counts. */
  readonly empty?: string
  /** Fields with names that people gave: a name can equal `empty` and stays. */
  readonly names?: readonly string[]
  /** Field of the record that takes what the objects hold and the record does not name; without objects, the described fields. */
  readonly rest?: string
}

/** A second call that completes the rows of a page. */
export interface Join {
  /** Name of a lookup of the kind. */
  readonly lookup: string
  /** Field of the record that holds the lookup's key. */
  readonly on: string
  /** Record field → path in the record that was looked up, for rows without the field. */
  readonly take?: Readonly<Record<string, string>>
}

/** A file behind a URL in the answer. */
export interface FileSource {
  /** Path of the URL in the answer. */
  readonly at: string
  /** The parameter that becomes the `Range` header of the file request. The API request omits it. */
  readonly range: string
  /** Statuses of the file host for an expired URL. The engine then asks once for a new URL. */
  readonly renew: readonly number[]
  /** File name of the download. Parameters replace `{path}`, for example `{filter.callIds[0]}.mp3`. */
  readonly name: string
}

/** A request that the vendor identifies by an id and does not carry out twice. The body holds all parameters but the two query names. */
export interface Submission {
  /** Query name of the id, a UUID. If the action has a parameter of this name, the caller can choose the id. */
  readonly id: string
  /** Query name of `true`, which marks a repetition. If the action has a parameter of this name, the caller can set it. */
  readonly again: string
  /** Parameter that limits the vendor's work on the request, in seconds. After that time the request is over. */
  readonly within: string
}

/** Where the engine polls for a result that is not ready. The handle replaces `{…}` in the paths. */
export interface Poll {
  readonly call: `GET /${string}`
  /** Statuses that mean "not ready yet". */
  readonly statuses: readonly number[]
  /** Path of the handle in the answer. */
  readonly handle: string
  /** Cancels a read whose caller disconnected. Writes are not cancelled. */
  readonly cancel: `POST /${string}`
}

/** One operation: an entity with an action. */
export interface Operation {
  /** What the operation does, if the entity's sentence does not say it. */
  readonly about?: string
  /** The vendor's own endpoint, in the vendor's notation. */
  readonly call: `${Method} /${string}`
  /** How the request carries its parameters beside those of the path: GET and DELETE in the query, others as JSON if omitted. */
  readonly body?: 'json' | 'form' | 'query'
  /** Parameters that a request with a body carries in the query. */
  readonly query?: readonly string[]
  /** How a query or a form carries a list: the values joined with commas (default), the name repeated, or with brackets behind it. */
  readonly lists?: 'comma' | 'repeat' | 'brackets'
  /**
   * Headers of the request, beside those of the kind. A parameter replaces `{name}`, and stands nowhere else. A header whose slots are all
   * empty is omitted.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Name among the kind's `limits.budgets`; by default the budget of the kind. */
  readonly budget?: string
  /** Document of GraphQL. The body has it as `query`, and the parameters, the position and the size of a page as `variables`. */
  readonly graphql?: string
  /** Request header by which the vendor knows a repeated write and does it once: a UUID. */
  readonly once?: string
  /** How long the vendor remembers a value of that header, in seconds; a day if omitted. No repetition is sent after that. */
  readonly remembers?: number
  /** What a write answers: the record (default), some of its fields, such as its key, or nothing. */
  readonly answers?: 'record' | 'part' | 'nothing'
  /** How a list is answered instead of one JSON value: each line is a row. The first line of CSV has the names. `at` is ''. */
  readonly format?: 'ndjson' | 'csv'
  /** Path of the row or rows in the answer; '' is the whole body. `orders[].lines`: the rows are the lists within the rows of a list. */
  readonly at: string
  /** Fields of a record that the row around it has, for rows within rows: field → path. A field that the row has itself keeps its value. */
  readonly outer?: Readonly<Record<string, string>>
  /** The rows of a list are the values of an object, and its names become this field of the record. A whole number keeps its type. */
  readonly keyed?: string
  readonly params: Fields
  /** Name among the kind's `pages`; a list without one has one page. Other actions have one if all actions of the kind have one. */
  readonly page?: string
  /** The whole answer is one record, even for a list. */
  readonly one?: true
  readonly submits?: Submission
  /** The vendor returns the whole list at once: the meta has the fields of the shape, if there is one, and no next page. Or why so, in a sentence. */
  readonly onePage?: true | string
  /** Parameters that the engine writes from others: texts of query languages. */
  readonly text?: Readonly<Record<string, TextParameter>>
  /** Parameters that the request carries with another name or form, by path. */
  readonly send?: Readonly<Record<string, Send>>
  /** Fixed values of every request, by path. A list is sent as it is. */
  readonly constant?: Readonly<Record<string, string | number | boolean | readonly unknown[]>>
  /** Values for omitted parameters. Not sent together with a page position that excludes them. */
  readonly defaults?: Readonly<Record<string, string | number | boolean>>
  /** Documented parameters that the vendor's endpoint lacks. */
  readonly unsent?: readonly string[]
  /**
   * A status that means "not ready yet". The engine repeats the request after `Retry-After` until the deadline. With `poll` the engine asks
   * elsewhere for the result, and at the deadline returns the answer that says "not ready".
   */
  readonly running?: { readonly status: number; readonly poll?: Poll }
  /**
   * Conditions that the records of a list fulfil, all of them: the engine leaves out the others. Pages, marks and signs of an end count them
   * all the same. A sync deletes from the copy what no longer fits. Not beside `of`.
   */
  readonly where?: readonly Condition[]
  /** Filters that the vendor lacks, by the path of their parameter. */
  readonly local?: Readonly<Record<string, LocalFilter>>
  /** How the engine makes records from the rows at `at`: a rule that reads each row, or the objects that each row merges. */
  readonly rows?: RuleName | MergedRows
  /** A rule that accepts, changes or refuses the parameters before anything is sent. */
  readonly admit?: RuleName
  /**
   * Pages a list that the vendor returns at once: the parameters for the page number (from 1) and the page size. The engine cuts the page
   * and builds its meta.
   */
  readonly slice?: { readonly page: string; readonly size: string }
  /** Path in the row; the value `true` hides the row. */
  readonly hidden?: string
  readonly join?: Join
  readonly file?: FileSource
}

/** Properties of an entity that the documents leave open. The definition fills them from the vendor's own pages. */
export interface Filled {
  /** Actions whose parameters are not documented. */
  readonly params?: readonly LiveAction[]
  /** All fields of the record, or the named fields. */
  readonly record?: 'all' | readonly string[]
  readonly searchable?: 'all'
}

/** Stands for the names of the account's own fields, with commas, in `defaults`, `constant` and the start of a `text`. */
export const describedSlot = '{described}'

/**
 * Returns whether an operation asks for the account's own fields, or has to know them among the others of a row.
 * @param params of a call: the caller's own value replaces a default
 */
export function asksForDescribed(
  { defaults = {}, constant = {}, text = {}, rows }: Operation,
  params: Readonly<Record<string, unknown>> = {},
): boolean {
  if (typeof rows === 'object' && rows.merge.length === 0 && rows.rest !== undefined) return true
  const used = Object.entries(defaults).flatMap(([name, value]) => (params[name] === undefined ? [value] : []))
  return [...used, ...Object.values(constant), ...Object.values(text).map(({ start }) => start)].some(
    (value) => typeof value === 'string' && value.includes(describedSlot),
  )
}

/** The list that describes the fields that an account has of its own. */
export interface Described {
  readonly entity: string
  /** `{name}` as a value is the parameter `name` of the call that asks for the fields: each of an account's own types has fields of its own. */
  readonly params?: Readonly<Record<string, unknown>>
  /** Field of its records with the name, as a request has it. */
  readonly field: string
  /** Only for records that fit. */
  readonly where?: Condition
}

/** Reads the parameter of a call that a value of `Described.params` takes; undefined for any other value. */
export const readDescribedSlot = (value: unknown): string | undefined =>
  typeof value === 'string' ? /^\{(\w+)\}$/.exec(value)?.[1] : undefined

/** One entity. */
export interface EntityDefinition extends Partial<Record<LiveAction, Operation>> {
  readonly about: string
  /** Scopes of which the credentials need one. Empty: every credential can read the entity. Omitted: unknown. */
  readonly scope?: readonly string[]
  /** Fields that identify a row; `param.<path>` for a value that only the call knows. */
  readonly key: readonly string[]
  /** The entity that this entity is a view or part of, under the same key. A record that is deleted or hidden in one is so in both. */
  readonly of?: string
  /** Fields of a record; omitted for downloads. */
  readonly record?: Fields
  /**
   * What searchable fields refer to: path → entity of this kind, whose key has one part. `[]` stands behind a list: `a[].b`, `ids[]`. Searches
   * include fields of what is referred to, and filter by them.
   */
  readonly refers?: Readonly<Record<string, string>>
  /** Record field → its source at the vendor. Paths: `a`, `a.b`, `a[].b`. */
  readonly from?: Readonly<Record<string, Origin>>
  /** Searchable fields of the context store. */
  readonly context_store_search?: Fields
  /** Path of the searchable field with the title of a record; omitted: the first usual one (`findTitle`). Its words have an index. */
  readonly title?: string
  /** Path of the searchable field that says in short what a record is about. Its words have an index. */
  readonly summary?: string
  /**
   * Address of a record's page at the vendor: `https:`, with searchable fields and values of the configuration as `{name}`, each escaped. A
   * field with the whole address stands behind the host: `https://github.com/{html_url}`.
   */
  readonly link?: string
  readonly sync?: Sync
  readonly filled?: Filled
  readonly described?: Described
}

/** Lists the live actions of an entity, in the order of the documents. */
export const listLiveActions = (entity: EntityDefinition): LiveAction[] => liveActions.filter((action) => entity[action] !== undefined)

/** Lists all actions of an entity, search included. */
export const listActions = (entity: EntityDefinition): string[] =>
  entity.context_store_search === undefined ? listLiveActions(entity) : [...listLiveActions(entity), 'context_store_search']

/** Finds a live operation by its names; undefined for one that does not exist. */
export function findLiveOperation(
  entities: Readonly<Record<string, EntityDefinition>>,
  entity: string,
  action: string,
): Operation | undefined {
  const found = liveActions.find((each) => each === action)
  return found === undefined || !Object.hasOwn(entities, entity) ? undefined : entities[entity]?.[found]
}
