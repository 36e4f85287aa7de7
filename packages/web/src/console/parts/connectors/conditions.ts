/** How a connector is, in one word: what lists count and filter by. */
import type { ConnectorOverview, SyncError } from 'ferrule/wire'
import { findNextStep } from '../describe-error.ts'

/** Conditions, the one to look at first. */
export const conditions = {
  attention: { title: 'Need attention', color: 'red' },
  syncing: { title: 'Syncing now', color: 'blue' },
  waiting: { title: 'Waiting for the first sync', color: 'gray' },
  fine: { title: 'Ready', color: 'green' },
  disabled: { title: 'Disabled', color: 'gray' },
} as const

/** Condition of a connector. */
export type ConnectorCondition = keyof typeof conditions

/** All conditions. */
export const conditionNames = Object.keys(conditions) as readonly ConnectorCondition[] // the keys of the table are the names

/** Returns whether a parameter of an address is a condition. */
export const isCondition = (value: string | undefined): value is ConnectorCondition => value !== undefined && value in conditions

const hasFailed = ({ status, context_store: copy, failing_entities: failing }: ConnectorOverview): boolean =>
  status === 'auth_error' || copy?.state === 'failed' || failing.length > 0

/** Returns whether the first sync of a connector has not ended. */
const isBeforeFirstEnd = ({ context_store: copy }: ConnectorOverview): boolean =>
  copy !== null && ['loading', 'building_preview', 'preview'].includes(copy.state)

/** Rules by condition; the first that holds is taken. */
const rules: readonly (readonly [ConnectorCondition, (connector: ConnectorOverview) => boolean])[] = [
  ['disabled', ({ status }) => status === 'disabled'],
  ['attention', hasFailed],
  // A run without a call is waiting.
  ['syncing', (connector) => connector.running !== null && (connector.running.progress.calls > 0 || !isBeforeFirstEnd(connector))],
  ['waiting', isBeforeFirstEnd],
]

/** Returns the condition of a connector. */
export const findCondition = (connector: ConnectorOverview): ConnectorCondition =>
  rules.find(([, holds]) => holds(connector))?.[0] ?? 'fine'

/** The request that a reason names for programs; people have a page for it. */
const requestForPrograms = / Replace the credentials with PATCH \S+$/

/** Reads why a connector is not active, in words for people. */
export const readReason = (reason: string): string => reason.replace(requestForPrograms, '')

/** What is wrong with a connector. */
export interface Trouble {
  readonly sentence: string
  /** What to do next; '' when the sentence says it. */
  readonly nextStep: string
}

const toTrouble = ({ code, message, hint }: SyncError, about = ''): Trouble => ({
  sentence: `${about}${message}`,
  nextStep: findNextStep(code, hint),
})

/** Finds what is wrong with a connector; undefined: nothing is. */
export function findTrouble({
  status_reason: reason,
  context_store: copy,
  failing_entities: failing,
}: ConnectorOverview): Trouble | undefined {
  if (reason !== null) return { sentence: readReason(reason), nextStep: '' }
  const [first, ...others] = failing
  if (first !== undefined) {
    const more = others.length === 0 ? '' : ` (and ${others.length} more)`
    return toTrouble(first.error, `${first.entity}${more}: `)
  }
  return copy === null || copy.last_error === null ? undefined : toTrouble(copy.last_error)
}
