/** `--fields` with a name that nothing has: refused where the fields are known, else remarked on. */
import { describe, expect, test } from 'vitest'
import { type CommandContext, createContext } from '../../packages/ferrule/src/cli/context.ts'
import { checkFields } from '../../packages/ferrule/src/cli/known-fields.ts'
import { Output } from '../../packages/ferrule/src/cli/output/output.ts'
import { commands } from '../../packages/ferrule/src/cli/specs/index.ts'
import { parseFields } from '../../packages/ferrule/src/values/projection.ts'
import { choose } from '../support/draws.ts'
import { share } from '../support/share.ts'
import { buildPages, startFakeService } from './fake-service.ts'
import { runFerrule } from './support.ts'
import { startCommandWorld } from './world.ts'

/** Commands that print nothing, a text, or what only the service and the vendors know. */
const unknown = [
  ...['login', 'logout', 'execute', 'search', 'export', 'download', 'api', 'complete'],
  ...['mcp', 'mcp install', 'mcp uninstall', 'kind types', 'kind docs', 'kind try'],
]

const base = createContext({ args: [], options: {}, version: '1.0.0' }, new AbortController())

const makeContext = (fields: string, args: readonly string[] = []): CommandContext => ({
  ...base,
  args,
  output: new Output({ ...base.output.options, fields: parseFields(fields) }, base.output.sink),
})

test('every other command knows its fields', () => {
  expect(commands.flatMap(({ name, record }) => (record === undefined ? [name] : [])).toSorted()).toEqual(unknown.toSorted())
})

describe('an unknown field is refused with those that there are', () => {
  test.each(commands.filter(({ record }) => record !== undefined).map((spec) => [spec.name, spec] as const))('%s', async (_, spec) => {
    const refused = {
      code: 'validation_failed',
      message: 'There is no field nope.',
      hint: expect.stringMatching(/^Fields: \w+(, \w+|\.$)/),
    }
    await expect(checkFields(spec, makeContext('nope', ['gong']))).rejects.toMatchObject(refused)
  })

  test.each([
    ['links list', 'end_user.id,expires_at', undefined],
    ['links list', 'end_user.nope', 'There is no field end_user.nope.'],
    ['tokens list', 'workspaces.name', undefined],
    ['tokens list', 'workspaces[].name', undefined],
    ['connectors list', 'name.first', 'There is no field name.first.'],
    ['connectors list', 'replication_config.shop', undefined],
    ['connectors list', 'id,nope,name,neither', 'There is no field nope, neither.'],
    ['sync start', 'error.hint,progress.entities.records', undefined],
    ['connectors check', 'name,entity_check_results.status', undefined],
    ['connectors list', ',', '--fields names no field.'],
  ])('%s --fields %s', async (name, fields, message) => {
    const spec = commands.find((each) => each.name === name)
    const checked = checkFields(spec ?? {}, makeContext(fields))
    await (message === undefined ? expect(checked).resolves.toBeUndefined() : expect(checked).rejects.toMatchObject({ message }))
  })
})

describe('against a service', async () => {
  const running = await share(startCommandWorld())

  test('nothing is created, and the refusal names the fields', async () => {
    const { code, stdout, stderr } = await runFerrule(running.caller, 'organizations', 'create', 'twice', '--fields', 'nope')
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(JSON.parse(stderr)).toMatchObject({ message: 'There is no field nope.', hint: 'Fields: id, name, role, created_at.' })
    const { stdout: listed } = await runFerrule(running.caller, 'organizations', 'list', '--jq', '.[].name')
    expect(listed).not.toContain('twice')
  })

  test('every member of a row can be chosen', async () => {
    await runFerrule(running.caller, 'connectors', 'create', 'gong', '--from-file', 'gong.json')
    const few = ['organizations list', 'connectors get gong', 'definitions gong', 'config', 'sync status gong']
    const others = ['applications list', 'workspaces list', 'connectors list', 'definitions', 'whoami', 'use', 'sync schedule gong']
    const lists = choose(few, [...few, ...others, 'describe gong', 'doctor', 'open --print'])
    for (const line of lists) {
      const words = line.split(' ')
      const { stdout } = await runFerrule(running.caller, ...words)
      const value: unknown = JSON.parse(stdout)
      const names = Object.keys(Object(Array.isArray(value) ? value[0] : value))
      expect(names.length, line).toBeGreaterThan(1)
      const { code, stdout: chosen, stderr } = await runFerrule(running.caller, ...words, '--fields', names.join(','))
      expect({ line, code, stderr: code === 0 ? '' : stderr }).toEqual({ line, code: 0, stderr: '' })
      const again: unknown = JSON.parse(chosen)
      expect(Object.keys(Object(Array.isArray(again) ? again[0] : again)), line).toEqual(names)
    }
  })

  test('a search is refused by the service', async () => {
    await running.world.context.sync()
    const { code, stderr } = await runFerrule(running.caller, 'search', 'gong', 'users', '--fields', 'nope')
    expect(code).toBe(4)
    expect(JSON.parse(stderr).message).toMatch(/nope cannot be searched in users\. Searchable: .*emailAddress/)
  })
})

describe('records of vendors, which leave members out', async () => {
  const answer = buildPages(2, 2, (number) => ({ id: number, ...(number === 4 ? { late: true } : {}) }))
  const service = await share(
    startFakeService(({ action, params }) => (action === 'get' ? { data: { id: 1, title: 'one' }, meta: {} } : answer(params))),
  )

  const execute = (...args: readonly string[]) => runFerrule({ config: '/tmp', env: service.env }, 'execute', 'gong', 'users', ...args)
  const remark = 'No record here has nope. Fields: '

  test.each([['list', '--all'], ['list', '--format', 'csv'], ['list', '--format', 'table'], ['list', '--jq', '.data'], ['get']])(
    'execute %s %s %s: a field that no record has is remarked on, once',
    async (...args) => {
      const { code, stderr } = await execute(...args, '--fields', 'id,nope')
      expect(code).toBe(0)
      expect(stderr.split(remark)).toHaveLength(2)
      expect(stderr).toMatch(/Fields: id(?:, (?:late|title))?\./)
    },
  )

  test('a field that a later record has is not', async () => {
    const { stdout, stderr } = await execute('list', '--all', '--fields', 'id,late')
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4, late: true }])
  })

  test('the fields of one record are chosen from the record', async () => {
    const { stdout } = await execute('get', '--fields', 'title')
    expect(JSON.parse(stdout)).toEqual({ data: { title: 'one' }, meta: {} })
  })
})
