import { Readable } from 'node:stream'
import { FerruleError } from 'ferrule'
import type { FileAnswer } from 'ferrule/engine'
import { describe, expect, test } from 'vitest'
import { type Chunk, mostBytes, readChunk, readChunkWish, readEmptyFile } from './index.ts'

/** A host of one file. `ranges`: false answers with the whole file; `total`: false says `*`. */
interface Host {
  readonly ranges?: boolean
  readonly total?: boolean
}

const wishOf = (format: string, range?: string) => {
  const params = {
    _airbyte_response_type: 'json',
    _airbyte_response_format: format,
    range_header: range,
  }
  const read = readChunkWish({ entity: 'call_audio', action: 'download', params })
  if (read === undefined) throw new Error('no wish')
  return read.wish
}

function serve(file: Buffer, range: string, { ranges = true, total = true }: Host): FileAnswer {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range) ?? []
  const start = first === '' ? file.length - Number(last) : Number(first)
  const part = ranges ? file.subarray(start, first === '' || last === '' ? undefined : Number(last) + 1) : file
  return {
    status: ranges ? 206 : 200,
    contentType: 'text/plain',
    contentLength: part.length,
    acceptRanges: null,
    etag: null,
    name: 'file',
    contentRange: ranges ? `bytes ${start}-${start + part.length - 1}/${total ? file.length : '*'}` : null,
    // Pieces of three bytes cut characters.
    body: Readable.from(Array.from({ length: Math.ceil(part.length / 3) }, (_each, index) => part.subarray(index * 3, index * 3 + 3))),
  }
}

async function readAll(
  file: Buffer,
  format: 'base64' | 'text',
  { size = 7, ...host }: Host & { readonly size?: number },
): Promise<Chunk[]> {
  const chunks: Chunk[] = []
  for (let range: string | null = `bytes=0-${size - 1}`; range !== null; ) {
    const wish = wishOf(format, range)
    const chunk: Chunk = await readChunk(serve(file, wish.range, host), wish)
    chunks.push(chunk)
    range = chunk.next_range_header
  }
  return chunks
}

const refused = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'nothing',
    (error: unknown) => (error instanceof FerruleError ? `${error.code} ${error.errors[0]?.message ?? error.message}` : String(error)),
  )

const text = 'Grüße, 世界 🏬! ﬁn.'

describe('chunks', () => {
  test.each<[string, Host]>([
    ['that takes ranges', {}],
    ['that ignores ranges', { ranges: false }],
  ])('of text are the file and whole characters each, from a host %s', async (_says, host) => {
    const file = Buffer.from(`\uFEFF${text}`)
    for (const size of [4, 5, 7, 64]) {
      const chunks = await readAll(file, 'text', { size, ...host })
      expect(chunks.map(({ content }) => content).join('')).toBe(`\uFEFF${text}`)
      expect(chunks.reduce((sum, { bytes_returned }) => sum + bytes_returned, 0)).toBe(file.length)
      expect(chunks.at(-1)).toMatchObject({ has_more: false, next_range_header: null, encoding: 'utf-8' })
    }
  })

  test('of bytes are the file, also where the host does not say how long it is', async () => {
    const file = Buffer.from(Array.from({ length: 250 }, (_each, index) => index))
    for (const total of [true, false]) {
      const chunks = await readAll(file, 'base64', { size: 60, total })
      expect(Buffer.concat(chunks.map(({ content }) => Buffer.from(content, 'base64'))).equals(file)).toBe(true)
    }
  })

  test('from the end keep their place', async () => {
    const wish = wishOf('base64', 'bytes=-5')
    const chunk = await readChunk(serve(Buffer.from('0123456789'), wish.range, {}), wish)
    expect([Buffer.from(chunk.content, 'base64').toString(), chunk.has_more]).toEqual(['56789', false])
  })

  test('are bounded whatever is asked', () => {
    for (const range of [undefined, 'bytes=0-', `bytes=0-${mostBytes * 5}`, 'bytes=0-999999999999999'])
      expect(wishOf('base64', range)).toMatchObject({ range: `bytes=0-${mostBytes - 1}`, size: mostBytes })
    expect(wishOf('base64', 'bytes=10-19')).toMatchObject({ range: 'bytes=10-19', from: 10, size: 10 })
    expect(wishOf('base64', 'lines=1-2')).toMatchObject({ range: 'lines=1-2', size: mostBytes })
  })
})

describe('text', () => {
  test('that is none is refused, also at the end of a file and where a chunk is shorter than a character', async () => {
    const says = 'validation_failed /params/_airbyte_response_format cannot be text: these bytes are not UTF-8; ask for base64.'
    expect(await refused(readAll(Buffer.from([0x61, 0xff, 0x62]), 'text', {}))).toBe(says)
    expect(await refused(readAll(Buffer.from('abc世').subarray(0, 5), 'text', {}))).toBe(says)
    expect(await refused(readAll(Buffer.from('世界'), 'text', { size: 2 }))).toBe(says)
  })
})

describe('an empty file', () => {
  const beyond = (range: string) =>
    new FerruleError('range_not_satisfiable', { message: 'm', hint: '' }, { headers: { 'content-range': range } })

  test('is a first chunk of nothing', () => {
    expect(readEmptyFile(beyond('bytes */0'), wishOf('text'))).toMatchObject({ content: '', bytes_returned: 0, has_more: false })
  })

  test('is not what another refusal says', () => {
    expect(() => readEmptyFile(beyond('bytes */9'), wishOf('text'))).toThrow('m')
    expect(() => readEmptyFile(beyond('bytes */0'), wishOf('text', 'bytes=5-9'))).toThrow('m')
  })
})

test('a transfer that breaks is an error of the vendor', async () => {
  const wish = wishOf('base64')
  const body = Readable.from(
    (async function* () {
      yield Buffer.from('abc')
      throw new Error('socket hang up')
    })(),
  )
  const file = { ...serve(Buffer.from('abcdef'), wish.range, {}), body }
  expect(await refused(readChunk(file, wish))).toMatch(/^upstream_answer_invalid .*the transfer was cut/)
})
