/** Numbers that no double holds keep their digits in what the command prints, whatever asks for them. */
import { describe, expect, test } from 'vitest'
import { makeFolder } from '../support/folder.ts'
import { share } from '../support/share.ts'
import { startFakeService } from './fake-service.ts'
import { openTerminal, plain, runFerrule } from './support.ts'

const config = makeFolder('digits')
const numbers = ['12.50', '0.1234567890123456789', '1501199875790332.16666666666666666667', '12345678901234567890', '1e400']
const record = `{"id":"1","inner":{"amount":12.50,"list":[0.1234567890123456789]},"average":${numbers[2]},"sum":${numbers[3]},"huge":1e400}`

describe('every digit is printed', async () => {
  const service = await share(
    startFakeService(
      () => `{"data":[${record}],"meta":{"next_params":null,"cursor":null}}`,
      () => `{"data":[{"type":"added","key":"1","record":${record}}],"next":"c","has_more":false}`,
    ),
  )
  const caller = { config, env: service.env }
  const commands = [
    ['execute', 'gong', 'users', 'list'],
    ['execute', 'gong', 'users', 'list', '--all'],
    ['search', 'gong', 'users'],
    ['search', 'gong', 'users', '--all'],
    ['aggregate', 'gong', 'users'],
    ['changes', 'gong', 'users'],
    ['api', 'get', '/api/v1/changes'],
  ]

  test.each(commands.flatMap((line) => (['json', 'ndjson', 'csv'] as const).map((format) => [line.join(' '), format, line] as const)))(
    'by %s, as %s',
    async (_says, format, line) => {
      const { code, stdout, stderr } = await runFerrule(caller, ...line, '--format', format)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(numbers.filter((number) => !stdout.includes(number))).toEqual([])
    },
  )

  test('on a terminal that is narrow, and through jq', async () => {
    const terminal = openTerminal(caller, ['search', 'gong', 'users', '--fields', 'inner,average,sum'], { columns: 50 })
    expect(await terminal.end()).toBe(0)
    expect(plain(terminal.drawn)).toContain(numbers[2])
    expect((await runFerrule(caller, 'search', 'gong', 'users', '--jq', '.data[0] | .average, .sum')).stdout).toBe(
      `${numbers[2]}\n${numbers[3]}\n`,
    )
  })
})
