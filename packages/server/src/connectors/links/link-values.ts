/** Checks the configuration values that a link gives or fixes, and decides which values its page shows and may send. */

import { FerruleError, type Problem } from 'ferrule'
import type { ConnectorDefinition, Kind } from 'ferrule/definition'
import { checkConfiguration, findConsent, normaliseConfiguration } from 'ferrule/engine'
import { failValidation, isObject, moveProblem, pointTo } from 'ferrule/internal'
import type { Parts } from '../../main/parts.ts'
import { viewOrganization } from '../../values/access.ts'
import { canonicalJson } from '../../values/ids.ts'
import { problem } from '../../values/read.ts'
import type { Catalogue } from '../connector-types.ts'
import { type ConnectorRow, findConnector } from '../sql/connectors.ts'
import { readLinkContent, type ValuesByKind } from './link-record.ts'
import type { Visit } from './visits.ts'

type Values = Readonly<Record<string, unknown>>

const rules = '/replication_config/'

/** Returns the problems of some values of a configuration. What the page still has to ask for is no problem. */
function listProblems(definition: ConnectorDefinition, values: Values, pointer: string): readonly Problem[] {
  try {
    checkConfiguration(definition, { ...values })
    return []
  } catch (error) {
    if (!(error instanceof FerruleError)) throw error
    const given = error.errors.filter(({ field }) => Object.hasOwn(values, field.slice(rules.length).split('/')[0] ?? ''))
    return given.map((each) => moveProblem(each, each.field.replace(rules, `${pointer}/`)))
  }
}

/** What a link may name. */
export interface LinkKinds {
  readonly catalogue: Catalogue
  /** Slugs of the link. */
  readonly kinds: readonly string[]
}

/**
 * Reads values by kind, under the slugs of the kinds.
 * @param member `defaults` or `locked`
 * @throws FerruleError `validation_failed`, `connector_type_not_found`
 */
export function readValuesByKind({ catalogue, kinds }: LinkKinds, given: Values | undefined, member: string): ValuesByKind {
  const problems: Problem[] = []
  const read = Object.entries(given ?? {}).map(([name, values]): readonly [string, Values] => {
    const { definition } = catalogue.getKind(name)
    const pointer = pointTo('', member, name)
    if (!kinds.includes(definition.kind)) problems.push(problem(pointer, 'is no kind of the link', 'kind'))
    else if (!isObject(values)) problems.push(problem(pointer, 'must be an object of configuration values', 'type'))
    else problems.push(...listProblems(definition, values, pointer))
    // A consent opens the vendor's page at an address that they fill.
    return [definition.kind, isObject(values) ? normaliseConfiguration(definition.configuration, values) : {}]
  })
  if (problems.length > 0) throw failValidation(problems)
  return Object.fromEntries(read.filter(([, values]) => Object.keys(values).length > 0))
}

/** Values of one link for one kind. */
export interface LinkValues {
  readonly defaults: Values
  readonly locked: Values
  /** True: the page sends no value at all; those of a connector stay as they are. */
  readonly isWhole: boolean
}

/** Returns the values of a link for a kind. */
export const readLinkValues = (content: { readonly defaults: ValuesByKind; readonly locked: ValuesByKind }, slug: string): LinkValues => ({
  defaults: content.defaults[slug] ?? {},
  locked: content.locked[slug] ?? {},
  isWhole: false,
})

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

const failLocked = ({ definition }: Kind, names: readonly string[]): FerruleError =>
  failValidation(names.map((name) => problem(pointTo('/configuration', name), `of ${definition.title} is fixed by the link`, 'locked')))

/**
 * Builds the whole configuration: the page's values over the defaults, and the locked ones over both.
 * @throws FerruleError `validation_failed` when the page sends a locked value, whatever it is
 */
export function mergeConfiguration(kind: Kind, { defaults, locked, isWhole }: LinkValues, given: Values = {}): Record<string, unknown> {
  const refused = Object.keys(given).filter((name) => isWhole || Object.hasOwn(locked, name))
  if (refused.length > 0) throw failLocked(kind, refused)
  const merged = { ...defaults, ...given, ...locked }
  return Object.fromEntries(Object.entries(merged).filter(([, value]) => isGiven(value)))
}

/**
 * Refuses a whole configuration that differs from what the link fixes, whichever way it came about. Call it where the connector is stored.
 * @throws FerruleError `validation_failed`
 */
export function requireLocked(kind: Kind, { locked }: Pick<LinkValues, 'locked'>, configuration: Values): void {
  const print = (value: unknown): string => canonicalJson(isGiven(value) ? value : null)
  const changed = Object.keys(locked).filter((name) => print(configuration[name]) !== print(locked[name]))
  if (changed.length > 0) throw failLocked(kind, changed)
}

/** Returns the accounts that the locked values fix; undefined: the end user chooses among those of the consent. */
export function findFixedAccounts({ definition }: Kind, { locked }: Pick<LinkValues, 'locked'>): readonly string[] | undefined {
  const field = findConsent(definition)?.accounts?.configuration
  if (field === undefined || !Object.hasOwn(locked, field)) return undefined
  return [...new Set([locked[field]].flat().filter(isGiven).map(String))]
}

/** Returns the values of a link for a kind. Those of a connector stay as they are, so all of them are locked. */
export function readPageValues({ link }: Pick<Visit, 'link'>, slug: string, target: ConnectorRow | undefined): LinkValues {
  return target === undefined
    ? readLinkValues(readLinkContent(link), slug)
    : { defaults: {}, locked: JSON.parse(target.configuration), isWhole: true }
}

/** Finds the connector whose credentials a link replaces. */
export const findTarget = async ({ database: { db } }: Pick<Parts, 'database'>, { link }: Pick<Visit, 'link'>) =>
  link.target_connector_id === null ? undefined : findConnector(db, viewOrganization(link.organization_id), link.target_connector_id)

/** Builds the whole configuration of a connector. @throws FerruleError `validation_failed` when the page sends a locked value */
export async function buildConfiguration(
  parts: Pick<Parts, 'database'>,
  visit: Pick<Visit, 'link'>,
  { kind, given }: { readonly kind: Kind; readonly given: Readonly<Record<string, unknown>> | undefined },
): Promise<Record<string, unknown>> {
  const target = await findTarget(parts, visit)
  return mergeConfiguration(kind, readPageValues(visit, kind.definition.kind, target), given)
}
