/** Runs every command on a pseudo-terminal of 40 columns, and looks at what a user sees. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import stringWidth from 'fast-string-width'
import { afterAll, describe, expect, test } from 'vitest'
import { commands } from '../../packages/ferrule/src/cli/specs/index.ts'
import { base, client, sandboxConnector } from '../http/support.ts'
import { Receiver } from '../http/webhook-support.ts'
import { openTerminal, plain } from './support.ts'
import { startCommandWorld } from './world.ts'

const columns = 40
/** Names whose characters take two cells, some of several code points. */
const wide = {
  organization: '東京 🎉',
  application: '夜間レポート',
  workspace: '研究 👩‍🔬',
  connector: '通話 📞',
  endpoint: '通知 🔔',
} as const
const renamed = '大阪'

const receiver = new Receiver()
await receiver.start()
const running = await startCommandWorld({ settings: { webhookHosts: ['127.0.0.1'] } })
const body = { credentials: sandboxConnector('x').credentials, environment: { sandbox: true }, entities: [{ entity: 'users' }] }
writeFileSync(join(running.caller.folder, 'new.json'), JSON.stringify(body))
afterAll(async () => {
  await running.close()
  receiver.close()
})

/** A member of one record whose value is one word, as it can be copied. */
const wholeWord = /^\w+ {2,}[\w.:/@-]+$/

interface Row {
  /** Words after the name of the command. */
  readonly args?: readonly string[]
  /** What is typed, each after a text that is drawn. */
  readonly answers?: readonly (readonly [after: string, keys: string])[]
  /** Texts that are drawn in this order. */
  readonly shows: readonly string[]
  /** True: only a table is drawn. Its lines fit the terminal, but ids and addresses of one record are whole. */
  readonly isTable?: true
  /** What is drawn as a whole, however narrow the terminal is. */
  readonly isWhole?: RegExp
  /** File that is written. */
  readonly file?: string
  /** Runs before the command, and returns further words. */
  readonly before?: () => Promise<readonly string[]>
}

const table = (args: readonly string[], ...shows: string[]): Row => ({ args, shows, isTable: true })
/** Asks before it deletes; the question can be longer than a line of the terminal. */
const asking = (args: readonly string[], ...shows: string[]): Row => ({ args, answers: [['● No', 'y']], shows })

/** What an MCP client sends first. */
const initialize = JSON.stringify({
  ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
})

/** The id of what `delete` deleted last. */
let deletedId = ''
const restoring = async (): Promise<readonly string[]> => [deletedId]
const synced = async (): Promise<readonly string[]> => {
  await running.world.context.sync()
  return []
}

/** Puts events into their order, and sends them. */
const sent = async (): Promise<readonly string[]> => {
  const worker = running.world.platform.eventWorker()
  await worker.run()
  await worker.stop()
  return []
}

