/** Compares the documented settings with those that are read. The expected values are typed by hand; a change needs a changelog line. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { settingsPage } from '../../packages/server/src/http/reference/printed-pages.ts'
import { describeRows, readRows, type SettingRows } from '../../packages/server/src/main/settings/setting-rows.ts'
import { describeSettings, settingsTable } from '../../packages/server/src/main/settings/table.ts'
import { integer } from '../../packages/server/src/main/settings/value-types.ts'
import { root } from '../../scripts/paths.mjs'
import { readSources } from '../support/imports.ts'
import { findSettingProblems } from '../support/setting-problems.ts'

/** Type and default by name. */
const promised: Readonly<Record<string, string>> = {
  FERRULE_HOST: 'address; 127.0.0.1',
  FERRULE_PORT: 'integer from 0 to 65535; 8080',
  FERRULE_DATA: 'folder; ./data',
  DATABASE_URL: 'postgresql:// URL; none',
  DATABASE_PASSWORD_FILE: 'file; none',
  DATABASE_PASSWORD_COMMAND: 'shell command; none',
  FERRULE_DATABASE_CONNECTIONS: 'integer from 2 to 200; 10',
  CONTEXT_DATABASE_URL: 'postgresql:// URL; DATABASE_URL',
  CONTEXT_READ_URLS: 'comma list of postgresql:// URLs; none',
  FERRULE_MASTER_KEY: '32 bytes in base64 or base64url; none',
  FERRULE_MASTER_KEY_PREVIOUS: 'comma list of keys; none',
  FERRULE_OPERATOR_CLIENT_ID: 'string of 1 to 128 visible ASCII characters; generated',
  FERRULE_OPERATOR_CLIENT_SECRET: 'string of 1 to 256 characters; at least 32 random ones outside of a trial; generated, shown once',
  FERRULE_KINDS: 'comma list of files, folders and packages; @ferrule/kinds',
  FERRULE_ORIGINS: 'JSON object; {}',
  HTTP_PROXY: 'http or https URL; none',
  HTTPS_PROXY: 'http or https URL; HTTP_PROXY',
  NO_PROXY: 'comma list of hosts; none',
  FERRULE_SANDBOX: 'on or off; on without DATABASE_URL, else off',
  FERRULE_WEBHOOK_HOSTS: 'comma list of hosts; none',
  FERRULE_TRUSTED_PROXIES: 'comma list of addresses and CIDR blocks, or a number of hops from 0 to 32; none',
  FERRULE_CORS_ORIGINS: 'comma list of origins; none',
  FERRULE_CONNECT_REDIRECTS: 'comma list of origins; none',
  FERRULE_CONNECT_ORIGINS: 'comma list of origins; none',
  FERRULE_RATE_LIMIT: 'integer from 0 to 1000000000; 600',
  FERRULE_CONCURRENCY: 'integer from 0 to 1000000; 60',
  FERRULE_MCP_RATE_LIMIT: 'integer from 0 to 1000000000; 600',
  FERRULE_MCP_OAUTH: 'on or off; on',
  FERRULE_MCP_HOSTS: 'comma list of host names and addresses; none',
  FERRULE_BODY_LIMIT: 'integer from 1024 to 67108864; 1048576',
  FERRULE_BODY_MEMORY: 'integer from 32 to 65536; a quarter of the memory of the container or machine, from 32 to 1024',
  FERRULE_LOG_LEVEL: 'fatal, error, warn, info, debug, trace or silent; info',
  FERRULE_TRACE_VENDORS: 'on or off; off',
  FERRULE_SHUTDOWN_DELAY: 'integer from 0 to 300; 0',
  FERRULE_SHUTDOWN_SECONDS: 'integer from 0 to 3600; 30',
  FERRULE_OPERATION_SECONDS: 'integer from 1 to 3600; 60',
  FERRULE_ROLE: 'all, api or worker; all',
  FERRULE_SYNC_CONCURRENCY: 'integer from 1 to 256; 8',
  FERRULE_SYNC_INTERVAL: 'integer from 60 to 2592000; 3600',
  FERRULE_SYNC_FULL_DAYS: 'integer from 1 to 365; 7',
  FERRULE_PUBLIC_URL: 'http or https URL; taken from the request',
  FERRULE_CONTEXT_DISTRIBUTED: 'auto, citus or none; auto',
  FERRULE_CONTEXT_FOLDER: 'folder; context in FERRULE_DATA',
  FERRULE_CONTEXT_MEMORY: 'integer from 16 to 1024; 32',
  FERRULE_CONTEXT_SEARCHES: 'integer from 1 to 200; 8',
  FERRULE_CONTEXT_WRITERS: 'integer from 1 to 100; 4',
  FERRULE_CONTEXT_QUEUE: 'integer from 1 to 10000; 200',
  FERRULE_CONTEXT_INDEXES: 'integer from 0 to 1000; 64',
  FERRULE_CHANGES_DAYS: 'integer from 1 to 90; 7',
  FERRULE_CHANGES_ALWAYS: 'on or off; off',
  FERRULE_CHANGES_ENTITIES: 'integer from 1 to 1000000; 10000',
  FERRULE_RECORDS_CHANGED_SECONDS: 'integer from 1 to 3600; 5',
  FERRULE_SEARCH_SECONDS: 'integer from 1 to 600; 10',
}

