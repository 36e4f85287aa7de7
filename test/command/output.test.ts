import { PassThrough } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import fc from 'fast-check'
import stringWidth from 'fast-string-width'
import { describe, expect, test } from 'vitest'
import { type FormatName, Output, type OutputOptions, Sink } from '../../packages/ferrule/src/cli/output/output.ts'
import { formatBytes, formatSeconds } from '../../packages/ferrule/src/cli/output/progress.ts'
import { cutText } from '../../packages/ferrule/src/cli/output/table.ts'
import { parseFields } from '../../packages/ferrule/src/values/projection.ts'

/** Writes with an output and returns what it has written. */
async function write(options: Partial<Omit<OutputOptions, 'fields'>> & { fields?: string }, act: (output: Output) => Promise<unknown>) {
  const stream = new PassThrough()
  const written = readAll(stream)
  const notes: string[] = []
  const { fields, ...others } = options
  const output = new Output(
    {
      ...{
        format: 'json' as FormatName,
        formulas: 'mark' as const,
        isTerminal: false,
        jq: undefined,
        width: 80,
        stream,
        note: (text: string) => void notes.push(text),
        ...others,
      },
      fields: fields === undefined ? undefined : parseFields(fields),
    },
    new Sink(stream, () => undefined),
  )
  await act(output).finally(() => stream.end())
  return { text: await written, notes }
}

const big = { id: 9007199254740993n, deep: { ids: [18446744073709551617n] } }

describe('digits', () => {
  test.each([
    ['json', undefined],
    ['ndjson', undefined],
    ['csv', undefined],
    ['table', undefined],
    ['json', '.[]'],
    ['ndjson', '.'],
  ] as const)('are all there as %s, with jq %s', async (format, jq) => {
    const { text } = await write({ format, jq }, (output) => output.list([[big]]))
    expect(text).toContain('9007199254740993')
    expect(text).toContain('18446744073709551617')
  })
})

describe('fields', () => {
  test('keep chosen paths at their places, through lists', async () => {
    const record = { a: 1, b: { c: 2, d: 3 }, list: [{ e: 4, f: 5 }] }
    const { text } = await write({ fields: 'a,b.c,list.e,nope' }, (output) => output.value(record))
    expect(JSON.parse(text)).toEqual({ a: 1, b: { c: 2 }, list: [{ e: 4 }] })
  })

  test('name the columns of CSV', async () => {
    const rows = [{ a: 'x,"y"\n', b: { c: [1, 2] } }, { a: null }]
    const { text } = await write({ format: 'csv', fields: 'a,b.c' }, (output) => output.list([rows]))
    expect(text).toBe('a,b.c\r\n"x,""y""\n","[1,2]"\r\n,\r\n')
  })
})

test('CSV says when later records have more columns', async () => {
  const { text, notes } = await write({ format: 'csv' }, (output) => output.list([[{ a: 1 }], [{ a: 2, b: 3 }]]))
  expect(text).toBe('a\r\n1\r\n2\r\n')
  expect(notes.join()).toMatch(/more columns \(b\).*--fields/)
})

describe('JSON of a list', () => {
  test('is an array, empty too', async () => {
    expect((await write({}, (output) => output.list([]))).text).toBe('[]\n')
    const { text } = await write({}, (output) => output.list([[{ a: 1 }], [], [{ a: 2 }]]))
    expect(JSON.parse(text)).toEqual([{ a: 1 }, { a: 2 }])
  })

  test('is closed when the rows fail in between, and nothing is written when they fail at once', async () => {
    async function* failing(count: number) {
      for (let index = 0; index < count; index += 1) yield [{ index }]
      throw new Error('broken')
    }
    const run = (count: number) => write({}, (output) => output.rows(failing(count)).catch(() => undefined))
    expect(JSON.parse((await run(2)).text)).toEqual([{ index: 0 }, { index: 1 }])
    expect((await run(0)).text).toBe('')
  })
})

