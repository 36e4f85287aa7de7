/** `webhooks`: endpoints that the service sends events to. */
import { WebhookEndpoints } from '../../client/resources/webhooks.ts'
import { FerruleError } from '../../errors.ts'
import type { EventType } from '../../wire/events.ts'
import type { WebhookEndpoint } from '../../wire/webhooks.ts'
import { type CommandContext, readFlag, readList, readNumber, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import { callOptions, openSession } from '../session.ts'
import { collectPages } from '../walk.ts'

const columns = 'id,name,url,status'
const secretColumns = 'name,status,secret'
const deliveryColumns = 'id,type,status,attempts,last_status,created_at'
const statuses = ['waiting', 'delivered', 'failed'] as const

const open = async (context: CommandContext): Promise<WebhookEndpoints> => new WebhookEndpoints(await openSession(context))

/** Finds the endpoint that the first argument names by its id or its name. */
async function find(context: CommandContext): Promise<{ readonly endpoints: WebhookEndpoints; readonly endpoint: WebhookEndpoint }> {
  const [given = ''] = context.args
  const endpoints = await open(context)
  const known = await endpoints.list(callOptions(context))
  const fitting = known.filter(({ id, name }) => id === given || name === given)
  const [endpoint] = fitting
  if (endpoint !== undefined && fitting.length === 1) return { endpoints, endpoint }
  const message = endpoint === undefined ? `There is no endpoint ${given}.` : `Several endpoints have the name ${given}.`
  const hint = `Endpoints: ${known.map(({ name, id }) => `${name} (${id})`).join(', ') || 'none'}.`
  throw new FerruleError('webhook_endpoint_not_found', { message, hint }, {})
}

/** Reads types of events. @param known those that can be meant @throws FerruleError `validation_failed` with the types that there are */
export function readEventTypes<const T extends EventType>(given: readonly string[], known: readonly T[]): readonly T[] {
  return given.map((each) => {
    const type = known.find((name) => name === each)
    if (type === undefined) throw failUsage(`There is no type of events ${each}.`, `Types: ${known.join(', ')}.`)
    return type
  })
}

/** Lists the endpoints. */
export async function listEndpoints(context: CommandContext): Promise<void> {
  const endpoints = await open(context)
  await context.output.list([await endpoints.list(callOptions(context))], columns)
}

/** Creates an endpoint and prints its secret. */
export async function createEndpoint(context: CommandContext): Promise<void> {
  const { args, options, output, note } = context
  const [name = '', url = ''] = args
  const workspaces = readList(options, 'workspaceId')
  const connectors = readList(options, 'connectorId')
  const body = {
    name,
    url,
    types: [...readEventTypes(readList(options, 'type'), (await import('../../wire/events.ts')).eventTypes)],
    ordered: readFlag(options, 'ordered'),
    ...(workspaces.length === 0 ? {} : { workspace_ids: [...workspaces] }),
    ...(connectors.length === 0 ? {} : { connector_ids: [...connectors] }),
  }
  const endpoints = await open(context)
  await output.value(await endpoints.create(body, callOptions(context)), secretColumns)
  note('The secret is shown this once: keep it. The endpoint gets events when it has answered a test with a status from 200 to 299.')
}

/** Shows an endpoint. */
export async function showEndpoint(context: CommandContext): Promise<void> {
  const { endpoint } = await find(context)
  await context.output.value(endpoint)
}

async function setStatus(status: 'active' | 'paused', context: CommandContext): Promise<void> {
  const { endpoints, endpoint } = await find(context)
  await context.output.value(await endpoints.update(endpoint.id, { status }, callOptions(context)), columns)
}

/** Lets the events of an endpoint wait. */
export const pauseEndpoint = (context: CommandContext): Promise<void> => setStatus('paused', context)

/** Sends events to an endpoint again. */
export const resumeEndpoint = (context: CommandContext): Promise<void> => setStatus('active', context)

/** Sends a test. */
export async function testEndpoint(context: CommandContext): Promise<void> {
  const { endpoints, endpoint } = await find(context)
  await context.output.value(await endpoints.test(endpoint.id, callOptions(context)), columns)
  context.note(`What became of it: ferrule webhooks deliveries ${endpoint.id}`)
}

/** Replaces the secret of an endpoint and prints the new one. */
export async function rotateEndpointSecret(context: CommandContext): Promise<void> {
  const { options, output, ask, note } = context
  const overlap = readNumber(options, 'overlap')
  const { endpoints, endpoint } = await find(context)
  await ask.confirm(`Replace the secret of the endpoint ${endpoint.name}`, readFlag(options, 'yes'))
  const body = overlap === undefined ? {} : { overlap_seconds: overlap }
  await output.value(await endpoints.rotateSecret(endpoint.id, body, callOptions(context)), secretColumns)
  note('The secret is shown this once: keep it.')
}

/** Lists the deliveries to an endpoint. */
export async function listDeliveries(context: CommandContext): Promise<void> {
  const { endpoints, endpoint } = await find(context)
  const wanted = readText(context.options, 'status')
  const status = statuses.find((each) => each === wanted)
  const deliveries = endpoints.deliveries(endpoint.id, status === undefined ? {} : { status }, callOptions(context))
  await context.output.list(collectPages(deliveries), deliveryColumns)
}

/** Sends one delivery again, or all that were given up. */
export async function retryDeliveries(context: CommandContext): Promise<void> {
  const { args, options, output } = context
  const [, delivery] = args
  const since = readText(options, 'since')
  if (delivery !== undefined && since !== undefined)
    throw failUsage('--since has no effect on one delivery.', 'Leave --since out, or the delivery.')
  const { endpoints, endpoint } = await find(context)
  if (delivery !== undefined)
    return output.value(await endpoints.retryDelivery(endpoint.id, delivery, callOptions(context)), deliveryColumns)
  const { deliveries } = await endpoints.retryDeliveries(endpoint.id, since === undefined ? {} : { since }, callOptions(context))
  await output.value({ endpoint_id: endpoint.id, deliveries })
}

/** Deletes an endpoint. */
export async function deleteEndpoint(context: CommandContext): Promise<void> {
  const { endpoints, endpoint } = await find(context)
  await context.ask.confirm(`Delete the endpoint ${endpoint.name} with its deliveries`, readFlag(context.options, 'yes'))
  await context.output.value(await endpoints.delete(endpoint.id, callOptions(context)))
}
