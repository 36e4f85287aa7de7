/** Reads which fields a vendor's account has of its own, and asks for them where a definition says `{described}`. */
import { asksForDescribed, describedSlot, type Operation } from '../../definition/entity.ts'
import { isObject } from '../../definition/object.ts'
import { FerruleError } from '../../errors.ts'
import { BoundedMap } from '../../values/bounded-map.ts'
import { writeJson } from '../../values/json/json.ts'
import type { Connection } from '../connection.ts'
import { buildTest } from '../json/condition.ts'
import { getAt, parsePath } from '../json/paths.ts'
import { failInvalidAnswer } from './answer.ts'
import type { CompiledOperation } from './operation.ts'
import type { Outcome } from './outcome.ts'
import { readBatches } from './page-records.ts'
import type { Params } from './params.ts'

/** Most names that a call asks for: they stand in addresses of a bounded length. */
const mostNames = 500
/** Most pages of a description. */
const mostPages = 20
/** How long a description is kept, in milliseconds: a new field is asked for ten minutes later. */
const keptMs = 600_000
/** Most descriptions that are kept. */
const mostKept = 1_000
/** Names that can stand in a list with commas, or in a query, without quotes. */
const plainName = /^[\w.:-]{1,200}$/

/** What a description says. */
interface Names {
  readonly names: readonly string[]
  /** Why names are missing. */
  readonly warning?: string | undefined
}

/** Keeps the descriptions of connectors for a while. */
export class Descriptions {
  readonly #kept = new BoundedMap<string, { readonly names: Names; readonly until: number }>(mostKept)

  /** Returns a description that is still kept. */
  get(key: string, now: number): Names | undefined {
    const found = this.#kept.get(key)
    return found !== undefined && now < found.until ? found.names : undefined
  }

  /** Keeps a description. */
  set(key: string, names: Names, now: number): void {
    this.#kept.set(key, { names, until: now + keptMs })
  }
}

/** What a description is read with. */
interface Describing {
  readonly connection: Connection
  readonly operation: CompiledOperation
  readonly params: Params
  readonly runtime: { readonly descriptions: Descriptions; readonly steady: () => number }
  /** Runs a list of the same connector. */
  readonly list: (call: { readonly entity: string; readonly params: Params }) => Promise<Outcome>
}

/** An operation that asks for the fields of the account. */
interface Described {
  readonly operation: CompiledOperation
  readonly warning?: string | undefined
}

/** Puts names into a text. Those that it has already are not said twice: a query language can refuse that. */
function putNames<T>(value: T, names: readonly string[]): T | string {
  if (typeof value !== 'string' || !value.includes(describedSlot)) return value
  const said = new Set(value.split(/[^\w.:-]+/))
  const added = names.filter((name) => !said.has(name))
  const [before = '', ...rest] = value.split(describedSlot)
  const behind = rest.join('')
  return added.length > 0 ? `${before}${added.join(',')}${behind}` : `${before.replace(/,$/, '')}${behind}`
}

function putAll(operation: Operation, names: readonly string[]): Operation {
  const { defaults = {}, constant = {}, text = {} } = operation
  const all = <T>(values: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, putNames(value, names)]))
  const texts = Object.entries(text).map(([name, each]) => [
    name,
    each.start === undefined ? each : { ...each, start: putNames(each.start, names) },
  ])
  return { ...operation, defaults: all(defaults), constant: all(constant), text: Object.fromEntries(texts) }
}

/** Reads the names of all pages of a description. */
async function readNames({ operation, list }: Describing): Promise<readonly string[]> {
  const { entity = '', params: given = {}, field = '', where } = operation.entity.described ?? {}
  const fits = where === undefined ? () => true : buildTest(where)
  const path = parsePath(field)
  const names: string[] = []
  let params: Params = given
  for (let page = 0; page < mostPages; page += 1) {
    const outcome = await list({ entity, params })
    if (outcome.type !== 'list') break
    for await (const rows of readBatches(outcome.data))
      for (const row of rows) {
        const name = getAt(row, path)
        if (typeof name === 'string' && fits(row)) names.push(name)
      }
    const { next_params: next } = outcome.meta
    if (!isObject(next)) return names
    params = { ...params, ...next }
  }
  throw failInvalidAnswer(operation, 'the description of its fields does not end')
}

/** Codes of a description that the credentials cannot read: the fields that the definition names are read all the same. */
const refusals: ReadonlySet<string> = new Set(['upstream_permission_denied', 'upstream_unsupported', 'record_not_found'])

async function findNames(describing: Describing): Promise<Names> {
  const { operation } = describing
  const { entityName } = operation
  try {
    const all = await readNames(describing)
    const names = all.filter((name) => plainName.test(name)).slice(0, mostNames)
    const left = all.length - names.length
    return {
      names,
      ...(left === 0 ? {} : { warning: `${left} of the ${all.length} fields that the account has for ${entityName} are not asked for` }),
    }
  } catch (thrown) {
    if (!(thrown instanceof FerruleError && refusals.has(thrown.code))) throw thrown
    return { names: [], warning: `The fields that the account has for ${entityName} are missing: ${thrown.message.replace(/\.$/, '')}` }
  }
}

/**
 * Puts the names of the account's own fields into an operation that asks for them.
 * @throws the errors of the call that describes them, but for a refusal, which is a warning
 */
export async function describeFields(describing: Describing): Promise<Described> {
  const { connection, operation, params, runtime } = describing
  if (!asksForDescribed(operation.operation, params)) return { operation }
  if (operation.entity.described === undefined) return { operation: { ...operation, operation: putAll(operation.operation, []) } }
  const { cursorKey, configuration, origin = null, kind } = connection
  const owner = cursorKey === undefined ? undefined : Buffer.from(cursorKey).toString('base64url')
  const key = writeJson([owner, kind.definition.kind, configuration, origin, operation.entity.described])
  const kept = owner === undefined ? undefined : runtime.descriptions.get(key, runtime.steady())
  const { names, warning } = kept ?? (await findNames(describing))
  if (owner !== undefined && kept === undefined) runtime.descriptions.set(key, { names, warning }, runtime.steady())
  return { operation: { ...operation, operation: putAll(operation.operation, names) }, warning }
}