describe('jq', () => {
  test('gets the array of a list, and each record of a walk', async () => {
    const rows = [[{ id: 1 }], [{ id: 2 }]]
    expect((await write({ jq: 'length' }, (output) => output.list(rows))).text).toBe('2\n')
    expect((await write({ jq: '.id' }, (output) => output.rows(rows))).text).toBe('1\n2\n')
  })

  test('prints strings as they are, and reads megabytes', async () => {
    const value = { list: Array.from({ length: 20_000 }, (_, index) => ({ index, text: 'ä'.repeat(60) })) }
    const { text } = await write({ jq: '.list | length, .[19999].text' }, (output) => output.value(value))
    expect(text).toBe(`20000\n${'ä'.repeat(60)}\n`)
  })

  test('says what is wrong with a program, and with an input after the first', async () => {
    await expect(write({ jq: '.[' }, (output) => output.value({}))).rejects.toThrow(/syntax error/)
    await expect(write({ jq: '.id + 1' }, (output) => output.rows([[{ id: 1 }, { id: 'x' }]]))).rejects.toThrow(/cannot be added/)
  })
})

describe('a table', () => {
  const rows = [
    { name: '日本語のとても長い題名です', mark: '👩‍👩‍👧‍👦 family', note: 'plain' },
    { name: 'short', mark: 'é', note: 'a\u001b[31mred\u0007\nline' },
  ]

  test.each([200, 60, 40, 30, 20])('of wide characters fits %i cells', async (width) => {
    const { text } = await write({ format: 'table', width }, (output) => output.list([rows]))
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(width)
    expect(text.split('\n')).toHaveLength(4)
  })

  test('aligns its columns by cells, and shows what would control the terminal', async () => {
    const { text } = await write({ format: 'table', width: 200 }, (output) => output.list([rows]))
    const [first = '', second = ''] = text.split('\n').slice(1)
    expect(stringWidth(first.slice(0, first.indexOf('plain')))).toBe(stringWidth(second.slice(0, second.indexOf('a\\u001b'))))
    expect(second).not.toContain('\u001b')
    expect(second).not.toContain('\u0007')
  })

  test('says which columns have no room', async () => {
    const wide = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`column_${index}`, 'value of it']))
    const { text, notes } = await write({ format: 'table', width: 40 }, (output) => output.list([[wide]]))
    for (const line of text.split('\n')) expect(stringWidth(line)).toBeLessThanOrEqual(40)
    expect(notes.join()).toMatch(/too narrow for \d+ more columns.*--fields/)
  })

  test.each([
    [90, 'name kind id workspace_id', 2],
    [60, 'name kind id size', 2],
    [40, 'name kind ownerId size', 2],
    [20, 'name kind size', 3],
  ])('of %i cells leaves columns out before it cuts an id', async (width, head, leftOut) => {
    const ids = ['2f6f8f0e-7a52-4ad5-9a3c-0c5f1f0b6f11', '7c3d9a10-51f4-4d0e-8a0b-52c1d9e4b7aa']
    const rows = ids.map((id, at) => ({ name: 'A connector of words', kind: 'snowflake', id, workspace_id: id, ownerId: at, size: at }))
    const { text, notes } = await write({ format: 'table', width }, (output) => output.list([rows]))
    const [first = '', ...lines] = text.trimEnd().split('\n')
    for (const line of [first, ...lines]) expect(stringWidth(line)).toBeLessThanOrEqual(width)
    expect(first.split(/ +/).join(' ')).toBe(head)
    expect(lines.filter((line, at) => line.includes(ids[at] ?? ''))).toHaveLength(head.includes(' id') ? 2 : 0)
    expect(notes.join()).toContain(`too narrow for ${leftOut} more columns`)
  })

  test('keeps an id of a later page whole', async () => {
    const { text } = await write({ format: 'table', width: 20 }, (output) =>
      output.list([[{ id: '1' }], [{ id: '12345678901234567890123' }]]),
    )
    expect(text).toBe('id\n1\n12345678901234567890123\n')
  })

  test('cuts any text to its width', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (text, width) => {
        expect(stringWidth(cutText(text, width))).toBeLessThanOrEqual(Math.max(width, 1))
      }),
    )
  })
})

test('sizes and times are short', () => {
  expect([0, 999, 1_500, 186_000, 2_340_000_000].map(formatBytes)).toEqual(['0 B', '999 B', '1.5 kB', '186 kB', '2.3 GB'])
  expect([0.4, 59, 125, 3_720].map(formatSeconds)).toEqual(['0 s', '59 s', '2 min 5 s', '1 h 2 min'])
})
