import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { makeFolder } from '../support/folder.ts'
import { type FakeService, startFakeService } from './fake-service.ts'
import { openTerminal, plain, runFerrule } from './support.ts'

const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, index) => index % 251))
let config: string
let service: FakeService
/** What the service does. */
let state: { etag: string; cutAt: number | undefined; reached: (cut: () => void) => void }

beforeEach(async () => {
  config = makeFolder('files', onTestFinished)
  state = { etag: '"one"', cutAt: undefined, reached: () => undefined }
  service = await startFakeService(({ params }, response) => {
    const [, from = '0'] = /^bytes=(\d+)-/.exec(String(params['range_header'] ?? '')) ?? []
    const start = Number(from)
    const part = bytes.subarray(start)
    const isRange = params['range_header'] !== undefined
    response.writeHead(isRange ? 206 : 200, {
      'content-type': 'audio/mpeg',
      'content-length': part.length,
      'content-disposition': 'attachment; filename="../../suggested.mp3"',
      etag: state.etag,
      ...(isRange ? { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {}),
    })
    const { cutAt } = state
    if (cutAt === undefined || start >= cutAt) return void response.end(part)
    response.write(part.subarray(0, cutAt - start), () => {
      state.reached(() => response.destroy())
    })
    return undefined
  })
})
afterEach(() => service.close())

const caller = () => ({ config, env: service.env })
const download = ['download', 'gong', 'call_audio', '--params', '{}'] as const
const ranges = () => service.executed.map(({ params }) => params['range_header'])
const parts = () => readdirSync(config).filter((name) => name.endsWith('.part'))

describe('a format that only exports have', () => {
  test('is refused by other commands', async () => {
    const { code, stderr } = await runFerrule(caller(), 'search', 'gong', 'users', '--format', 'parquet')
    expect([code, stderr]).toEqual([4, expect.stringContaining('Only an export has the format parquet.')])
    expect(service.executed).toEqual([])
  })
})

describe('download', () => {
  test('writes the file under its name at the end, and nothing else', async () => {
    const { code, stdout, stderr } = await runFerrule(caller(), ...download, '-o', 'call.mp3')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain('Wrote call.mp3: 200 kB')
    expect(readFileSync(join(config, 'call.mp3')).equals(bytes)).toBe(true)
    expect(readdirSync(config)).toEqual(['call.mp3'])
  })

  test('takes the suggested name, but never a path', async () => {
    expect((await runFerrule(caller(), ...download)).code).toBe(0)
    expect(readdirSync(config)).toEqual([expect.stringMatching(/^[^/\\]*suggested\.mp3$/)])
  })

  test('overwrites with --force only', async () => {
    writeFileSync(join(config, 'call.mp3'), 'mine')
    expect((await runFerrule(caller(), ...download, '-o', 'call.mp3')).code).toBe(4)
    expect(readFileSync(join(config, 'call.mp3'), 'utf8')).toBe('mine')
    expect(service.executed).toEqual([])
    expect((await runFerrule(caller(), ...download, '-o', 'call.mp3', '--force')).code).toBe(0)
    expect(readFileSync(join(config, 'call.mp3')).equals(bytes)).toBe(true)
  })

  test('continues a transfer that breaks off by range', async () => {
    const reached = Promise.withResolvers<() => void>()
    Object.assign(state, { cutAt: 70_000, reached: reached.resolve })
    const ended = runFerrule(caller(), ...download, '-o', 'call.mp3')
    const cut = await reached.promise
    await expect.poll(() => parts().map((name) => statSync(join(config, name)).size)).toEqual([70_000])
    cut()
    expect((await ended).code).toBe(0)
    expect(readFileSync(join(config, 'call.mp3')).equals(bytes)).toBe(true)
    expect(ranges()).toEqual([undefined, 'bytes=70000-199999'])
  })

  test('continues after Ctrl-C when it is run again', async () => {
    state.cutAt = 70_000
    const terminal = openTerminal(caller(), [...download, '-o', 'call.mp3'])
    await terminal.waitFor('70.0 kB of 200 kB')
    terminal.type('\u0003')
    expect(await terminal.end()).toBe(130)
    expect(plain(terminal.drawn)).toContain('Run the same command again')
    expect([existsSync(join(config, 'call.mp3')), parts()]).toEqual([false, [expect.stringMatching(/^call\.mp3\..*\.part$/)]])
    state.cutAt = undefined
    expect((await runFerrule(caller(), ...download, '-o', 'call.mp3')).code).toBe(0)
    expect(ranges().at(-1)).toBe('bytes=70000-')
    expect(readFileSync(join(config, 'call.mp3')).equals(bytes)).toBe(true)
    expect(parts()).toEqual([])
  })

  test('starts again when the file has changed since', async () => {
    state.cutAt = 70_000
    const terminal = openTerminal(caller(), [...download, '-o', 'call.mp3'])
    await terminal.waitFor('70.0 kB of 200 kB')
    terminal.type('\u0003')
    await terminal.end()
    Object.assign(state, { cutAt: undefined, etag: '"two"' })
    expect((await runFerrule(caller(), ...download, '-o', 'call.mp3')).code).toBe(0)
    expect(readFileSync(join(config, 'call.mp3')).equals(bytes)).toBe(true)
  })

  test('refuses to write to a terminal, and takes no --jq', async () => {
    const terminal = openTerminal(caller(), [...download, '-o', '-'])
    expect(await terminal.end()).toBe(4)
    expect((await runFerrule(caller(), ...download, '-o', 'x', '--jq', '.')).code).toBe(4)
  })
})
