/** `organizations`, `applications` and `workspaces`. */
import { Applications } from '../../client/resources/applications.ts'
import { Organizations } from '../../client/resources/organizations.ts'
import { Workspaces } from '../../client/resources/workspaces.ts'
import { FerruleError } from '../../errors.ts'
import type { ApplicationRecord } from '../../wire/applications.ts'
import type { OrganizationRecord } from '../../wire/organizations.ts'
import type { WorkspaceRecord } from '../../wire/workspaces.ts'
import { type CommandContext, readFlag } from '../context.ts'
import { callOptions, openSession } from '../session.ts'
import { collectPages } from '../walk.ts'

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

const columns = 'id,name,client_id,is_caller,created_at'
const secretColumns = 'name,client_id,client_secret'

const open = async (context: CommandContext): Promise<Applications> => new Applications(await openSession(context))

/** Finds an application by its id, its client id or its name. */
async function findApplication(applications: Applications, context: CommandContext): Promise<ApplicationRecord> {
  const [given = ''] = context.args
  const known = await applications.list(callOptions(context))
  const fitting = known.filter(({ id, client_id, name }) => id === given || client_id === given || name === given)
  const [only] = fitting
  if (only !== undefined && fitting.length === 1) return only
  const message = only === undefined ? `There is no application ${given}.` : `Several applications have the name ${given}.`
  const hint = `Applications: ${known.map(({ name, id }) => `${name} (${id})`).join(', ')}.`
  throw new FerruleError('application_not_found', { message, hint }, {})
}

/** Lists the applications of the organization. */
export async function listApplications(context: CommandContext): Promise<void> {
  const applications = await open(context)
  await context.output.list([await applications.list(callOptions(context))], columns)
}

/** Creates an application and prints its secret. */
export async function createApplication(context: CommandContext): Promise<void> {
  const [name = ''] = context.args
  const applications = await open(context)
  await context.output.value(await applications.create({ name }, callOptions(context)), secretColumns)
  context.note('The secret is shown this once: keep it.')
}

/** Renames an application. */
export async function renameApplication(context: CommandContext): Promise<void> {
  const [, name = ''] = context.args
  const applications = await open(context)
  const { id } = await findApplication(applications, context)
  await context.output.value(await applications.update(id, { name }, callOptions(context)), columns)
}

/** Replaces the secret of an application and prints the new one. */
export async function rotateApplicationSecret(context: CommandContext): Promise<void> {
  const applications = await open(context)
  const { id, name } = await findApplication(applications, context)
  await context.ask.confirm(`Replace the secret of the application ${name}`, readFlag(context.options, 'yes'))
  await context.output.value(await applications.rotateSecret(id, callOptions(context)), secretColumns)
  context.note('The old secret fails from now on. The new one is shown this once: keep it.')
}

/** Deletes an application. */
export async function deleteApplication(context: CommandContext): Promise<void> {
  const applications = await open(context)
  const { id, name } = await findApplication(applications, context)
  await context.ask.confirm(`Delete the application ${name}`, readFlag(context.options, 'yes'))
  await context.output.value(await applications.delete(id, callOptions(context)))
}
