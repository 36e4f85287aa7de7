/** What to do next is said in commands, with their names filled in, and each refusal is shown once. */
import { PassThrough } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { readSort } from '../../packages/ferrule/src/cli/actions/execute.ts'
import { createContext } from '../../packages/ferrule/src/cli/context.ts'
import { formatFailure } from '../../packages/ferrule/src/cli/failure.ts'
import { nameCommands } from '../../packages/ferrule/src/cli/next-steps.ts'
import { commands } from '../../packages/ferrule/src/cli/specs/index.ts'
import { type ErrorCode, errorTable, failAs, failValidation, fillHint, withHint } from '../../packages/ferrule/src/errors.ts'

const id = '55555555-5555-4555-8555-555555555555'

/** Says what to do after an error of a command line. */
function adviseFor(code: ErrorCode, line: string, options: Readonly<Record<string, unknown>> = {}): string {
  const spec = commands.find(({ name }) => line.startsWith(`${name} `))
  if (spec === undefined) throw new Error(`no command of ${line}`)
  const args = /'[^']*'|\S+/g[Symbol.match](line.slice(spec.name.length))?.map((word) => word.replaceAll("'", '')) ?? []
  const answered = fillHint(failAs(code, { entity: 'calls', reason: 'x' }, { retryAfterMs: 7_000 }), { connector_id: id, workspace_id: id })
  return nameCommands(answered, { spec, args, options }).hint
}

describe('what to do next', () => {
  test.each<readonly [ErrorCode, string, Readonly<Record<string, unknown>>, string]>([
    [
      'context_store_not_ready',
      'search gong calls',
      {},
      'Wait for the first sync, which this shows: ferrule sync status gong. Or search what was read so far: add --allow-partial.',
    ],
    [
      'context_store_not_ready',
      "export 'my calls' calls",
      { allowPartial: true },
      "Wait for the first sync, which this shows: ferrule sync status 'my calls'.",
    ],
    ['context_store_stale', 'search gong calls', {}, 'Raise --max-age, or wait for the sync, which this shows: ferrule sync status gong.'],
    ['upstream_auth_failed', 'execute gong calls list', {}, 'Replace them: ferrule connectors update gong --credentials'],
    ['upstream_auth_failed', 'execute calls list', { local: 'gong' }, 'Correct the variables of the credentials.'],
    [
      'changes_expired',
      'changes gong calls',
      { cursorFile: '/var/lib/my calls' },
      "Delete '/var/lib/my calls', and run it again: all records come first. " +
        'Delete what you have and did not meet between snapshot_begin and snapshot_end.',
    ],
    ['sync_not_found', `sync cancel gong ${id}`, {}, 'See which runs there are: ferrule sync status gong --format json'],
    ['workspace_not_found', 'workspaces list ', {}, 'List them: ferrule workspaces list'],
    ['rate_limited', 'execute gong calls list', {}, 'Wait 7 s.'],
    ['workspace_inactive', 'search gong calls', {}, `Set its status to active with PUT /api/v1/workspaces/${id}.`],
    ['private_call', 'execute gong calls get', {}, errorTable.private_call.hint],
  ])('%s of %s', (code, line, options, hint) => {
    expect(adviseFor(code, line, options)).toBe(hint)
  })

  test('keeps what stands behind the words of the table, and words that are not of the table', () => {
    const spec = commands.find(({ name }) => name === 'search')
    if (spec === undefined) throw new Error('no search')
    const failed = { spec, args: ['gong', 'calls'], options: {} }
    const filled = fillHint(failAs('context_store_not_ready', {}), { connector_id: id })
    const answered = withHint(filled, `${filled.hint} Continue with: --cursor abc`)
    expect(nameCommands(answered, failed).hint).toMatch(/^Wait for the first sync.* Continue with: --cursor abc$/)
    const own = failAs('context_store_not_ready', {}, { hint: 'Use list and get.' })
    expect(nameCommands(own, failed)).toBe(own)
  })

  test('has no slot left, whatever the error', () => {
    for (const code of Object.keys(errorTable) as ErrorCode[]) expect(adviseFor(code, 'search gong calls'), code).not.toMatch(/\{\w+\}/)
  })
})

describe('a refusal is shown once', () => {
  const show = (error: Error): string[] => formatFailure(error, new PassThrough()).split('\n')

  test('that the request and one of its members state', () => {
    const message = 'Gong refused the credentials: the key is unknown.'
    const errors = [{ field: '/credentials', message, error_code: 'upstream_auth_failed' }]
    const error = failAs('upstream_auth_failed', { vendor: 'Gong', reason: 'the key is unknown' }, { errors, hint: 'Correct them.' })
    expect(show(error)).toEqual([`Error: ${message}`, '  at /credentials', 'What to do: Correct them.'])
  })

  test('that two members state', () => {
    const problem = { field: '/name', message: 'is required', error_code: 'required' }
    expect(show(failValidation([problem]))).toHaveLength(2)
    const other = failAs('validation_failed', { reason: 'see below' }, { errors: [problem, problem] })
    expect(show(other).filter((line) => line.includes('is required'))).toHaveLength(1)
  })
})

describe('--sort', () => {
  const read = (sort: string) => readSort(createContext({ args: [], options: { sort }, version: '1.0.0' }, new AbortController()))

  test.each([
    ['lastName', [{ lastName: 'asc' }]],
    ['lastName:desc, id', [{ lastName: 'desc' }, { id: 'asc' }]],
    [' started DESC ,title : asc', [{ started: 'desc' }, { title: 'asc' }]],
    ['_relevance:desc', [{ _relevance: 'desc' }]],
  ])('%j', (text, expected) => {
    expect(read(text)).toEqual(expected)
  })

  test.each([
    ['lastName:up', '--sort must say asc or desc after lastName, not "up": write field:asc or field:desc, such as started:desc,title.'],
    ['id,lastName:', '--sort must say asc or desc after lastName, not "":'],
    ['a b c', '--sort must say asc or desc after a, not "b c":'],
    ['lastName,', '--sort has an empty field:'],
    [':desc', '--sort has an empty field:'],
  ])('%j is refused', (text, message) => {
    const refused = { code: 'validation_failed', message: expect.stringContaining(message), hint: 'Correct --sort.' }
    expect(() => read(text)).toThrow(expect.objectContaining(refused))
  })
})
