import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { makeFolder } from '../support/folder.ts'
import { share } from '../support/share.ts'
import { buildPages, type FakeService, startFakeService } from './fake-service.ts'
import { buildEnvironment, cli, openTerminal, plain, runFerrule, runForJson } from './support.ts'

const config = makeFolder('walk')

const list = ['execute', 'gong', 'users', 'list'] as const
const makeUser = (number: number) => ({ id: String(number), name: `Nutzerin ${number} 利用者` })
const readIds = (text: string): number[] => JSON.parse(text).map(({ id }: { id: string }) => Number(id))
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index)

/** A list of four pages with three users each. The third page hangs as long as `gate.isClosed`. */
async function startGated(gate: { isClosed: boolean; reached: () => void }): Promise<FakeService> {
  const pages = buildPages(4, 3, makeUser)
  return startFakeService(({ params }) => {
    if (gate.isClosed && params['cursor'] === '3') return gate.reached()
    return pages(params)
  })
}

/** Reads the cursor that a text names. */
const findCursor = (text: string): string => /--cursor (\S+)/.exec(text)?.[1] ?? ''

describe('a walk', async () => {
  const service = await share(startFakeService(({ params }) => buildPages(4, 3, makeUser)(params)))
  const caller = () => ({ config, env: service.env })

  test('writes every record once, in each format', async () => {
    expect(readIds((await runFerrule(caller(), ...list, '--all')).stdout)).toEqual(range(1, 12))
    const lines = (await runFerrule(caller(), ...list, '--all', '--format', 'ndjson')).stdout.trim().split('\n')
    expect(lines.map((line) => Number(JSON.parse(line).id))).toEqual(range(1, 12))
    const csv = (await runFerrule(caller(), ...list, '--all', '--format', 'csv', '--fields', 'id')).stdout
    expect(csv).toBe(`id\r\n${range(1, 12).join('\r\n')}\r\n`)
    expect((await runFerrule(caller(), ...list, '--all', '--jq', '.id')).stdout).toBe(`${range(1, 12).join('\n')}\n`)
  })

  test('continues page by page with the cursor that the command names', async () => {
    const seen: number[] = []
    let cursor: string[] = []
    do {
      const { code, stdout, stderr } = await runFerrule(caller(), ...list, ...cursor)
      expect(code).toBe(0)
      seen.push(...JSON.parse(stdout).data.map(({ id }: { id: string }) => Number(id)))
      const next = findCursor(stderr)
      cursor = next === '' ? [] : ['--cursor', next]
    } while (cursor.length > 0)
    expect(seen).toEqual(range(1, 12))
  })

  test('says nothing with --quiet, and refuses a cursor that it did not make', async () => {
    expect((await runFerrule(caller(), ...list, '--quiet')).stderr).toBe('')
    expect((await runFerrule(caller(), ...list, '--cursor', 'nonsense')).code).toBe(4)
  })

  test('ends quietly when its reader does', async () => {
    const child = spawn(
      'sh',
      ['-c', `"${process.execPath}" "${cli}" execute gong users list --all --format ndjson | head -n 1; echo done`],
      {
        env: buildEnvironment(caller()),
      },
    )
    let text = ''
    const add = (part: string): void => {
      text += part
    }
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', add)
    await new Promise((resolve) => child.once('close', resolve))
    expect(text).toMatch(/^\{"id":"1".*\}\ndone\n$/)
  })

  test('walks lists only', async () => {
    expect((await runFerrule(caller(), 'execute', 'gong', 'users', 'get', '--all')).code).toBe(4)
    expect((await runFerrule(caller(), 'execute', 'gong', 'users')).code).toBe(4)
    expect((await runFerrule(caller(), 'execute', 'gong', 'call_audio', 'download')).stderr).toContain('ferrule download')
  })
})