/** One row for each command, in an order in which each finds what it needs. */
const rows: Readonly<Record<string, Row>> = {
  login: {
    args: ['--profile', 'asked'],
    before: async () => ['--url', running.world.url],
    answers: [
      ['Client id', `${client.id}\r`],
      ['Client secret', `${client.secret}\r`],
    ],
    shows: ['Client id', 'Logged in to http://'],
  },
  whoami: table([], 'url', 'identity', client.id),
  use: { args: ['default'], shows: ['default'] },
  config: table([], 'setting', 'value', 'source', 'profile'),
  'organizations create': table([wide.organization], 'name', wide.organization),
  'organizations list': table([], 'name', wide.organization, 'admin'),
  'organizations rename': table([wide.organization, renamed], 'name', renamed),
  'organizations delete': asking([renamed], renamed, 'Deleted. Within 30 days: ferrule organizations restore '),
  'organizations restore': { before: restoring, shows: ['name', renamed], isTable: true },
  'applications create': {
    args: [wide.application],
    shows: ['name', wide.application, 'client_secret', 'The secret is shown this once'],
    isWhole: /client_secret +[\w-]{43}\r\n/,
  },
  'applications list': table(['--fields', 'name,is_caller'], 'name', wide.application, 'false'),
  'applications rename': table([wide.application, renamed], 'name', renamed),
  'applications rotate-secret': asking([renamed], renamed, 'client_secret'),
  'applications delete': asking([renamed], renamed, 'deleted_at'),
  'workspaces create': table([wide.workspace], 'name', wide.workspace, 'active'),
  'workspaces list': table([], 'name', 'status', wide.workspace),
  'workspaces rename': table([wide.workspace, renamed], 'name', renamed),
  'workspaces delete': asking([renamed], renamed, 'Deleted. Within 30 days: ferrule workspaces restore '),
  'workspaces restore': { before: restoring, shows: ['name', renamed], isTable: true },
  'connectors create': table(
    ['gong', '--name', wide.connector, '--from-file', 'new.json', '--changes-days', '30'],
    'name',
    wide.connector,
    'active',
  ),
  'connectors list': table(['--fields', 'name,status'], 'name', wide.connector, 'active'),
  'connectors get': table([wide.connector], 'name', wide.connector, 'credential_scheme', 'changes_days', '30'),
  'connectors update': table([wide.connector, '--name', renamed, '--changes-days', 'default'], 'name', renamed),
  'connectors check': table([renamed], 'name', renamed, 'succeeded'),
  'connectors webhooks': table([renamed, '--make'], 'address', '/webhooks/connectors/', 'missing'),
  'webhooks create': {
    args: [wide.endpoint],
    before: async () => [`${receiver.address}/hook`],
    shows: ['name', wide.endpoint, 'secret', 'The secret is shown this once'],
    isWhole: /secret +whsec_[A-Za-z0-9+/]{43}=\r\n/,
  },
  'webhooks list': { ...table(['--fields', 'name,status'], 'name', wide.endpoint, 'active'), before: sent },
  'webhooks get': table([wide.endpoint], 'name', wide.endpoint, 'ordered'),
  'webhooks pause': table([wide.endpoint], 'name', wide.endpoint, 'paused'),
  'webhooks resume': table([wide.endpoint], 'name', wide.endpoint, 'active'),
  'webhooks test': table([wide.endpoint], 'name', wide.endpoint),
  'webhooks rotate-secret': asking([wide.endpoint], wide.endpoint, 'whsec_'),
  'webhooks deliveries': { ...table([wide.endpoint, '--fields', 'type,status'], 'type', 'webhook.test', 'delivered'), before: sent },
  'webhooks retry': table([wide.endpoint], 'endpoint_id', 'deliveries'),
  'webhooks delete': asking([wide.endpoint], wide.endpoint, 'deleted_at'),
  'webhooks listen': {
    args: ['--forward-to', 'http://127.0.0.1:9/hook'],
    answers: [['Ctrl+C ends it', '\u0003']],
    shows: ['Secret: whsec_', 'http://127.0.0.1:9/hook'],
  },
  events: { ...table(['--fields', 'type'], 'type', 'connector.created', 'webhook.test'), before: sent },
  definitions: table([], 'gong', 'shopify', 'snowflake', 'tiktok-mark…'),
  describe: table(['gong', 'calls', 'list'], 'Gong: list of calls', 'Parameters', 'fromDateT…', 'Example', 'ferrule execute gong calls'),
  'kind new': {
    args: ['acme.kind.yaml', '--title', 'Acme', '--api', 'https://api.acme.example'],
    shows: ['acme.kind.yaml'],
    file: 'acme.kind.yaml',
  },
  'kind types': { args: ['acme.kind.yaml'], shows: ['export interface ThingsRecord {', 'export type AcmeKind = '] },
  'kind docs': { args: ['acme.kind.yaml'], shows: ['# Acme (`acme`)', '### things list'] },
  'kind check': { args: ['acme.kind.yaml'], shows: ['acme.kind.yaml: no mistakes, 0 doubts, 6 unsure.'] },
  'kind try': {
    args: ['acme.kind.yaml', 'things', 'list', '-p', 'limit=1', '--record', 'tried.json'],
    answers: [['● No', 'y']],
    shows: ['GET /things?limit=1: 200', 'answer.data[].name: name-1', 'Save the recording', 'Wrote tried.json: things.list'],
    file: 'tried.json',
  },
  'kind test': {
    args: ['acme.kind.yaml'],
    shows: ['2 calls with 3 requests, 0 of them live: 0 failures, 0 notes.', 'regression only'],
  },
  'kind add': {
    args: ['ferrule-kind-acme', '--to', 'kinds'],
    shows: ['kinds/acme.kind.yaml', 'Wrote acme.kind.yaml', 'no mistakes, 0 doubts.'],
    file: 'kinds/acme.kind.yaml',
  },
  'kind search': table(['acme', '--fields', 'name,version'], 'name', 'ferrule-kind-acme', '1.0.0'),
  'kind publish': { args: ['acme.kind.yaml'], shows: ['acme is a new kind.', 'New hosts: api.acme.example', 'published'] },
  'kind list': table(['--fields', 'slug,version'], 'slug', 'acme', '1'),
  'kind versions': table(['acme', '--fields', 'version,connectors'], 'version', '1'),
  'kind pull': { args: ['acme@1', '--to', 'pulled'], shows: ['acme.kind.yaml', 'version 1.'], file: 'pulled/acme.kind.yaml' },
  'kind delete': asking(['acme'], 'Delete the kind acme', 'slug', 'acme'),
  'kind sandbox': {
    args: ['acme.kind.yaml', '--port', '0'],
    answers: [['Ctrl+C ends it', '\u0003']],
    shows: ['origin', 'http://127.0.0.1:', 'ACME_ORIGIN=http://127.0.0.1:'],
  },
  execute: table([renamed, 'users', 'list', '--all', '--fields', 'id,emailAddress'], 'id', 'emailAddress', '@'),
  'sync status': table([renamed], 'entity', 'state', 'users'),
  search: {
    args: [renamed, 'users', '--limit', '5'],
    before: synced,
    shows: ['too narrow for', '--fields', 'emailAd…'],
    isWhole: /^\d{18,} /m,
  },
  aggregate: table([renamed, 'users', '--group-by', 'active', '--measure', 'people=distinct(id)'], 'active', 'people', 'true'),
  find: table(['--where', 'active = true', '--limit', '5', '--fields', 'entity,title'], 'entity', 'users'),
  export: { args: [renamed, 'users', 'users.csv'], shows: ['Wrote users.csv: '], file: 'users.csv' },
  changes: table(
    [renamed, 'users', '--consumer', 'warehouse', '--fields', 'type,key'],
    'type',
    'snapshot_begin',
    'present',
    'snapshot_end',
  ),
  'consumers list': table([renamed, '--fields', 'name,status'], 'name', 'warehouse', 'active'),
  'consumers delete': asking([renamed, 'warehouse'], 'deleted_at'),
  download: {
    args: [renamed, 'call_video', '--params', '@media.json', '-o', 'call.mp4'],
    shows: [' %', 'Wrote call.mp4: '],
    file: 'call.mp4',
  },
  'sync schedule': table([renamed, '--every', '3600'], 'inter…', '3600'),
  'sync start': table([renamed], 'state', 'queued'),
  'sync cancel': table([renamed], 'state', 'cancelled'),
  'sync reset': asking([renamed], renamed, 'queued'),
  'tokens create': { args: ['机器'], shows: ['name', '机器', 'token', 'The token is shown this once'], isWhole: /token +[\w-]{30,}\r\n/ },
  'tokens list': table(['--fields', 'name,scopes'], 'name', '机器'),
  'tokens revoke': asking(['机器'], '机器', 'revoked'),
  'links create': {
    args: ['东京', '--kind', 'gong', '--sandbox'],
    shows: ['url', '/connect/', 'The address is shown this once'],
    isWhole: /url +http:\/\/127\.0\.0\.1:\d+\/connect\/[\w-]{36}#[\w-]{43}\r\n/,
  },
  'links list': table(['--fields', 'status,end_user.id'], 'status', 'open', '东京'),
  'links revoke': asking(['东京'], '东京', 'revoked'),
  'connectors delete': asking([renamed], renamed, 'connector_delete', 'succeeded'),
  api: table(['GET', `${base}/organizations`, '--jq', '.data[].role'], 'admin'),
  open: table(['--print'], 'console', '/console', 'reference', '/docs'),
  doctor: {
    args: ['--workspace', '机器'],
    shows: ['ok       service: ready\r\n', 'warning  connectors: none in the workspace 机器\r\n', 'Run: ferrule connectors create'],
  },
  mcp: {
    answers: [
      ['', `${initialize}\n`],
      ['serverInfo', '\u0004'], // the end of the input
    ],
    shows: ['serverInfo', 'ferrule'],
  },
  'mcp install': {
    args: ['cursor', '--project'],
    answers: [['● No', 'y']],
    shows: ['+++ ', '"ferrule": {', 'Write ', '?', 'Wrote '],
    file: '.cursor/mcp.json',
  },
  'mcp uninstall': { args: ['cursor', '--project'], answers: [['● No', 'y']], shows: ['-    "ferrule": {', 'Wrote '] },
  complete: { args: ['fish'], shows: ['ferrule complete'] },
  logout: { args: ['--profile', 'asked'], shows: ['asked'] },
}

