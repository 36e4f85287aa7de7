/** `applications`. */
import { Applications } from '../../client/resources/applications.ts'
import { FerruleError } from '../../errors.ts'
import type { ApplicationRecord } from '../../wire/applications.ts'
import { type CommandContext, readFlag } from '../context.ts'
import { callOptions, openSession } from '../session.ts'

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
