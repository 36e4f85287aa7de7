/** What the tools that read a copy share: whom a call asks, its conditions and order, and what corrects it. */
import { isObject } from '../definition/object.ts'
import { readProperties } from '../document/schema.ts'
import { asFerruleError, fail, failValidation, moveProblems } from '../errors.ts'
import { parseFilter } from '../values/filter/parse.ts'
import { parseSort } from '../values/filter/sort.ts'
import { readJson } from '../values/json/json.ts'
import { findNearNames } from '../values/near-names.ts'
import type { EntityDocument } from '../wire/definitions.ts'
import { writeLine } from './answers/json.ts'
import { type RunningCall, readString } from './context.ts'
import { type Described, Explained, findEntity } from './operations.ts'
import { aggregate, answerRead, start } from './reading.ts'
import { findDescribed } from './tools/execute.ts'
import type { AgentAnswer } from './types.ts'

type Json = Readonly<Record<string, unknown>>

/** Records of a page, unless the call says more. */
const usualLimit = 50

/** Reads conditions as text. @throws FerruleError whose fields name the argument */
export function readConditions(running: RunningCall, name: string): Json | undefined {
  const text = readString(running, name)
  return text === undefined ? undefined : moveProblems(`/${name}`, () => parseFilter(text))
}

/** Reads the filter of a call: `where` and `filter` must both hold. */
export function readFilter(running: RunningCall): Json | undefined {
  const { filter } = running.args
  const given = [readConditions(running, 'where'), isObject(filter) ? filter : undefined].filter((each) => each !== undefined)
  return given.length > 1 ? { and: given } : given[0]
}

/** Reads `started desc, title`, or the JSON that the service takes. */
function readSort(running: RunningCall): readonly unknown[] | undefined {
  const text = readString(running, 'sort')
  if (text === undefined || !text.trim().startsWith('[')) return text === undefined ? undefined : parseSort(text)
  try {
    const list = readJson(text)
    if (Array.isArray(list)) return list
  } catch {
    // the same refusal as for JSON that is no list
  }
  throw failValidation([{ field: '/sort', message: 'is not valid JSON: write started desc, title asc', error_code: 'value' }])
}

/** Reads the order and the size of a page. */
export function readPage(running: RunningCall): { readonly sort?: readonly unknown[]; readonly limit: unknown } {
  const sort = readSort(running)
  const { limit = usualLimit } = running.args
  return { ...(sort === undefined ? {} : { sort }), limit }
}

const listFields = ({ searchable }: EntityDocument): readonly string[] => readProperties(searchable).map(([name]) => name)

/**
 * Finds the connector and the entity that a call names.
 * @throws Explained `action_not_supported` where the entity has no copy
 */
export async function findCopied(running: RunningCall, action: string): Promise<readonly [Described, EntityDocument]> {
  const described = await findDescribed(running, readString(running, 'connector'))
  const document = findEntity(described, readString(running, 'entity') ?? '')
  const { entity, searchable, actions } = document
  if (searchable !== null) return [described, document]
  const known = described.kind.entities.flatMap((each) => (each.searchable === null ? [] : [each.entity]))
  const error = fail('action_not_supported', { entity, action, known: actions.map((each) => each.action).join(', ') })
  throw new Explained(error, [
    known.length === 0 ? 'Nothing of this connector can be searched: use execute.' : `Searchable: ${known.join(', ')}.`,
  ])
}

/** Lists what a problem can be about: the last name of its field, and the text that the request has there. */
function listGiven(params: unknown, field: string): readonly string[] {
  const steps = field.split('/').slice(2)
  const step = (value: unknown, name: string): unknown =>
    typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
  const given = steps.reduce(step, params)
  return [steps.at(-1) ?? '', ...(typeof given === 'string' ? [given] : [])]
}

/** A way to read a copy. */
export interface CopyReading {
  /** Name of the tool. */
  readonly tool: string
  readonly action: string
  /** Reads the parameters of the call. */
  readonly readParams: (running: RunningCall) => Json
  /** Further arguments of a call that fits. @param field a field of the entity */
  readonly example: (field: string) => Json
}

/** Reads a copy, and answers a mistake with the fields that were probably meant and a call that fits. */
export async function readCopy(running: RunningCall, { tool, action, readParams, example }: CopyReading): Promise<AgentAnswer> {
  const [{ connector, kind }, document] = await findCopied(running, tool)
  const { entity } = document
  let params: Json | undefined
  try {
    const { max_age: maxAge } = running.args
    params = readParams(running)
    const request = { entity, action, params, maxAge: typeof maxAge === 'number' ? maxAge : undefined }
    return await answerRead(running, { connector, kind, request, offset: start, canNarrow: action !== aggregate })
  } catch (thrown) {
    if (thrown instanceof Explained) throw thrown
    const error = asFerruleError(thrown)
    if (error.fault !== 'caller') throw new Explained(error, [])
    const names = listFields(document)
    const near = error.errors.flatMap(({ field }) => listGiven(params, field).flatMap((given) => findNearNames(given, names)))
    const call = { connector: connector.name, entity, ...example(names[0] ?? 'id') }
    throw new Explained(error, [
      ...(near.length === 0 ? [] : [`Nearest: ${[...new Set(near)].join(', ')}.`]),
      `A call that fits: ${tool} ${writeLine(call)}`,
    ])
  }
}
