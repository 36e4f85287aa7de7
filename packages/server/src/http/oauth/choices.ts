/** What an operator can choose on the page: organizations, workspaces and connectors of the signed-in application. */
import { FerruleError } from 'ferrule'
import type { Platform } from '../../main/platform-types.ts'
import type { ProvenClient } from '../../tenancy/tokens/token-types.ts'
import { everyonesWorkspace } from '../../tenancy/workspaces/workspace-keeper.ts'
import type { Principal } from '../../values/access.ts'
import type { ConsentForm } from './consent-form.ts'
import type { ConsentParts } from './pages.ts'

/** Workspaces and connectors of a page: the most that the service lists at once. */
const pageSize = 100

/** The choices of a page. */
export type Choices = Pick<ConsentParts, 'organizations' | 'workspaces' | 'connectors' | 'allConnectors' | 'isCut'>

/** Enters the chosen organization, else the first one. @returns undefined when the application does not reach it any longer */
async function enter({ oauth }: Platform, who: ProvenClient, organizationId: string | undefined): Promise<Principal | undefined> {
  if (organizationId === undefined) return undefined
  try {
    return await oauth.enter(who, organizationId)
  } catch (thrown) {
    if (thrown instanceof FerruleError && ['organization_forbidden', 'token_expired'].includes(thrown.code)) return undefined
    throw thrown
  }
}

/**
 * Builds the choices, with what the form has chosen so far.
 * @returns undefined when the application reaches no such organization
 */
export async function buildChoices(
  platform: Platform,
  who: ProvenClient,
  form: Partial<ConsentForm> & Pick<ConsentForm, 'organizationId'>,
): Promise<Choices | undefined> {
  const reached = await platform.oauth.listOrganizations(who)
  const organization = form.organizationId === '' ? reached[0] : reached.find(({ id }) => id === form.organizationId)
  const principal = await enter(platform, who, organization?.id)
  if (principal === undefined) return undefined
  const workspaces = await platform.workspaces.list(principal, { limit: pageSize })
  const connectors = await platform.connectors.list(principal, { limit: pageSize })
  const names = form.workspaceNames ?? [everyonesWorkspace]
  return {
    organizations: reached.map(({ id, name }) => ({ value: id, label: name, isChosen: id === organization?.id })),
    workspaces: workspaces.data.map(({ name }) => ({ value: name, label: name, isChosen: names.includes(name) })),
    connectors: connectors.data.map(({ id, name, connector_type, workspace_name }) => ({
      ...{ value: id, label: `${name} (${connector_type}, workspace ${workspace_name})` },
      isChosen: form.connectorIds?.includes(id) === true,
    })),
    allConnectors: form.connectorIds === undefined,
    isCut: workspaces.next !== null,
  }
}
