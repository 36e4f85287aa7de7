/** Recorded answers of lines as rows, and rows as lines. Whoever reads CSV loads its reader before (`loadLineReader`). */
import type { ConnectorDefinition } from '../definition/connector.ts'
import { findLiveOperation, liveActions } from '../definition/entity.ts'
import { isObject } from '../definition/object.ts'
import { compileLines, type LineFormat, loadLineReader, type RowLines, readRowLines } from '../engine/json/raw-rows.ts'
import { formatCsvText } from '../values/csv.ts'
import { writeJson } from '../values/json/json.ts'

/** Finds how the answers of an operation are written; undefined for JSON. */
export function findLines({ entities }: ConnectorDefinition, name: string, action: string): RowLines | undefined {
  const entity = entities[name]
  const operation = findLiveOperation(entities, name, action)
  return entity === undefined || operation === undefined ? undefined : compileLines(entity, operation)
}

/** Loads what reads the recorded answers of a kind. */
export async function loadLineReaders({ entities }: ConnectorDefinition): Promise<void> {
  for (const entity of Object.values(entities)) for (const action of liveActions) await loadLineReader(entity[action]?.format)
}

/** Reads lines; undefined for any other text. */
export function readLines(lines: RowLines, text: string): unknown {
  try {
    return readRowLines(lines, text)
  } catch {
    return undefined
  }
}

const writeCell = (value: unknown): string =>
  value === null || value === undefined ? '' : formatCsvText(typeof value === 'object' ? writeJson(value) : String(value), 'keep')

/** Writes rows as lines. @param like lines with the same names, for CSV: no rows have names of their own */
export function writeLines(format: LineFormat, rows: readonly unknown[], like: string): string {
  if (format === 'ndjson') return rows.map((row) => `${writeJson(row)}\n`).join('')
  const [first] = rows
  const names = isObject(first) ? Object.keys(first) : undefined
  const head = names === undefined ? like.slice(0, like.search(/\r?\n|$/)) : names.map(writeCell).join(',')
  const lines = rows.flatMap((row) => (isObject(row) ? [(names ?? []).map((name) => writeCell(row[name])).join(',')] : []))
  return [head, ...lines].map((line) => `${line}\n`).join('')
}
