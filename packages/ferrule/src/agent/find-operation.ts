/** Finds the operation that a call names, and explains what is wrong with a call: nearest names, and a call that fits. */
import { makeParams, readProperties } from '../document/read-schema.ts'
import { asFerruleError, type ErrorCode, type FerruleError, fail } from '../errors.ts'
import { findNearNames } from '../values/near-names.ts'
import type { ActionDocument, EntityDocument } from '../wire/definitions.ts'
import type { AgentConnector, AgentKind } from './agent-source.ts'
import { quoteName } from './answers/bounds.ts'
import { writeLine } from './answers/json.ts'

/** Actions that change something. */
export const writeActions: readonly string[] = ['create', 'update', 'delete']

/** An error with lines that say how to correct the call. */
export class Explained extends Error {
  readonly error: FerruleError
  readonly lines: readonly string[]

  constructor(error: FerruleError, lines: readonly string[]) {
    super(error.message)
    this.error = error
    this.lines = lines
  }
}

/** A connector with what is known about its kind. */
export interface Described {
  readonly connector: AgentConnector
  readonly kind: AgentKind
}

/** Writes the names that were probably meant; empty if no name is near. */
function suggestNames(given: string, known: readonly string[]): readonly string[] {
  const near = findNearNames(given, known)
  return near.length === 0 ? [] : [`Nearest: ${near.join(', ')}.`]
}

/** Finds an entity. @throws Explained `entity_not_found` */
export function findEntity({ kind }: Described, name: string): EntityDocument {
  const found = kind.entities.find(({ entity }) => entity === name)
  if (found !== undefined) return found
  const known = kind.entities.map(({ entity }) => entity)
  throw new Explained(
    fail('entity_not_found', { kind: kind.kind, entity: quoteName(name), known: known.join(', ') }),
    suggestNames(name, known),
  )
}

/** Finds an action of an entity. @throws Explained `action_not_supported` */
export function findAction({ entity, actions, searchable }: EntityDocument, name: string): ActionDocument {
  const found = actions.find(({ action }) => action === name)
  if (found !== undefined) return found
  const known = actions.map(({ action }) => action)
  const tool = searchable === null ? undefined : /search|aggregate/i.exec(name)?.[0].toLowerCase()
  const lines = tool === undefined ? suggestNames(name, known) : [`Use the tool ${tool}.`]
  throw new Explained(fail('action_not_supported', { entity, action: quoteName(name), known: known.join(', ') }), lines)
}

/** What an example calls. */
export interface Exemplified {
  readonly connector: AgentConnector
  readonly entity: string
  readonly action: ActionDocument
}

/** Writes a call of an operation with its required parameters. @param also further parameters */
export function writeExample(
  { connector: { name: connector }, entity, action: { action, params: schema } }: Exemplified,
  also?: readonly string[],
): string {
  const params = makeParams(schema, also)
  const tool = writeActions.includes(action) ? 'write' : 'execute'
  const call = { connector, entity, action, ...(Object.keys(params).length === 0 ? {} : { params }) }
  return `${tool} ${writeLine(call)}`
}

/** Errors that another call can correct. */
const correctable: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['missing_parameter', 'invalid_parameter', 'validation_failed', 'upstream_invalid_request', 'media_selector_required'] as const),
  ...(['range_invalid', 'statement_not_allowed'] as const),
])

/** Names that are nearest to each unknown parameter. */
function suggestParams(error: FerruleError, { params }: ActionDocument): readonly string[] {
  const known = readProperties(params).map(([name]) => name)
  return error.errors.flatMap(({ field }) => {
    const [, name = ''] = /^\/params\/([^/]+)$/.exec(field) ?? []
    const near = name === '' || known.includes(name) ? [] : findNearNames(name, known)
    return near.length === 0 ? [] : [`Instead of ${quoteName(name)}: ${near.join(', ')}.`]
  })
}

/** Adds to an error of an operation what corrects the call. @param write writes a call that fits, with further parameters */
export function explainOperation(thrown: unknown, action: ActionDocument, write: (also: readonly string[]) => string): Explained {
  const error = asFerruleError(thrown)
  if (!correctable.has(error.code)) return new Explained(error, [])
  // Some parameters are required only in some calls: the error names them.
  const missing = error.code === 'missing_parameter' ? error.errors.map(({ field }) => field.replace(/^\/params\//, '')) : []
  return new Explained(error, [...suggestParams(error, action), `A call that fits: ${write(missing)}`])
}
