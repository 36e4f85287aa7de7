/** Reads which fields a vendor's account has of its own, and asks for them where a definition says `{described}`. */
import { describedSlot, isWriting, type Operation, readDescribedSlot } from '../../definition/entity.ts'
import { isObject } from '../../definition/object.ts'
import { FerruleError } from '../../errors.ts'
import { BoundedMap } from '../../values/bounded-map.ts'
import { writeJson } from '../../values/json/json.ts'
import type { Connection } from '../connection.ts'
import { buildTest, getAt, parsePath } from '../json/paths.ts'
import { failInvalidAnswer } from './answer.ts'
import type { CompiledOperation, Params } from './operation.ts'
import type { Call, Outcome } from './outcome.ts'
import { readBatches } from './page-records.ts'

/** Most names that a call asks for, and most characters of them with a comma as `%2C` each: addresses have a bounded length. */
const mostNames = 500
const mostCharacters = 10_000
const mostPages = 20
/** How long a description is kept, in milliseconds: a new field is asked for ten minutes later. */
const keptMs = 600_000
const mostKept = 1_000
/** Most refusals of a call that name one of the fields. */
const mostRefusals = 5
/** Names that can stand in a list with commas, or in a query, without quotes. */
const plainName = /^[\w.:-]{1,200}$/

interface Names {
  /** Those that are asked for. */
  readonly names: readonly string[]
  /** Number of all fields that are described. */
  readonly total: number
  /** Why the vendor does not describe them. */
  readonly failure?: string
}

/** Keeps the descriptions of connectors for a while. */
export class Descriptions {
  readonly #kept = new BoundedMap<string, { readonly names: Names; readonly until: number }>(mostKept)

  /** Returns a description that is still kept. */
  get(key: string, now: number): Names | undefined {
    const found = this.#kept.get(key)
    return found !== undefined && now < found.until ? found.names : undefined
  }

  set(key: string, names: Names, now: number): void {
    this.#kept.set(key, { names, until: now + keptMs })
  }
}

interface Describing {
  readonly connection: Connection
  readonly operation: CompiledOperation
  readonly params: Params
  readonly runtime: { readonly descriptions: Descriptions; readonly steady: () => number }
  /** Runs a list of the same connector. */
  readonly list: (call: { readonly entity: string; readonly params: Params }) => Promise<Outcome>
  /** The memory of the call; a description gives back what it takes. */
  readonly memory?: Call['memory']
}

/** Runs an operation that asks for the fields of the account. */
type RunCompiled = (operation: CompiledOperation) => Promise<Outcome>

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

/** Returns the parameters of a description: a slot takes that parameter of the call. */
const fillParams = ({ operation, params }: Describing): Params =>
  Object.fromEntries(
    Object.entries(operation.entity.described?.params ?? {}).map(([name, value]) => {
      const slot = readDescribedSlot(value)
      return [name, slot === undefined ? value : params[slot]]
    }),
  )

async function readNames(describing: Describing): Promise<readonly string[]> {
  const { operation, list } = describing
  const { entity = '', field = '', where } = operation.entity.described ?? {}
  const fits = where === undefined ? () => true : buildTest(where)
  const path = parsePath(field)
  const names: string[] = []
  let params = fillParams(describing)
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

function chooseNames(all: readonly string[]): readonly string[] {
  let room = mostCharacters
  return all.filter((name) => {
    const isChosen = plainName.test(name) && name.length + 3 <= room
    if (isChosen) room -= name.length + 3
    return isChosen
  })
}

/** Reads a description. A name that the vendor refuses is not asked for. */
async function findNames(describing: Describing, refused: readonly string[] = []): Promise<Names> {
  const { memory } = describing
  const held = memory?.held ?? 0
  try {
    const all = await readNames(describing)
    return { names: chooseNames(all.filter((name) => !refused.includes(name))).slice(0, mostNames), total: all.length }
  } catch (thrown) {
    if (!(thrown instanceof FerruleError && refusals.has(thrown.code))) throw thrown
    return { names: [], total: 0, failure: thrown.message.replace(/\.$/, '') }
  } finally {
    memory?.shrinkTo(held)
  }
}

/** Describes which names are not asked for; undefined if all are. */
function describeMissing({ entityName }: CompiledOperation, { names, total, failure }: Names): string | undefined {
  if (failure !== undefined) return `The fields that the account has for ${entityName} are missing: ${failure}`
  const left = total - names.length
  return left === 0 ? undefined : `${left} of the ${total} fields that the account has for ${entityName} are not asked for`
}

function listRefused(thrown: unknown, names: readonly string[]): readonly string[] {
  const message = (thrown instanceof FerruleError && thrown.upstream?.message) || ''
  const quoted = new Set([...message.matchAll(/(['"`])([\w.:-]+)\1/g)].map(([, , name]) => name))
  return names.filter((name) => quoted.has(name))
}

function addWarning(outcome: Outcome, warning: string | undefined): Outcome {
  if (outcome.type === 'file' || warning === undefined) return outcome
  const { warnings } = outcome.meta
  return { ...outcome, meta: { ...outcome.meta, warnings: [...(Array.isArray(warnings) ? warnings : []), `${warning}.`] } }
}

function openKept(describing: Describing) {
  const { connection, operation, runtime } = describing
  const { descriptions, steady } = runtime
  const { cursorKey, configuration, origin = null, kind } = connection
  if (cursorKey === undefined) return { kept: undefined, keep: (names: Names): Names => names }
  const owner = Buffer.from(cursorKey).toString('base64url')
  const key = writeJson([owner, kind.definition.kind, configuration, origin, operation.entity.described, fillParams(describing)])
  const keep = (names: Names): Names => {
    descriptions.set(key, names, steady())
    return names
  }
  return { kept: descriptions.get(key, steady()), keep }
}

const putNamesInto = (operation: CompiledOperation, names: readonly string[]): CompiledOperation => ({
  ...operation,
  operation: putAll(operation.operation, names),
  own: new Set(names.filter((name) => !operation.fields.names.includes(name))),
})

/**
 * Runs an operation that asks for the account's own fields: it gets their names, and its outcome a warning if some are missing. A field can
 * disappear while its name is kept: when the vendor refuses a name, the description is read again, once. Names that are refused are left out.
 * @throws the errors of the operation, and those of the call that describes the fields; a refused description is a warning
 */
export async function runDescribed(describing: Describing, run: RunCompiled): Promise<Outcome> {
  const { operation } = describing
  if (operation.entity.described === undefined) return run(putNamesInto(operation, []))
  const { kept, keep } = openKept(describing)
  let found = kept ?? keep(await findNames(describing))
  for (let count = 0; ; count += 1)
    try {
      return addWarning(await run(putNamesInto(operation, found.names)), describeMissing(operation, found))
    } catch (thrown) {
      const refused = isWriting(operation.action) || count >= mostRefusals ? [] : listRefused(thrown, found.names)
      if (refused.length === 0) throw thrown
      const rest = found.names.filter((name) => !refused.includes(name))
      found = keep(count === 0 ? await findNames(describing, refused) : { ...found, names: rest })
    }
}
