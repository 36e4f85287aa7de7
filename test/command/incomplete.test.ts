/** A command line that is not complete prints the help of what was begun. */
import { describe, expect, test } from 'vitest'
import { groups } from '../../packages/ferrule/src/cli/specs/index.ts'
import { makeFolder } from '../support/folder.ts'
import { openTerminal, plain, runFerrule } from './support.ts'

const config = makeFolder('incomplete')

describe('an incomplete line prints the help on standard error, with the exit code of a wrong use', () => {
  const lines: readonly (readonly [line: string, missing: string, shows: string])[] = [
    ['', 'A command is missing.', 'Usage: ferrule [options] [command]'],
    ...groups.map(({ name }) => [name, 'A command is missing.', `Usage: ferrule ${name} [options] [command]`] as const),
    ['execute', "Missing required argument 'connector'.", 'Usage: ferrule execute <connector> <entity> <action>'],
    ['execute gong', "Missing required argument 'entity'.", 'ferrule execute gong users list --all'],
    ['execute --local gong users', "Missing required argument 'action'.", 'Usage: ferrule execute'],
    ['download gong', "Missing required argument 'entity'.", 'Usage: ferrule download <connector> <entity>'],
    ['search gong', "Missing required argument 'entity'.", 'Usage: ferrule search'],
    ['connectors get', "Missing required argument 'connector'.", 'Usage: ferrule connectors get'],
    ['mcp install', "Missing required argument 'client'.", 'claude-desktop|'],
  ]

  test.each(lines)('%j', async (line, missing, shows) => {
    const { code, stdout, stderr } = await runFerrule({ config }, ...line.split(' ').filter((word) => word !== ''))
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' })
    expect(stderr.split('\n')[0]).toBe(`Error: ${missing}`)
    expect(stderr).toContain(shows)
    expect(stderr).toContain('Options:')
  })

  test('on a terminal too', async () => {
    const terminal = openTerminal({ config }, ['execute', 'gong'])
    expect(await terminal.end()).toBe(4)
    expect(plain(terminal.drawn)).toMatch(/Error: Missing required argument 'entity'\.[\s\S]*Usage: ferrule execute[\s\S]*Examples:/)
  })

  test('a program that asks for a format gets a problem with the usage', async () => {
    for (const args of [['connectors'], ['execute', 'gong']]) {
      const { code, stderr } = await runFerrule({ config }, ...args, '--format', 'json')
      expect(code).toBe(4)
      expect(JSON.parse(stderr)).toMatchObject({ code: 'validation_failed', hint: expect.stringContaining(`Usage: ferrule ${args[0]}`) })
    }
  })
})

test('too many words of execute are refused', async () => {
  const { code, stderr } = await runFerrule({ config }, 'execute', 'gong', 'calls', 'list', 'more')
  expect(code).toBe(4)
  expect(JSON.parse(stderr).message).toBe('Too many arguments. Expected 3 arguments but got 4.')
})

test('help can be asked for by a word, and is no error', async () => {
  for (const [args, shows] of [
    [['help'], 'Usage: ferrule [options] [command]'],
    [['help', 'connectors'], 'Usage: ferrule connectors'],
  ] as const)
    expect(await runFerrule({ config }, ...args)).toMatchObject({ code: 0, stdout: expect.stringContaining(shows), stderr: '' })
})
