/** `ferrule export`: an entity's records from a running service, to a file or a pipe. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { Command, Option } from 'commander'
import { isObject } from '../../definition/object.ts'
import { type ErrorCode, errorTable, FerruleError, fail } from '../../errors.ts'

/** Options of the command. */
interface ExportOptions {
  readonly url: string
  readonly organization?: string
  readonly format: string
  readonly filter?: string
  readonly sort?: string
  readonly fields?: string
  readonly maxAge?: string
  readonly output?: string
}

const connectorsPath = '/api/v1/integrations/connectors'
const tokenPath = '/api/v1/account/applications/token'

/** Where the service of these settings listens. */
const ownUrl = ({ FERRULE_PUBLIC_URL: publicUrl, FERRULE_PORT: port }: NodeJS.ProcessEnv): string =>
  publicUrl || `http://127.0.0.1:${port || 8080}`

const isCode = (code: unknown): code is ErrorCode => typeof code === 'string' && Object.hasOwn(errorTable, code)

/** What the service refused, in its own words. */
async function refusalOf(answer: Response): Promise<FerruleError> {
  const problem: unknown = await answer.json().catch(() => undefined)
  const { code, detail, hint } = isObject(problem) ? problem : {}
  if (isCode(code) && typeof detail === 'string') return new FerruleError(code, { message: detail, hint: String(hint ?? '') }, {})
  return fail('unavailable', { reason: `${new URL(answer.url).origin} answered with status ${answer.status}` })
}

async function ask(url: URL, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init).catch((thrown: unknown) => {
    const cause = thrown instanceof Error ? thrown.cause : undefined
    const reason = `${url.origin} cannot be reached${cause instanceof Error ? ` (${cause.message})` : ''}`
    throw fail('unavailable', { reason }, { cause: thrown, hint: 'Start the service, or name its address with --url.' })
  })
  if (!answer.ok) throw await refusalOf(answer)
  return answer
}

/** A bearer token for the client of the environment. */
async function tokenFor({ url, organization }: ExportOptions, env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const { FERRULE_CLIENT_ID: id, FERRULE_CLIENT_SECRET: secret } = env
  if (!id || !secret) {
    const reason = 'an export needs it, with its counterpart: the client that may read the connector'
    throw fail('setting_invalid', { name: id ? 'FERRULE_CLIENT_SECRET' : 'FERRULE_CLIENT_ID', reason })
  }
  const own = organization === undefined ? {} : { 'x-organization-id': organization }
  const body = JSON.stringify({ client_id: id, client_secret: secret })
  const answer = await ask(new URL(url + tokenPath), { method: 'POST', body, headers: { ...own, 'content-type': 'application/json' } })
  const { access_token: token } = (await answer.json()) as { readonly access_token: string } // the service's own answer
  return { ...own, authorization: `Bearer ${token}` }
}

function addressOf(connector: string, entity: string, { url, format, filter, sort, fields, maxAge }: ExportOptions & { url: string }): URL {
  const address = new URL(`${url}${connectorsPath}/${encodeURIComponent(connector)}/entities/${encodeURIComponent(entity)}/export`)
  for (const [name, value] of Object.entries({ format, filter, sort, fields, max_age: maxAge }))
    if (value !== undefined) address.searchParams.set(name, value)
  return address
}

async function exportTo(connector: string, entity: string, options: ExportOptions): Promise<void> {
  const given = { ...options, url: options.url.replace(/\/+$/, '') }
  const headers = await tokenFor(given, process.env)
  const { body } = await ask(addressOf(connector, entity, given), { headers })
  if (body === null) return
  const records = Readable.fromWeb(body as ReadableStream) // Node's own type of the same stream
  if (options.output === undefined) await pipeline(records, process.stdout, { end: false })
  else await pipeline(records, createWriteStream(options.output))
}

/** `ferrule export …` */
export function exportCommand(): Command {
  return new Command('export')
    .description("write an entity's records from the context store of a running service")
    .argument('<connector id>')
    .argument('<entity>')
    .addOption(new Option('--format <format>', 'ndjson or csv').choices(['ndjson', 'csv']).default('ndjson'))
    .option('--filter <json>', 'filter of a search, for example \'{"eq":{"active":true}}\'')
    .option('--sort <json>', 'sort of a search; left out: by the primary key')
    .option('--fields <paths>', 'field paths, separated by commas; left out: all')
    .option('--max-age <seconds>', 'refresh the copy first when it is older')
    .option('--output <file>', 'left out: standard output')
    .option('--url <address>', 'address of the service', ownUrl(process.env))
    .option('--organization <id>', 'organization, when the client reaches several')
    .addHelpText('after', '\nThe client is that of FERRULE_CLIENT_ID and FERRULE_CLIENT_SECRET.')
    .action(exportTo)
}
