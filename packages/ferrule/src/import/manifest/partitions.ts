/** Calls for each record of another stream, or for each value of a list. */
import { type Component, isScalar } from './component.ts'
import type { Notes } from './outcome.ts'
import { type RequestOption, readOption, toPath } from './paging.ts'
import { findLogic, readPlain, readTemplate } from './template.ts'

/** One stream for whose records another one is called. */
export interface ParentDraft {
  readonly stream: Component
  /** Path of the value in the parent's record. */
  readonly path: string
  /** Paths of further values, by the names that expressions have for them. */
  readonly extra: Readonly<Record<string, string>>
}
/** What a list is called for. */
export interface Partition {
  /** The name that expressions have for the value. */
  readonly field: string
  readonly option?: RequestOption
  readonly parents?: readonly ParentDraft[]
  /** Values; undefined for those that an account chooses. */
  readonly values?: readonly (string | number | boolean)[]
}

function readExtra(config: Component): Readonly<Record<string, string>> {
  const all = config.takeAll('extra_fields')
  const paths = (Array.isArray(all) ? all : []).map((each) => (Array.isArray(each) ? each.map(String) : [String(each)]))
  return Object.fromEntries(paths.flatMap((steps) => [[steps.join('.'), toPath(steps) ?? steps.join('.')]]))
}

function readParent(
  config: Component,
  notes: Notes,
): { readonly field: string; readonly option?: RequestOption; readonly parent: ParentDraft } | undefined {
  config.leave('incremental_dependency', 'lazy_read_pointer')
  if (config.isCustom) return notes.stop('custom code: partitions')
  const stream = config.child('stream')
  const key = readPlain(config.template('parent_key') ?? [])
  const field = readPlain(config.template('partition_field') ?? [])
  if (config.take('lazy_read_pointer') !== undefined) notes.stop(lazy)
  const path = toPath((key ?? '').split(/[./]/).filter((step) => step !== ''))
  if (stream === undefined || field === undefined || path === undefined) return notes.stop('logic in the parent of a stream', key)
  const option = readOption(config.child('request_option'), notes)
  return { field, ...(option === undefined ? {} : { option }), parent: { stream, path, extra: readExtra(config) } }
}

const lazy = 'rows within the records of another stream, which are read page by page'

function readSubstream(router: Component, notes: Notes): Partition | undefined {
  const found = router.children('parent_stream_configs').flatMap((each) => readParent(each, notes) ?? [])
  const [first, ...others] = found
  if (first === undefined) return notes.stop('a stream without the parent that it needs')
  const isSame = others.every(({ field, option }) => field === first.field && option?.name === first.option?.name)
  if (!isSame) return notes.stop('several parents with different parameters')
  return { field: first.field, ...(first.option === undefined ? {} : { option: first.option }), parents: found.map(({ parent }) => parent) }
}

function readList(router: Component, notes: Notes): Partition | undefined {
  const field = readPlain(router.template('cursor_field') ?? [])
  const values = router.takeAll('values')
  const option = readOption(router.child('request_option'), notes)
  if (field === undefined) return notes.stop('logic in a list of values')
  const rest = { field, ...(option === undefined ? {} : { option }) }
  if (Array.isArray(values) && values.every(isScalar) && !values.some((each) => String(each).includes('{{'))) return { ...rest, values }
  const template = readTemplate(typeof values === 'string' ? values : JSON.stringify(values ?? ''))
  const logic = findLogic(template)
  if (logic !== undefined) return notes.stop('logic in a list of values', logic)
  return rest
}

/** What a list is called for: records of another stream, and values of lists. */
export interface Partitions {
  readonly substreams: readonly Partition[]
  readonly lists: readonly Partition[]
}

function readOne(router: Component, notes: Notes): Partition | undefined {
  if (router.type === 'SubstreamPartitionRouter') return readSubstream(router, notes)
  if (router.type === 'ListPartitionRouter') return readList(router, notes)
  router.leaveAll()
  return notes.stop(router.isCustom ? 'custom code: partitions' : 'partitions that kind files do not have', router.type)
}

/** Reads what a list is called for. Several routers are each pair of what they have. */
export function readPartitions(routers: readonly Component[], notes: Notes): Partitions {
  const found = routers.flatMap((router) => readOne(router, notes) ?? [])
  const substreams = found.filter(({ parents }) => parents !== undefined)
  const lists = found.filter(({ parents }) => parents === undefined)
  if (lists.filter(({ values }) => values !== undefined).length > 1) notes.stop('calls for each pair of values of two lists')
  return { substreams, lists }
}
