/** Reads a list by values that the connector knows, although the vendor refuses some of them. */
import { FerruleError } from '../../errors.ts'
import { readJson, writeJson } from '../../values/json/json.ts'
import { RawRows } from '../json/raw-rows.ts'
import type { CompiledOperation, FilledParameter, Params } from './operation.ts'
import type { Outcome } from './outcome.ts'
import { slicePage } from './page-records.ts'

type List = Extract<Outcome, { readonly type: 'list' }>

interface Divided {
  readonly lists: readonly List[]
  readonly refused: readonly { readonly value: unknown; readonly error: FerruleError }[]
}

interface Division {
  readonly operation: CompiledOperation
  readonly parameter: FilledParameter
  readonly run: (params: Params) => Promise<Outcome>
}

const isRefusal = ({ parameter: { fill } }: Division, thrown: unknown): thrown is FerruleError =>
  thrown instanceof FerruleError && new RegExp(fill.refusal ?? '').test(thrown.upstream?.message ?? '')

/** Reads values; after a refusal in halves, down to the refused one. */
async function readValues(division: Division, params: Params, values: readonly unknown[]): Promise<Divided> {
  try {
    const outcome = await division.run({ ...params, [division.parameter.name]: writeJson(values) })
    return { lists: outcome.type === 'list' ? [outcome] : [], refused: [] }
  } catch (thrown) {
    if (!isRefusal(division, thrown)) throw thrown
    if (values.length <= 1) return { lists: [], refused: values.map((value) => ({ value, error: thrown })) }
    const middle = Math.ceil(values.length / 2)
    const one = await readValues(division, params, values.slice(0, middle))
    const other = await readValues(division, params, values.slice(middle))
    return { lists: [...one.lists, ...other.lists], refused: [...one.refused, ...other.refused] }
  }
}

/**
 * Reads a list without the values that the vendor refuses. The result names them, and counts as incomplete.
 * @throws FerruleError the refusal if all values are refused; any other error
 */
export async function readDivided(division: Division, params: Params): Promise<Outcome> {
  const { operation, parameter } = division
  const values: unknown = readJson(String(params[parameter.name]))
  const known = Array.isArray(values) ? values : []
  const { lists, refused } = await readValues(division, params, known)
  const [first] = lists
  const [reason] = refused
  if (first === undefined) throw reason?.error
  if (reason === undefined) return first
  const { rows, made } = slicePage(
    operation,
    params,
    lists.flatMap(({ data }) => (data instanceof RawRows ? data.toJSON() : data)),
  )
  const names = refused.map(({ value }) => String(value)).join(', ')
  const doubt = `${refused.length} of ${known.length} ${parameter.name} are left out (${names}): ${reason.error.message.replace(/\.$/, '')}`
  const told = lists.flatMap(({ meta: { warnings } }) => (Array.isArray(warnings) ? warnings : []))
  return { type: 'list', data: rows, meta: { ...first.meta, ...made, warnings: [...told, `${doubt}.`] }, doubt }
}
