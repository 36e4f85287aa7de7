/** Runs a statement, and reads the parts of its result. */
import { FerruleError } from 'ferrule/core'
import { type Hosted, isObject } from 'ferrule/internal'
import { useEffect, useRef, useState } from 'react'
import { useConnector } from '../../data/connector.ts'
import { readAnswerRows } from '../../parts/table/answer-rows.ts'
import type { DataColumn } from '../../parts/table/columns.ts'
import type { StatementCall } from './statement.ts'

/** Rows that the table holds when all parts are read; the part that reaches the limit is shown whole. */
export const mostRows = 50_000

/** What a run has given so far. */
export interface StatementRun {
  readonly isRunning: boolean
  readonly columns: readonly DataColumn[]
  readonly rows: readonly unknown[]
  /** Rows of all parts; undefined: the warehouse does not say. */
  readonly total?: number
  readonly parts: number
  readonly hasMore: boolean
  /** What a write changed, or what the warehouse says. */
  readonly message?: string
  readonly error?: unknown
  /** true: the reader ended it. */
  readonly isCancelled?: boolean
}

const begun: StatementRun = { isRunning: true, columns: [], rows: [], parts: 0, hasMore: false }

type StatementPart = Awaited<ReturnType<ReturnType<Hosted['parts']>['next']>> extends IteratorResult<infer P, unknown> ? P : never

/** Adds a part to what was read. Only the first part describes the columns and lists all parts. */
function addPart(run: StatementRun, { data, meta }: StatementPart): StatementRun {
  const { rows, columns } = readAnswerRows(data)
  const described = Reflect.get(data, 'resultSetMetaData')
  const total = isObject(described) && typeof described['numRows'] === 'number' ? described['numRows'] : run.total
  const parts = run.parts + 1
  const isFirst = run.parts === 0
  const cells: unknown = data.data
  const all = [...run.rows, ...(isFirst ? rows : Array.isArray(cells) ? cells : [])]
  const hasMore = total === undefined ? meta.next_params !== null : all.length < total
  return { ...run, rows: all, columns: isFirst ? columns : run.columns, parts, hasMore, ...(total === undefined ? {} : { total }) }
}

/** Describes what a write did: the counts of the warehouse, else its message. */
function describeWrite(answer: unknown): string {
  const data = isObject(answer) && isObject(answer['data']) ? answer['data'] : {}
  const counts = isObject(data['stats']) ? Object.entries(data['stats']).filter(([, count]) => typeof count === 'number' && count > 0) : []
  const changed = counts.map(
    ([name, count]) =>
      `${name
        .replace(/^num/, '')
        .replace(/([A-Z])/g, ' $1')
        .trim()
        .toLowerCase()}: ${count}`,
  )
  return changed.join(', ') || String(data['message'] ?? 'The statement ran.')
}

/** What stays of a run between its parts. */
interface Running {
  readonly stop: AbortController
  readonly parts?: ReturnType<Hosted['parts']>
  /** Key of a write: the same key repeats it without doing it twice. */
  readonly key?: string
}

type RunChange = (run: StatementRun) => StatementRun

/** Reads parts until there are enough rows. */
async function readParts({ parts }: Running, most: number): Promise<RunChange> {
  const read: StatementPart[] = []
  for (let rows = 0; rows < most; ) {
    const { value, done } = (await parts?.next()) ?? { done: true }
    if (done === true || value === undefined) return (known) => ({ ...read.reduce(addPart, known), hasMore: false })
    read.push(value)
    rows += Array.isArray(value.data.data) ? value.data.data.length : 0
  }
  return (known) => read.reduce(addPart, known)
}

async function sendWrite(
  hosted: Hosted,
  { entity, action, params }: StatementCall,
  { stop: { signal }, key = '' }: Running,
): Promise<RunChange> {
  const message = describeWrite(await hosted.execute(entity, action, params, { signal, idempotencyKey: key }))
  return (known) => ({ ...known, message })
}

/** Keeps a run: each step changes it, and its error or its end is noted. */
function useSteps() {
  const [run, setRun] = useState<StatementRun>()
  const running = useRef<Running>(undefined)
  useEffect(() => () => running.current?.stop.abort(), [])
  const step = async (work: (current: Running) => Promise<RunChange>) => {
    const { current } = running
    if (current === undefined) return
    const { signal } = current.stop
    const note = (change: RunChange) => running.current === current && setRun((known) => ({ ...change(known ?? begun), isRunning: false }))
    setRun((known) => ({ ...(known ?? begun), isRunning: true, error: undefined }))
    try {
      note(await work(current))
    } catch (error) {
      note((known) => ({ ...known, ...(signal.aborted ? { isCancelled: true, hasMore: false } : { error }) }))
    }
  }
  const begin = (next: Running) => {
    running.current?.stop.abort()
    running.current = next
    setRun(begun)
  }
  return { run, begin, step, cancel: () => running.current?.stop.abort() }
}

/** Runs statements of a connector, one at a time. */
export function useRun(connector: string) {
  const hosted = useConnector(connector)
  const { run, begin, step, cancel } = useSteps()
  const write = (call: StatementCall) => step((current) => sendWrite(hosted, call, current))
  const read = (most: number) => step((current) => readParts(current, most))
  const start = (call: StatementCall, isWrite: boolean) => {
    const stop = new AbortController()
    const { signal } = stop
    begin(isWrite ? { stop, key: crypto.randomUUID() } : { stop, parts: hosted.parts(call.entity, call.params, { signal }) })
    return isWrite ? write(call) : read(1)
  }
  return { run, start, cancel, readNext: () => read(1), readAll: () => read(mostRows - (run?.rows.length ?? 0)), repeatWrite: write }
}

/** Returns whether nobody knows if a write was carried out. */
export const isUnknown = (error: unknown): boolean => error instanceof FerruleError && error.code === 'outcome_unknown'
