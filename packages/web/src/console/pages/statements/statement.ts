/** What a page has to know of a statement before it is sent: its kind, and whether the service refuses it. */
import { useDebouncedValue } from '@mantine/hooks'
import { useQuery } from '@tanstack/react-query'
import { isObject } from 'ferrule/internal'
import type { EntityDocument, Validation } from 'ferrule/wire'
import { useFerrule } from '../../data/ferrule.ts'
import { useTenant } from '../../data/tenant.ts'

/** An action that runs statements of one kind. */
export interface StatementAction {
  readonly action: string
  readonly word: string
  readonly isWrite: boolean
}

const read: StatementAction = { action: 'list', word: 'query', isWrite: false }

/** Actions by the first word of a statement. The service has the last word: it checks each statement against its action. */
const actions: Readonly<Record<string, StatementAction>> = {
  insert: { action: 'create', word: 'INSERT', isWrite: true },
  update: { action: 'update', word: 'UPDATE', isWrite: true },
  delete: { action: 'delete', word: 'DELETE', isWrite: true },
}

/** Comments and spaces before the first word. */
const before = /^(?:\s+|--[^\n]*(?:\n|$)|\/\/[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/

/** Finds the action for a statement by its first word. */
export function findAction(statement: string): StatementAction {
  const [word = ''] = /^[a-z]+/i.exec(statement.replace(before, '')) ?? []
  return actions[word.toLowerCase()] ?? read
}

const takesStatement = ({ params }: EntityDocument['actions'][number]): boolean => {
  const properties: unknown = Reflect.get(params, 'properties')
  return isObject(properties) && Object.hasOwn(properties, 'statement')
}

/** Finds the entity of a kind whose rows are read and written by statements. Others take one fixed statement, such as SHOW TABLES. */
export const findStatementEntity = (entities: readonly EntityDocument[]): EntityDocument | undefined =>
  entities.find((entity) => entity.actions.some((each) => each.action === 'create' && takesStatement(each)))

/** Parameters that the page itself sets. */
const own: ReadonlySet<string> = new Set(['statement', 'requestId', 'retry'])

/** Returns the schema of the other parameters of an action: where and how a statement runs. */
export function readOptions(entity: EntityDocument, action: string): Readonly<Record<string, unknown>> {
  const params = entity.actions.find((each) => each.action === action)?.params ?? {}
  const properties: unknown = Reflect.get(params, 'properties')
  const kept = isObject(properties) ? Object.entries(properties).filter(([name]) => !own.has(name)) : []
  return { type: 'object', properties: Object.fromEntries(kept) }
}

/** A statement as it would be sent. */
export interface StatementCall {
  readonly connector: string
  readonly entity: string
  readonly action: string
  readonly params: Readonly<Record<string, unknown>>
}

/** Wait after the last key before the service is asked, in milliseconds. */
const quietMs = 300

/** Asks the service what it would refuse, without sending anything to the warehouse. */
export function useRefusal(call: StatementCall, statement: string): Validation['problem'] {
  const ferrule = useFerrule()
  const { organizationId } = useTenant()
  const [quiet] = useDebouncedValue(call, quietMs)
  const { data } = useQuery({
    queryKey: [organizationId ?? null, 'validation', quiet],
    queryFn: ({ signal }) => {
      const { connector, entity, action, params } = quiet
      return ferrule.connectors.validate(connector, { entity, action, params: { ...params } }, { signal })
    },
    enabled: statement.trim() !== '' && quiet.connector !== '',
    staleTime: 60_000,
    retry: false,
  })
  return quiet.params['statement'] === statement && statement.trim() !== '' ? (data?.problem ?? null) : null
}
