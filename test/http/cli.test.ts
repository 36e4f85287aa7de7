import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundleOf } from '../../scripts/bundles.mjs'
import { root } from '../../scripts/paths.mjs'
import { buildSourceEnvironment, programLimit } from '../support/commands.ts'
import { makeFolder } from '../support/folder.ts'

const folder = makeFolder('cli')

/** Runs `ferrule-server` on a state of its own. */
const ferrule = (...args: string[]) => ferruleWith({}, ...args)

function ferruleWith(more: Readonly<Record<string, string>>, ...args: string[]) {
  const env = { ...buildSourceEnvironment(), FERRULE_DATA: folder, ...more }
  const { status, stdout, stderr } = spawnSync(process.execPath, [bundleOf('ferrule-server'), ...args], {
    ...programLimit,
    cwd: root,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  })
  return { status, stdout, stderr }
}
const uuid = '[0-9a-f-]{36}'

test('the first command shows the first secret, which nobody could learn otherwise', () => {
  const { status, stdout } = ferrule('applications', 'list')
  expect(status).toBe(0)
  expect(stdout).toMatch(
    new RegExp(
      `^First start. Client id ${uuid}, client secret \\S{43} \\(shown this once: keep it\\)\n${uuid}  First application  \\(${uuid}\\)\n$`,
    ),
  )
  expect(ferrule('applications', 'list').stdout).toMatch(new RegExp(`^${uuid}  First application  \\(${uuid}\\)\n$`))
})

test('applications are made, granted and given new secrets', () => {
  const made = ferrule('applications', 'create', 'Reporting')
  const [, id = '', secret] = new RegExp(`Client id (${uuid}), client secret (\\S+) `).exec(made.stdout) ?? []
  const rotated = ferrule('applications', 'rotate', id)
  expect(rotated.stdout).toMatch(new RegExp(`^Client id ${id}, client secret \\S{43} `))
  expect(rotated.stdout).not.toContain(secret)
  const organization = new RegExp(`\\((${uuid})\\)`).exec(ferrule('applications', 'list').stdout)?.[1] ?? ''
  expect(ferrule('applications', 'grant', id, organization)).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(ferrule('organizations', 'list').stdout).toMatch(new RegExp(`^${organization}  Default  \\(.*${id}.*\\)\n$`))
  expect(ferrule('applications', 'revoke', id, organization)).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(ferrule('applications', 'list').stdout).toContain(`${id}  Reporting  ()`)
  expect(ferrule('applications', 'delete', id)).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(ferrule('applications', 'list').stdout).not.toContain(id)
  expect(ferrule('applications', 'delete', id)).toMatchObject({
    status: 1,
    stderr: expect.stringContaining('no application with this client id'),
  })
}) // eleven programs, one after the other

test('tables are migrated, as often as one likes', () => {
  for (const _ of [1, 2]) expect(ferrule('migrate')).toEqual({ status: 0, stdout: 'The tables are those of this version.\n', stderr: '' })
})

test('kinds of organizations are listed by the names that their tables are changed by', () => {
  expect(ferrule('kinds', 'list')).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(ferrule('kinds', 'promote', 'acme~1')).toMatchObject({ status: 1, stdout: '', stderr: expect.stringContaining('kind') })
})

test('views are refused where the copy takes no connections', () => {
  expect(ferrule('views', '0190a000-0000-7000-8000-000000000001')).toEqual({
    status: 78,
    stdout: '',
    stderr: expect.stringMatching(/^The setting CONTEXT_DATABASE_URL is not valid: views need the copy on a PostgreSQL server;.*\n$/),
  })
  expect(ferrule('views', 'gong')).toMatchObject({ status: 1, stdout: '' })
})

test('keys are rotated', () => {
  expect(ferrule('vault', 'rotate-master-key').stdout).toMatch(/^\d+ data keys wrapped again\n$/)
  expect(ferrule('vault', 'rotate-data-keys').stdout).toBe('0 credentials encrypted again\n')
})

test('what is wrong is one sentence', () => {
  const unknown = ferrule('applications', 'rotate', 'nobody')
  expect([unknown.status, unknown.stdout, unknown.stderr.trim().split('\n').length]).toEqual([1, '', 1])
  const misspelt = ferrule('aplications')
  expect([misspelt.status, misspelt.stderr]).toEqual([1, expect.stringContaining('Did you mean applications?')])
})

test('settings and the document are printed', () => {
  expect(ferrule('settings').stdout).toContain('FERRULE_PORT\n    Port to listen on')
  expect(JSON.parse(ferrule('openapi').stdout).openapi).toBe('3.1.0')
  expect(ferrule('--version').stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
})

test('wrong kinds of the operator end the start and every command, with their places', () => {
  const path = join(folder, 'acme.kind.yaml')
  writeFileSync(path, 'kind: acme\ntitel: Acme\n')
  for (const line of [['serve'], ['migrate'], ['openapi']]) {
    const { status, stdout, stderr } = ferruleWith({ FERRULE_KINDS: path }, ...line)
    expect([status, stdout]).toEqual([78, ''])
    expect(stderr).toMatch(/^The setting FERRULE_KINDS is not valid: its kinds have mistakes\n/)
    expect(stderr).toMatch(/acme\.kind\.yaml:2:1 .*titel.*title/)
  }
})

test('a line that is not complete prints the help', () => {
  const group = ferrule('applications')
  expect([group.status, group.stdout, group.stderr]).toEqual([1, '', expect.stringContaining('Usage: ferrule-server applications')])
  for (const line of [
    ['export', 'x'],
    ['applications', 'create'],
  ]) {
    const { status, stderr } = ferrule(...line)
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^error: missing required argument '\w+'\n\nUsage: ferrule-server /)])
  }
})
