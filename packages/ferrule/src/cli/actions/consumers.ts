/** `consumers`: consumers of the changes of a connector, whose places the service keeps. */
import { Consumers } from '../../client/resources/consumers.ts'
import { type CommandContext, readFlag } from '../context.ts'
import { callOptions, openSession } from '../session.ts'
import { findConnector } from '../target/target.ts'

const columns = 'name,status,unread_bytes,unread_since,moved_at'

async function open(context: CommandContext) {
  const transport = await openSession(context)
  const { id, name } = await findConnector(transport, context.args[0] ?? '', context)
  return { id, name, consumers: new Consumers(transport) }
}

/** Lists the consumers of a connector. */
export async function listConsumers(context: CommandContext): Promise<void> {
  const { id, consumers } = await open(context)
  await context.output.list([await consumers.list(id, callOptions(context))], columns)
}

/** Deletes a consumer. */
export async function deleteConsumer(context: CommandContext): Promise<void> {
  const [, given = ''] = context.args
  const { id, name, consumers } = await open(context)
  await context.ask.confirm(`Delete the consumer ${given} of ${name} with its place`, readFlag(context.options, 'yes'))
  await context.output.value(await consumers.delete(id, given, callOptions(context)))
}
