/** The span of a statement, in the names of OpenTelemetry's conventions for databases. Never the text of the statement, and never a value. */
import type { SpanStart } from 'ferrule/internal'

/** A database as the conventions name it. */
export type DatabaseSystem = 'postgresql' | 'sqlite'

const operationOf = /^\s*(\w+)/
/** The operation behind common table expressions. */
const mainOperation = /\b(insert|update|delete|select)\b/i
const writtenTable = /\b(?:insert\s+into|update|delete\s+from|copy)\s+"?([a-z_][\w$]*)/i
/** Skips functions that stand where tables do. */
const readTable = /\bfrom\s+"?([a-z_][\w$]*)(?![\w$])"?(?!\s*\()/i

function readOperation(text: string): string {
  const first = operationOf.exec(text)?.[1]?.toUpperCase() ?? 'UNKNOWN'
  return first === 'WITH' ? (mainOperation.exec(text)?.[1]?.toUpperCase() ?? first) : first
}

/**
 * Describes the span of a statement. Background work, such as the queue of syncs, has no span of its own.
 * @param text SQL without values: ours have them as parameters
 */
export function describeStatement(system: DatabaseSystem, text: string): SpanStart {
  const operation = readOperation(text)
  const table = (operation === 'SELECT' ? readTable : writtenTable).exec(text)?.[1]
  const summary = table === undefined ? operation : `${operation} ${table}`
  return {
    name: summary,
    kind: 'client',
    needsParent: true,
    attributes: { 'db.system.name': system, 'db.operation.name': operation, 'db.collection.name': table, 'db.query.summary': summary },
  }
}

/** Notes the rows that a statement has read or changed. */
export const describeRows = (rows: number): { readonly 'db.response.returned_rows': number } => ({ 'db.response.returned_rows': rows })
