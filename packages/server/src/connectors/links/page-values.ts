/** Decides which configuration values a page shows, asks for and may send. */
import type { Kind } from 'ferrule/definition'
import type { Parts } from '../../main/parts.ts'
import { viewOrganization } from '../../values/access.ts'
import { type ConnectorRow, findConnector } from '../sql/connectors.ts'
import { readLinkContent } from './link-record.ts'
import { type LinkValues, mergeConfiguration, readLinkValues } from './link-values.ts'
import type { Visit } from './visits.ts'

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
