/** `organizations` and `workspaces`. */
import { Organizations } from '../../client/resources/organizations.ts'
import { Workspaces } from '../../client/resources/workspaces.ts'
import { FerruleError } from '../../errors.ts'
import type { OrganizationRecord } from '../../wire/organizations.ts'
import type { WorkspaceRecord } from '../../wire/workspaces.ts'
import { type CommandContext, readFlag } from '../context.ts'
import { collectPages } from '../pages.ts'
import { callOptions, openSession } from '../session.ts'

const organizationColumns = 'id,name,role,created_at'
const workspaceColumns = 'id,name,status,created_at'

/** Lists the organizations. */
export async function listOrganizations(context: CommandContext): Promise<void> {
  const organizations = new Organizations(await openSession(context))
  await context.output.list([await organizations.list(callOptions(context))], organizationColumns)
}

/** Creates an organization. */
export async function createOrganization(context: CommandContext): Promise<void> {
  const [name = ''] = context.args
  const organizations = new Organizations(await openSession(context))
  await context.output.value(await organizations.create({ name }, callOptions(context)), organizationColumns)
}

/** Finds an organization by its id or its name. Names are not unique, so a name of several organizations is refused. */
async function findOrganization(organizations: Organizations, given: string, context: CommandContext): Promise<OrganizationRecord> {
  const known = await organizations.list(callOptions(context))
  const named = known.filter(({ name }) => name === given)
  const found = known.find(({ id }) => id === given) ?? (named.length === 1 ? named[0] : undefined)
  if (found !== undefined) return found
  const [message, hint] =
    named.length === 0
      ? [`There is no organization ${given}.`, `Organizations: ${known.map(({ name }) => name).join(', ')}.`]
      : [`Several organizations have the name ${given}.`, `Name one by its id: ${named.map(({ id }) => id).join(', ')}.`]
  throw new FerruleError('organization_not_found', { message, hint }, {})
}

/** Renames an organization. */
export async function renameOrganization(context: CommandContext): Promise<void> {
  const [given = '', name = ''] = context.args
  const organizations = new Organizations(await openSession(context))
  const { id } = await findOrganization(organizations, given, context)
  await context.output.value(await organizations.update(id, { name }, callOptions(context)), organizationColumns)
}

/** Deletes an organization with everything in it. */
export async function deleteOrganization(context: CommandContext): Promise<void> {
  const [given = ''] = context.args
  const organizations = new Organizations(await openSession(context))
  const { id, name } = await findOrganization(organizations, given, context)
  const question = `Delete the organization ${name} with its workspaces, connectors and copies`
  await context.ask.confirm(question, readFlag(context.options, 'yes'))
  await context.output.value(await organizations.delete(id, callOptions(context)))
  context.note(`Deleted. Within 30 days: ferrule organizations restore ${id}`)
}

/** Restores a deleted organization. */
export async function restoreOrganization(context: CommandContext): Promise<void> {
  const [id = ''] = context.args
  const organizations = new Organizations(await openSession(context))
  await context.output.value(await organizations.restore(id, callOptions(context)), organizationColumns)
}

const openWorkspaces = async (context: CommandContext): Promise<Workspaces> => new Workspaces(await openSession(context))

/** Lists the workspaces. */
export async function listWorkspaces(context: CommandContext): Promise<void> {
  const workspaces = await openWorkspaces(context)
  await context.output.list(collectPages(workspaces.list({}, callOptions(context))), workspaceColumns)
}

/** Creates a workspace. */
export async function createWorkspace(context: CommandContext): Promise<void> {
  const [name = ''] = context.args
  const workspaces = await openWorkspaces(context)
  await context.output.value(await workspaces.create({ name }, callOptions(context)), workspaceColumns)
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Finds a workspace by its id or its name. */
async function findWorkspace(
  workspaces: Workspaces,
  given: string,
  context: CommandContext,
): Promise<Pick<WorkspaceRecord, 'id' | 'name'>> {
  if (uuid.test(given)) return workspaces.get(given, callOptions(context))
  const known: string[] = []
  for await (const each of workspaces.list({}, callOptions(context))) {
    if (each.name === given) return each
    known.push(each.name)
  }
  const details = { hint: `Workspaces: ${known.join(', ') || 'none'}.` }
  throw new FerruleError('workspace_not_found', { message: `There is no workspace ${given}.`, ...details }, {})
}

/** Renames a workspace. */
export async function renameWorkspace(context: CommandContext): Promise<void> {
  const [given = '', name = ''] = context.args
  const workspaces = await openWorkspaces(context)
  const { id } = await findWorkspace(workspaces, given, context)
  await context.output.value(await workspaces.update(id, { name }, callOptions(context)), workspaceColumns)
}

/** Deletes a workspace with its connectors. */
export async function deleteWorkspace(context: CommandContext): Promise<void> {
  const [given = ''] = context.args
  const workspaces = await openWorkspaces(context)
  const { id, name } = await findWorkspace(workspaces, given, context)
  await context.ask.confirm(`Delete the workspace ${name} and its connectors`, readFlag(context.options, 'yes'))
  await context.output.value(await workspaces.delete(id, callOptions(context)))
  context.note(`Deleted. Within 30 days: ferrule workspaces restore ${id}`)
}

/** Restores a deleted workspace. */
export async function restoreWorkspace(context: CommandContext): Promise<void> {
  const [id = ''] = context.args
  const workspaces = await openWorkspaces(context)
  await context.output.value(await workspaces.restore(id, callOptions(context)), workspaceColumns)
}