/** All files of the server that may read settings, without the files that name every setting. */
const sources = new Map(
  [...readSources(join(root, 'packages/server/src'))]
    .filter(([file]) => !file.endsWith('settings/table.ts'))
    .map(([file, text]) => [file, text.replace(/^type GroupedSetting =[\s\S]*?\n\n/m, '')]), // names them, and reads none
)
const find = (rows: SettingRows): string[] => findSettingProblems(rows, promised, sources)

describe('the table of settings', () => {
  test('holds what is promised, reads what it documents, and nothing in it is unread', () => {
    expect(find(settingsTable)).toEqual([])
  })

  test('is the printed page, row by row', () => {
    const page = readFileSync(join(root, 'docs/settings.md'), 'utf8')
    expect(page).toBe(settingsPage())
    const names = [...page.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name)
    expect(names).toEqual(describeSettings().map(({ name }) => name))
    expect(names).toEqual(Object.keys(promised))
  })

  test('has computed defaults that follow their conditions', () => {
    const read = (env: Record<string, string>) => readRows(settingsTable, env, { kinds: [] })
    const url = 'postgresql://u:p@db/state'
    expect(read({})).toMatchObject({ sandbox: true, contextFolder: 'data/context', contextDatabaseUrl: undefined })
    expect(read({ FERRULE_DATA: '/there' }).contextFolder).toBe('/there/context')
    const served = read({ DATABASE_URL: url })
    expect([served.sandbox, served.contextFolder, served.contextDatabaseUrl?.reveal()]).toEqual([false, undefined, url])
    expect(read({ CONTEXT_DATABASE_URL: url })).toMatchObject({ sandbox: true, contextFolder: undefined, databaseUrl: undefined })
  })
})

describe('each mistake is found', () => {
  const { operationSeconds } = settingsTable
  const plant = (row: SettingRows[string]): string[] => find({ ...settingsTable, operationSeconds: row })

  test('a wrong default', () => {
    const says = 'FERRULE_OPERATION_SECONDS is "integer from 1 to 3600; 600", promised is "integer from 1 to 3600; 60"'
    expect(plant({ ...operationSeconds, default: '600' })).toEqual([says])
  })

  test('a default that its own type refuses', () => {
    expect(plant({ ...operationSeconds, default: '0' }).join()).toContain(
      'the default of FERRULE_OPERATION_SECONDS is refused: setting_invalid The setting FERRULE_OPERATION_SECONDS is not valid',
    )
  })

  test('a wrong range', () => {
    const says = 'FERRULE_OPERATION_SECONDS is "integer from 1 to 360; 60", promised is "integer from 1 to 3600; 60"'
    expect(plant({ ...operationSeconds, type: integer(1, 360) })).toEqual([says])
  })

  test('a documented range that is not the one that is read', () => {
    const { says } = operationSeconds.type
    expect(plant({ ...operationSeconds, type: { ...integer(1, 360), says } })).toEqual([
      'FERRULE_OPERATION_SECONDS refuses 3600, which is integer from 1 to 3600',
    ])
    expect(plant({ ...operationSeconds, type: { ...integer(0, 9_999), says } })).toEqual([
      'FERRULE_OPERATION_SECONDS takes 0, which is not integer from 1 to 3600',
      'FERRULE_OPERATION_SECONDS takes 3601, which is not integer from 1 to 3600',
    ])
  })

  test('an invented setting, and a promised one that is missing', () => {
    const moonPhase = { name: 'FERRULE_MOON_PHASE', type: integer(0, 3), default: '0', about: 'Phase of the moon.' }
    expect(find({ ...settingsTable, moonPhase })).toEqual([
      'FERRULE_MOON_PHASE is "integer from 0 to 3; 0", promised is "undefined"',
      'FERRULE_MOON_PHASE is read by nobody',
    ])
    const { port: _port, ...rest } = settingsTable
    expect(find(rest)).toEqual(['FERRULE_PORT is promised and does not exist'])
  })

  test('a setting that a default names and that does not exist', () => {
    const from = (text: (name: string) => string | undefined): string => text('FERRULE_PROT') ?? '1'
    const rows = { one: { ...operationSeconds, default: { says: 'as FERRULE_PROT', from } } }
    expect(describeRows(rows)[0]?.default).toBe('as FERRULE_PROT')
    expect(() => readRows(rows, {}, { kinds: [] })).toThrow('there is no setting FERRULE_PROT')
  })
})
