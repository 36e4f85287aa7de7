import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { describeSettings } from '../../packages/server/src/main/settings/table.ts'
import { root } from '../../scripts/paths.mjs'
import type { Json } from '../http/support.ts'
import { findComposeMistakes } from './schemas.ts'
import { imageSettings, readNodeSettings } from './settings-of-nodes.ts'
import { secrets } from './values-of-tests.ts'

const read = (name: string): string => readFileSync(join(root, name), 'utf8')
const parseCompose = (text: string): Json => parse(text, { merge: true })

/** The values that an operator puts into `.env`. */
const given: Readonly<Record<string, string>> = {
  POSTGRES_PASSWORD: 'never-to-be-shown',
  FERRULE_MASTER_KEY: secrets.masterKey,
  FERRULE_SITE: ':80',
}

/** Fills `${NAME:-default}` and `${NAME:?reason}` of one text as Compose does. */
function fillText(text: string): string {
  const [, name = '', sign, rest = ''] = /\$\{(\w+):([-?])([^}]*)\}/.exec(text) ?? []
  if (sign === undefined) return text
  const value = given[name] ?? (sign === '-' ? rest : missing(name))
  return fillText(text.replace(/\$\{[^}]*\}/, () => value))
}

/** Fills every text of a parsed file: Compose does so after it has read the file. */
const fill = (file: Json): Json => JSON.parse(JSON.stringify(file), (_, value) => (typeof value === 'string' ? fillText(value) : value))

function missing(name: string): never {
  throw new Error(`${name} has no value`)
}

const files = ['compose.yaml', 'deploy/compose/compose.yaml']
const text = read('deploy/compose/compose.yaml')
const { services, networks }: Json = fill(parseCompose(text))
const own = Object.entries<Json>(services).filter(([, { image }]) => image === 'ferrule-nodes')

describe.each(files)('%s', (name) => {
  test('is of the Compose Specification', () => {
    expect(findComposeMistakes(parseCompose(read(name)))).toEqual([])
    expect(findComposeMistakes({ services: { one: { imag: 'a' } } })).not.toEqual([])
  })

  test('has no secret, and no default for one', () => {
    for (const secret of ['FERRULE_MASTER_KEY', 'POSTGRES_PASSWORD']) {
      const uses = [...read(name).matchAll(new RegExp(`\\$\\{${secret}\\b(.{2})`, 'g'))].map(([, sign]) => sign)
      expect([...new Set(uses)]).toEqual([':?'])
    }
  })

  test('names settings that exist', () => {
    const known = describeSettings().map(({ name: setting }) => setting)
    const ofService: Json[] = Object.values<Json>(fill(parseCompose(read(name))).services).filter(
      ({ environment }) => environment?.DATABASE_URL !== undefined,
    )
    const ofNode = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS']
    expect(
      ofService.flatMap(({ environment }) => Object.keys(environment)).filter((each) => ![...known, ...ofNode].includes(each)),
    ).toEqual([])
  })

  test('passes every setting on that the file and the image do not decide', () => {
    // Passwords stand in the URLs of the file. The end of a node fits the time that the file gives it.
    const decided = [
      'DATABASE_URL',
      'DATABASE_PASSWORD_FILE',
      'DATABASE_PASSWORD_COMMAND',
      'FERRULE_SHUTDOWN_DELAY',
      'FERRULE_SHUTDOWN_SECONDS',
    ]
    const ofEmbedded = ['FERRULE_CONTEXT_FOLDER', 'FERRULE_CONTEXT_MEMORY', 'FERRULE_ROLE']
    const ofNodes = name === 'compose.yaml' ? [] : ['FERRULE_SANDBOX']
    const mine = [...decided, ...ofEmbedded, ...ofNodes, ...Object.keys(imageSettings)]
    const passed = [...read(name).matchAll(/^ +(\w+): \$\{\1:[-?]/gm)].map(([, setting]) => setting)
    const wanted = describeSettings().flatMap(({ name: setting }) => (mine.includes(setting) ? [] : [setting]))
    expect(wanted.filter((setting) => !passed.includes(setting))).toEqual([])
  })

  test('asks PostgreSQL by TCP, since a server that still initialises its folder answers on its socket', () => {
    const { healthcheck } = parseCompose(read(name)).services.postgres
    expect(healthcheck.test).toEqual(['CMD', 'pg_isready', '--host=127.0.0.1', '--username=ferrule', '--dbname=ferrule'])
  })
})

describe('the nodes of deploy/compose', () => {
  test('are two for each role, with settings that the service reads and time to end', () => {
    for (const role of ['api', 'worker']) {
      const { command, environment, deploy, stop_grace_period } = services[role]
      const settings = readNodeSettings({ ...imageSettings, ...environment }, command)
      expect([settings.role, settings.sandbox, deploy.replicas]).toEqual([role, false, 2])
      const host = role === 'api' ? 'pgbouncer:6432' : 'postgres:5432'
      expect(environment.DATABASE_URL).toBe(`postgresql://ferrule:never-to-be-shown@${host}/ferrule`)
      expect(Number.parseInt(stop_grace_period, 10)).toBeGreaterThanOrEqual(settings.shutdownDelay + settings.shutdownSeconds + 31)
    }
  })

  test('wait for the migrations, which wait for the database', () => {
    expect(services.migrate).toMatchObject({ command: ['ferrule-server', 'migrate'], restart: 'no' })
    expect(services.migrate.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
    for (const role of ['api', 'worker']) {
      expect(services[role].depends_on.migrate).toEqual({ condition: 'service_completed_successfully' })
    }
  })

  test('have no rights, and bounds', () => {
    expect(own.map(([name]) => name).sort()).toEqual(['api', 'migrate', 'worker'])
    for (const [, service] of own) {
      expect(service).toMatchObject({ user: 'node', read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] })
    }
    for (const service of Object.values<Json>(services)) expect(service.deploy.resources.limits.memory).toMatch(/^\d+[MG]$/)
  })

  test('are reached by the proxy only, whose network they trust', () => {
    const published = Object.entries<Json>(services).flatMap(([name, { ports }]) => (ports === undefined ? [] : [name]))
    expect(published).toEqual(['proxy'])
    expect(read('deploy/compose/Caddyfile')).toContain(`dynamic a api ${imageSettings['FERRULE_PORT']} {`)
    expect(services.api.environment.FERRULE_TRUSTED_PROXIES).toBe(networks.nodes.ipam.config[0].subnet)
  })

  test('share sessions by a pooler that starts before them', () => {
    const settings = read('deploy/compose/pgbouncer/pgbouncer.ini')
    expect(settings).toContain('pool_mode = transaction')
    expect(settings).toMatch(/^listen_port = 6432$/m)
    expect(services.api.depends_on.pgbouncer).toEqual({ condition: 'service_healthy' })
    expect(services.pgbouncer.depends_on).toEqual({ postgres: { condition: 'service_healthy' } })
  })
})
