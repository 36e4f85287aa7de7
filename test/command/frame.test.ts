import { createServer, type RequestListener } from 'node:http'
import { describe, expect, test } from 'vitest'
import { findExitCode } from '../../packages/ferrule/src/cli/failure.ts'
import { type ErrorCode, errorTable, failAs } from '../../packages/ferrule/src/errors.ts'
import { makeFolder } from '../support/folder.ts'
import { listen } from '../support/listen.ts'
import { openTerminal, plain, runFerrule } from './support.ts'

const config = makeFolder('frame')

/** Runs a test against a service that answers as it says. */
async function withService(answer: RequestListener, act: (env: Record<string, string>) => Promise<void>): Promise<void> {
  await using service = await listen(createServer(answer))
  await act({ FERRULE_URL: service.origin, FERRULE_TOKEN: 'a-token' })
}

describe('exit codes', () => {
  const expected: Readonly<Record<number, readonly ErrorCode[]>> = {
    1: ['internal_error', 'outcome_unknown', 'credentials_unreadable'],
    2: [
      'invalid_client',
      'missing_token',
      'insufficient_scope',
      'organization_forbidden',
      'upstream_auth_failed',
      'upstream_permission_denied',
    ],
    3: ['connector_not_found', 'workspace_not_found', 'record_not_found', 'connector_type_not_found', 'not_found'],
    4: [
      'validation_failed',
      'invalid_parameter',
      'entity_not_found',
      'connector_ambiguous',
      'upstream_invalid_request',
      'statement_failed',
    ],
    5: [
      'upstream_rate_limited',
      'upstream_timeout',
      'rate_limited',
      'overloaded',
      'service_unreachable',
      'upstream_error',
      'statement_timeout',
    ],
    78: ['setting_invalid'],
  }
  const rows = Object.entries(expected).flatMap(([code, errors]) => errors.map((error) => [error, Number(code)] as const))

  test.each(rows)('%s is %i', (error, code) => {
    expect(findExitCode(failAs(error, {}))).toBe(code)
  })

  test('every error that a later attempt can repair is 5, but an unexpected one', () => {
    const codes = Object.keys(errorTable) as ErrorCode[]
    const passing = codes.filter((code) => errorTable[code].retryable && code !== 'internal_error')
    expect(passing.filter((code) => findExitCode(failAs(code, {})) !== 5)).toEqual([])
  })

  test('reach the shell', async () => {
    const problem = (status: number, code: string) => ({ status, body: JSON.stringify({ code, message: 'Said so.', hint: 'Do so.' }) })
    const answers = [
      [problem(403, 'insufficient_scope'), 2],
      [problem(404, 'organization_not_found'), 3],
      [problem(422, 'validation_failed'), 4],
      [{ status: 200, body: 'not JSON' }, 5],
    ] as const
    for (const [{ status, body }, code] of answers) {
      await withService(
        (_request, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(body),
        async (env) => {
          const ended = await runFerrule({ config, env }, 'whoami')
          expect(ended).toMatchObject({ code, stdout: '' })
        },
      )
    }
    const nowhere = { FERRULE_URL: 'http://127.0.0.1:1', FERRULE_TOKEN: 'a-token' }
    expect((await runFerrule({ config, env: nowhere }, 'whoami', '--timeout', '1')).code).toBe(5)
    expect((await runFerrule({ config, env: { ...nowhere, FERRULE_URL: 'http://far.example.com' } }, 'whoami')).code).toBe(78)
  })
})

describe('wrong use', () => {
  const wrong = [['nope'], ['login', '--nope'], ['config', '--format', 'xml'], ['config', 'a', 'b', 'c'], ['config', '--timeout', 'soon']]
  test.each(wrong.map((args) => [args.join(' '), args] as const))('%s: exit code 4 and a problem', async (_, args) => {
    const { code, stdout, stderr } = await runFerrule({ config }, ...args)
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    const hint = expect.stringMatching(/\w/)
    expect(JSON.parse(stderr)).toMatchObject({ code: 'validation_failed', message: expect.stringMatching(/[^.]\.$/), hint })
  })

  test('suggests the command that was meant', async () => {
    expect(JSON.parse((await runFerrule({ config }, 'whoam')).stderr).hint).toContain('whoami')
  })
})

describe('errors', () => {
  test('are sentences on a terminal: what happened and what to do', async () => {
    const terminal = openTerminal({ config }, ['whoami'])
    expect(await terminal.end()).toBe(4)
    expect(plain(terminal.drawn)).toMatch(/Error: No service is set\.\r?\nWhat to do: Run: ferrule login/)
  })

  test('are problem details with --format json, on a terminal too', async () => {
    const terminal = openTerminal({ config }, ['whoami', '--format', 'json'])
    expect(await terminal.end()).toBe(4)
    expect(JSON.parse(plain(terminal.drawn))).toMatchObject({ status: 422, code: 'validation_failed', fault: 'caller' })
  })

  test('of doctor stand in its report only', async () => {
    const terminal = openTerminal({ config, env: { FERRULE_URL: 'http://127.0.0.1:1', FERRULE_TOKEN: 'a-token' } }, ['doctor'])
    expect(await terminal.end()).toBe(5)
    const drawn = plain(terminal.drawn)
    expect(drawn.split('cannot be reached')).toHaveLength(2)
    expect(drawn).not.toContain('Error:')
  })

  test('have no colour with NO_COLOR', async () => {
    const coloured = openTerminal({ config }, ['whoami'])
    await coloured.end()
    const bare = openTerminal({ config, env: { NO_COLOR: '1' } }, ['whoami'])
    await bare.end()
    expect([coloured.drawn.includes('\u001b[31m'), bare.drawn.includes('\u001b[31m')]).toEqual([true, false])
  })
})

test('Ctrl-C ends a request that hangs: exit code 130', async () => {
  const asked = Promise.withResolvers<void>()
  await withService(
    () => asked.resolve(),
    async (env) => {
      const terminal = openTerminal({ config, env }, ['whoami'])
      await asked.promise
      terminal.type('\u0003')
      expect(await terminal.end()).toBe(130)
      expect(plain(terminal.drawn)).toContain('Interrupted.')
    },
  )
})

test('help and version are no errors', async () => {
  expect(await runFerrule({ config }, '--version')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    stderr: '',
  })
  for (const args of [['--help'], ['login', '--help']])
    expect(await runFerrule({ config }, ...args)).toMatchObject({ code: 0, stdout: expect.stringContaining('Usage: ferrule'), stderr: '' })
})
