/** `links`. */
import { Links } from '../../client/resources/links.ts'
import { FerruleError } from '../../errors.ts'
import type { ConnectLinkInput, ConnectLinkQuery, ConnectLinkRecord, ConnectLinkStatus } from '../../wire/connect/links.ts'
import { type CommandContext, readFlag, readList, readNumber, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import { callOptions, openSession } from '../session.ts'
import { findConnector } from '../target/target.ts'
import { collectPages } from '../walk.ts'

const columns = 'id,status,end_user.id,kinds,workspace_name,connector_id,expires_at'
const secretColumns = 'id,url,expires_at'
const daySeconds = 86_400
/** The statuses of the wire, which the compiler compares: loading `connectLinkStatuses` itself takes a tenth of a second. */
const statuses: Readonly<Record<ConnectLinkStatus, true>> = { open: true, used: true, revoked: true, expired: true }
const isStatus = (text: string): text is ConnectLinkStatus => Object.hasOwn(statuses, text)

/** Reads the members that are texts. */
function readTexts({ options }: CommandContext): Pick<ConnectLinkInput, 'name' | 'redirect_url' | 'allowed_origin'> {
  const [name, redirect, origin] = ['name', 'redirectUrl', 'allowedOrigin'].map((each) => readText(options, each))
  return {
    ...(name === undefined ? {} : { name }),
    ...(redirect === undefined ? {} : { redirect_url: redirect }),
    ...(origin === undefined ? {} : { allowed_origin: origin }),
  }
}

function readEndUser({ args, options }: CommandContext): ConnectLinkInput['end_user'] {
  const [name, email] = [readText(options, 'userName'), readText(options, 'email')]
  return { id: args[0] ?? '', ...(name === undefined ? {} : { name }), ...(email === undefined ? {} : { email }) }
}

/** Creates a link and prints its address. */
export async function createLink(context: CommandContext): Promise<void> {
  const { options, output } = context
  const transport = await openSession(context)
  const given = readText(options, 'connector')
  const connector = given === undefined ? undefined : await findConnector(transport, given, context)
  const kinds = readList(options, 'kind')
  const days = readNumber(options, 'days')
  const body: ConnectLinkInput = {
    end_user: readEndUser(context),
    ...readTexts(context),
    ...(connector === undefined ? {} : { connector_id: connector.id }),
    ...(readFlag(options, 'allowOtherAccount') ? { allow_other_account: true } : {}),
    ...(kinds.length === 0 ? {} : { kinds }),
    ...(days === undefined ? {} : { expires_in: Math.round(days * daySeconds) }),
    ...(readFlag(options, 'sandbox') ? { sandbox: true } : {}),
  }
  await output.value(await new Links(transport).create(body, callOptions(context)), secretColumns)
  context.note('The address is shown this once. Send it to the end user only.')
}

function readQuery({ options }: CommandContext): ConnectLinkQuery {
  const [text, endUser] = [readText(options, 'status'), readText(options, 'endUser')]
  if (text !== undefined && !isStatus(text))
    throw failUsage(`--status must be one of ${Object.keys(statuses).join(', ')}.`, 'Correct the option.')
  return { ...(text === undefined ? {} : { status: text }), ...(endUser === undefined ? {} : { end_user_id: endUser }) }
}

/** Lists links. */
export async function listLinks(context: CommandContext): Promise<void> {
  const links = new Links(await openSession(context))
  await context.output.list(collectPages(links.list(readQuery(context), callOptions(context))), columns)
}

const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Finds an open link by its id or its end user. */
async function findLink(links: Links, context: CommandContext): Promise<ConnectLinkRecord> {
  const [given = ''] = context.args
  if (uuid.test(given)) return links.get(given, callOptions(context))
  const fitting: ConnectLinkRecord[] = []
  for await (const link of links.list({ status: 'open', end_user_id: given }, callOptions(context))) fitting.push(link)
  const [only] = fitting
  if (only !== undefined && fitting.length === 1) return only
  const message = only === undefined ? `There is no open link for ${given}.` : `Several open links are for ${given}.`
  const hint = only === undefined ? 'List them: ferrule links list' : `Name one by its id: ${fitting.map(({ id }) => id).join(', ')}.`
  throw new FerruleError('connect_link_not_found', { message, hint }, {})
}

/** Revokes a link. */
export async function revokeLink(context: CommandContext): Promise<void> {
  const links = new Links(await openSession(context))
  const { id, end_user } = await findLink(links, context)
  await context.ask.confirm(`Revoke the link for ${end_user.id}`, readFlag(context.options, 'yes'))
  await context.output.value(await links.revoke(id, callOptions(context)), columns)
}