describe('Ctrl-C during a walk', () => {
  test.each(['json', 'ndjson', 'csv'])('leaves valid %s, says how to continue, and exits with 130', async (format) => {
    const reached = Promise.withResolvers<void>()
    const gate = { isClosed: true, reached: reached.resolve }
    const service = await startGated(gate)
    try {
      const caller = { config, env: service.env }
      const file = join(config, `out-${format}`)
      const args = [...list, '--all', '--format', format, '--fields', 'id']
      const terminal = openTerminal(caller, args, { redirect: `> ${file}` })
      await reached.promise
      terminal.type('\u0003')
      expect(await terminal.end()).toBe(130)
      const shown = plain(terminal.drawn)
      expect(shown).toContain('Interrupted. Written so far: 6 records.')
      const before = readFileSync(file, 'utf8')
      gate.isClosed = false
      const { stdout: after } = await runFerrule(caller, ...args, '--cursor', findCursor(shown))
      const read = (text: string): number[] => {
        if (format === 'json') return readIds(text)
        const lines = text.trim().split(/\r?\n/)
        return format === 'csv' ? lines.slice(1).map(Number) : lines.map((line) => Number(JSON.parse(line).id))
      }
      expect([...read(before), ...read(after)]).toEqual(range(1, 12))
    } finally {
      await service.close()
    }
  })

  test('a failure in between names the cursor too: exit code 5', async () => {
    const pages = buildPages(4, 3, makeUser)
    const problem = { code: 'upstream_error', message: 'The vendor failed.', hint: 'Try again later.', status: 502, retryable: false }
    const service = await startFakeService(({ params }, response) => {
      if (params['cursor'] !== '3') return pages(params)
      return void response
        .writeHead(502, { 'content-type': 'application/problem+json' })
        .end(JSON.stringify({ ...problem, retryable: true }))
    })
    try {
      const { code, stdout, stderr } = await runFerrule({ config, env: service.env }, ...list, '--all')
      expect(code).toBe(5)
      expect(readIds(stdout)).toEqual(range(1, 6))
      expect(JSON.parse(stderr).hint).toMatch(/--cursor \S+$/)
    } finally {
      await service.close()
    }
  })
})

describe('on a terminal', async () => {
  const service = await share(startFakeService(({ params }) => buildPages(2, 3, makeUser)(params)))

  test('a page is a table that fits a narrow terminal, wide characters included', async () => {
    const terminal = openTerminal({ config, env: service.env }, [...list], { columns: 24 })
    expect(await terminal.end()).toBe(0)
    const lines = plain(terminal.drawn).split(/\r?\n/)
    expect(lines.slice(0, 2)).toEqual(['id  name', '1   Nutzerin 1 利用者'])
    expect(lines[4]).toContain('There are more')
  })

  test('progress is drawn while the records go to a file, and removed at the end', async () => {
    const file = join(config, 'walked.ndjson')
    const terminal = openTerminal({ config, env: service.env }, [...list, '--all', '--format', 'ndjson'], { redirect: `> ${file}` })
    expect(await terminal.end()).toBe(0)
    expect(terminal.drawn).toContain('3 records, 1 pages')
    expect(terminal.drawn.endsWith('\r\u001b[K')).toBe(true)
    expect(readFileSync(file, 'utf8').trim().split('\n')).toHaveLength(6)
  })
})

test('a connector that is not there, and one of several, are named', async () => {
  const service = await startFakeService(() => ({ data: [], meta: {} }))
  try {
    const { code, stderr } = await runFerrule({ config, env: service.env }, 'execute', 'nope', 'users', 'list')
    expect(code).toBe(3)
    expect(JSON.parse(stderr)).toMatchObject({ code: 'connector_not_found', hint: expect.stringContaining('It has gong (gong, ') })
    expect(await runForJson({ config, env: service.env }, 'execute', 'GONG', 'users', 'list')).toEqual({ data: [], meta: {} })
  } finally {
    await service.close()
  }
})