/** Runs a command to its end. @returns everything that was drawn */
async function draw(
  name: string,
  { args = [], answers = [], before, isTable }: Row,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const more = (await before?.()) ?? []
  const words = [...name.split(' '), ...args, ...more, ...(isTable === true ? ['--quiet'] : [])]
  const terminal = openTerminal({ ...running.caller, env: { ...running.caller.env, ...env } }, words, { columns })
  for (const [after, keys] of answers) {
    await terminal.waitFor(after)
    terminal.type(keys)
  }
  const code = await terminal.end()
  expect({ code, drawn: code === 0 ? '' : terminal.drawn }).toEqual({ code: 0, drawn: '' })
  return terminal.drawn
}

/** Returns the first text that is not drawn after those before it. */
function findMissing(drawn: string, shows: readonly string[]): string | undefined {
  let at = 0
  return shows.find((text) => {
    const found = drawn.indexOf(text, at)
    at = found + text.length
    return found < 0
  })
}

test('every command has a row here', () => {
  expect(Object.keys(rows).toSorted()).toEqual(commands.map(({ name }) => name).toSorted())
})

describe('on a terminal of 40 columns', () => {
  test.each(Object.entries(rows))('%s', async (name, row) => {
    const drawn = await draw(name, row, { NO_COLOR: '1' })
    const seen = plain(drawn)
    deletedId = / restore (\S+)/.exec(seen)?.[1] ?? deletedId
    expect(findMissing(seen, row.shows) ?? 'nothing', drawn).toBe('nothing')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes that NO_COLOR forbids
    expect(drawn).not.toMatch(/\u001b\[[0-9;]*m/)
    expect(seen).not.toContain(client.secret)
    if (row.isWhole !== undefined) expect(drawn).toMatch(row.isWhole)
    if (row.file !== undefined) expect(existsSync(join(running.caller.folder, row.file))).toBe(true)
    if (row.isTable !== true) return
    expect(drawn).not.toContain('\u001b')
    const isTooWide = (line: string): boolean => stringWidth(line) > columns && !wholeWord.test(line)
    expect(drawn.split('\r\n').filter(isTooWide)).toEqual([])
  })

  test('with colours, where nothing forbids them', async () => {
    expect(await draw('workspaces list', table([]), {})).toContain('\u001b[1mname')
  })
})
