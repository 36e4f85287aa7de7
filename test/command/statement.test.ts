import { expect, test } from 'vitest'
import { sandboxWarehouse } from '../http/snowflake-support.ts'
import { share } from '../support/share.ts'
import { runFerrule, runForJson } from './support.ts'
import { startCommandWorld } from './world.ts'

const running = await share(startCommandWorld())
await running.world.connect('warehouse', sandboxWarehouse('warehouse'))

const statement = (text: string, ...more: readonly string[]) =>
  ['execute', 'warehouse', 'record', 'list', '-p', `statement=${text}`, ...more] as const

test('--all writes the rows of every part of a result, each once', async () => {
  const generated = `SELECT SEQ8() AS N, 'a note that makes rows long' AS NOTE FROM TABLE(GENERATOR(ROWCOUNT => 30000))`
  const first = await runForJson(running.caller, ...statement(generated))
  expect(first.data.data.length).toBeLessThan(30_000)
  const { code, stdout, stderr } = await runFerrule(running.caller, ...statement(generated, '--all', '--format', 'ndjson'))
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' })
  const numbers = stdout
    .trimEnd()
    .split('\n')
    .map((line) => Number(JSON.parse(line).N))
  expect(numbers).toEqual(Array.from({ length: 30_000 }, (_, index) => index))
})

test('columns of one name are all written', async () => {
  const twice = `SELECT 1 AS A, 2 AS A, 12345678901234567890 AS "A_2"`
  const { stdout } = await runFerrule(running.caller, ...statement(twice, '--all', '--format', 'csv'))
  expect(stdout).toBe('A,A_3,A_2\r\n1,2,12345678901234567890\r\n')
})

test('a statement that the gate refuses is wrong usage: exit code 4', async () => {
  const { code, stderr } = await runFerrule(running.caller, ...statement('DROP TABLE SALES.ORDERS'))
  expect({ code, error: JSON.parse(stderr).code }).toEqual({ code: 4, error: 'statement_not_allowed' })
})
