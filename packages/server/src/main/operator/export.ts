/** `ferrule-server export`: writes an entity's records from a running service to a file or a pipe. */
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { Command, Option } from 'commander'
import { FerruleError } from 'ferrule'
import { fail, isErrorCode, isObject } from 'ferrule/internal'
import { exportFormatNames } from 'ferrule/wire'
import { settingsTable } from '../settings/table.ts'

interface ExportOptions {
  readonly url: string
  readonly organization?: string
  readonly format: string
  readonly formulas?: string
  readonly filter?: string
  readonly sort?: string
  readonly fields?: string
  readonly maxAge?: string
  readonly output?: string
}

const connectorsPath = '/api/v1/integrations/connectors'
const tokenPath = '/api/v1/account/applications/token'

/** Finds the address of the service: that of the client whose secret is sent, else that of the service with these settings. */
const findUrl = ({ FERRULE_URL: url, FERRULE_PUBLIC_URL: publicUrl, FERRULE_PORT: port }: NodeJS.ProcessEnv): string =>
  url || publicUrl || `http://127.0.0.1:${port || settingsTable.port.default}`

/** Reads the problem that the service answered. */
async function readRefusal(answer: Response): Promise<FerruleError> {
  const problem: unknown = await answer.json().catch(() => undefined)
  const { code, detail, hint } = isObject(problem) ? problem : {}
  if (typeof code === 'string' && isErrorCode(code) && typeof detail === 'string')
    return new FerruleError(code, { message: detail, hint: String(hint ?? '') }, {})
  return fail('unavailable', { reason: `${new URL(answer.url).origin} answered with status ${answer.status}` })
}

async function ask(url: URL, init: RequestInit): Promise<Response> {
  const answer = await fetch(url, init).catch((thrown: unknown) => {
    const cause = thrown instanceof Error ? thrown.cause : undefined
    const reason = `${url.origin} cannot be reached${cause instanceof Error ? ` (${cause.message})` : ''}`
    throw fail('unavailable', { reason }, { cause: thrown, hint: 'Start the service, or give its address with --url.' })
  })
  if (!answer.ok) throw await readRefusal(answer)
  return answer
}

/** Requests a bearer token for the client of the environment. @returns headers of a request */
async function requestToken({ url, organization }: ExportOptions, env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const { FERRULE_CLIENT_ID: id, FERRULE_CLIENT_SECRET: secret } = env
  if (!id || !secret) {
    const reason = 'an export needs both FERRULE_CLIENT_ID and FERRULE_CLIENT_SECRET, of a client that may read the connector'
    throw fail('setting_invalid', { name: id ? 'FERRULE_CLIENT_SECRET' : 'FERRULE_CLIENT_ID', reason })
  }
  const own = organization === undefined ? {} : { 'x-organization-id': organization }
  const body = JSON.stringify({ client_id: id, client_secret: secret })
  const answer = await ask(new URL(url + tokenPath), { method: 'POST', body, headers: { ...own, 'content-type': 'application/json' } })
  const { access_token: token } = (await answer.json()) as { readonly access_token: string } // the service's own answer
  return { ...own, authorization: `Bearer ${token}` }
}

function buildAddress(
  connector: string,
  entity: string,
  { url, format, formulas, filter, sort, fields, maxAge }: ExportOptions & { url: string },
): URL {
  const address = new URL(`${url}${connectorsPath}/${encodeURIComponent(connector)}/entities/${encodeURIComponent(entity)}/export`)
  for (const [name, value] of Object.entries({ format, formulas, filter, sort, fields, max_age: maxAge }))
    if (value !== undefined) address.searchParams.set(name, value)
  return address
}

async function exportTo(connector: string, entity: string, options: ExportOptions): Promise<void> {
  const given = { ...options, url: options.url.replace(/\/+$/, '') }
  const headers = await requestToken(given, process.env)
  const { body } = await ask(buildAddress(connector, entity, given), { headers })
  if (body === null) return
  const records = Readable.fromWeb(body as ReadableStream) // Node's own type of the same stream
  if (options.output === undefined) await pipeline(records, process.stdout, { end: false })
  else await pipeline(records, createWriteStream(options.output))
}

/** Builds `ferrule-server export …`. */
export function buildExportCommand(): Command {
  return new Command('export')
    .description("write an entity's records from the context store of a running service")
    .argument('<connector id>')
    .argument('<entity>')
    .addOption(new Option('--format <format>', 'ndjson, csv or parquet').choices([...exportFormatNames]).default('ndjson'))
    .addOption(new Option('--formulas <mode>', 'CSV text that a spreadsheet would run: mark or keep').choices(['mark', 'keep']))
    .option('--filter <json>', 'filter of a search, for example \'{"eq":{"active":true}}\'')
    .option('--sort <json>', 'sort of a search; default: the primary key')
    .option('--fields <paths>', 'field paths, separated by commas; default: all')
    .option('--max-age <seconds>', 'refresh an older copy first')
    .option('--output <file>', 'file to write; default: standard output')
    .option('--url <address>', 'address of the service', findUrl(process.env))
    .option('--organization <id>', 'organization; required when the client reaches several')
    .addHelpText('after', '\nFERRULE_CLIENT_ID and FERRULE_CLIENT_SECRET name the client, and FERRULE_URL its service.')
    .action(exportTo)
}
