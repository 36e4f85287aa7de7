/** Text of services and vendors: a terminal is never sent what it carries, a spreadsheet never runs it, and names stay in their folder. */
import { PassThrough } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { formatFailure, formatProblem } from '../../packages/ferrule/src/cli/failure.ts'
import { type FormatName, Output, type OutputOptions, Sink } from '../../packages/ferrule/src/cli/output/output.ts'
import { FerruleError } from '../../packages/ferrule/src/errors.ts'
import { toFileName } from '../../packages/ferrule/src/values/file-name.ts'
import { exportFormats } from '../../packages/server/src/http/routes/export.ts'

async function write(options: Partial<OutputOptions>, act: (output: Output) => Promise<unknown>) {
  const stream = new PassThrough()
  const written = readAll(stream)
  const notes: string[] = []
  const note = (text: string) => void notes.push(text)
  const usual = { format: 'json' as FormatName, fields: undefined, formulas: 'mark' as const, jq: undefined }
  const output = new Output({ ...usual, isTerminal: true, width: 200, stream, note, ...options }, new Sink(stream, () => undefined))
  await act(output).finally(() => stream.end())
  return { text: await written, notes }
}

/** Sets the title, clears the screen, by seven and by eight bits, rings, deletes, goes back, turns the direction. */
const hostile = 'a\u001b]0;owned\u0007\u001b[2J\u009b2J\u007f\b\rz\u202ez'
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\r(?!\n)/
const record = { id: 1, name: hostile, [hostile]: 'value' }

describe('on a terminal, control characters are shown and never sent', () => {
  test.each([
    ['table', undefined],
    ['json', undefined],
    ['ndjson', undefined],
    ['csv', undefined],
    ['table', '.[].name'],
  ] as const)('as %s, with jq %s', async (format, jq) => {
    const list = await write({ format, jq }, (output) => output.list([[record]]))
    expect(list.text).not.toMatch(controls)
    expect(list.text).toContain('\\u001b]0;owned')
    const one = await write({ format }, (output) => output.value(record))
    expect(one.text).not.toMatch(controls)
    expect(one.text).toContain('value')
  })

  test('of a value alone, of a file, of sentences', async () => {
    const value = await write({ format: 'table' }, (output) => output.value(hostile))
    const file = await write({}, (output) => output.bytes(new TextEncoder().encode(`line\n${hostile}`)))
    const report = await write({ format: 'table' }, (output) => output.report([record], ({ name }) => [name]))
    for (const { text } of [value, file, report]) {
      expect(text).not.toMatch(controls)
      expect(text).toContain('\\u001b[2J')
    }
  })

  test('of errors, for people and for programs', () => {
    const upstream = { status: 500, message: hostile }
    const errors = [{ field: '/x', message: hostile, error_code: 'x' }]
    const error = new FerruleError('upstream_error', { message: `It said ${hostile}`, hint: hostile }, { upstream, errors })
    for (const text of [formatFailure(error, new PassThrough()), formatProblem(error)]) expect(text).not.toMatch(controls)
    expect(JSON.parse(formatProblem(error)).hint).toBe(hostile)
  })

  test('but a file and a pipe get the very value', async () => {
    const { text } = await write({ format: 'csv', isTerminal: false }, (output) => output.list([[{ name: hostile }]]))
    expect(text).toBe(`name\r\n"${hostile}"\r\n`)
  })
})

describe('CSV', () => {
  const cells = { run: '=HYPERLINK("http://evil")', plus: '+1 555', minus: '-1+1', at: '@SUM(A1)', tab: '\t=1', full: '＝1' }
  const safe = { number: -5, decimal: '-12.50', signed: '+3', text: 'a=b', empty: '', none: null, nested: { a: '=1' } }
  const names = Object.keys({ ...cells, ...safe })

  test('marks what a spreadsheet would run, says so, and is the same from the command and from an export', async () => {
    const row = { ...cells, ...safe }
    const { text, notes } = await write({ format: 'csv', isTerminal: false }, (output) => output.list([[row], [row]]))
    const [head, line] = text.split('\r\n')
    expect(line).toBe(`"'=HYPERLINK(""http://evil"")",'+1 555,'-1+1,'@SUM(A1),'\t=1,'＝1,-5,-12.50,+3,a=b,"",,"{""a"":""=1""}"`)
    expect(notes).toEqual([expect.stringContaining('--formulas keep')])
    const { csv } = exportFormats
    expect([csv.head(names, 'mark'), csv.line(JSON.stringify(row), names, 'mark')]).toEqual([`${head}\r\n`, `${line}\r\n`])
  })

  test('keeps it when asked to', async () => {
    const { text, notes } = await write({ format: 'csv', isTerminal: false, formulas: 'keep' }, (output) => output.list([[cells]]))
    expect(text.split('\r\n')[1]).toBe('"=HYPERLINK(""http://evil"")",+1 555,-1+1,@SUM(A1),\t=1,＝1')
    expect(notes).toEqual([])
    expect(exportFormats.csv.line(JSON.stringify(cells), Object.keys(cells), 'keep')).toBe(`${text.split('\r\n')[1]}\r\n`)
  })

  test('quotes a lone carriage return: mutation 26', async () => {
    const { text } = await write({ format: 'csv', isTerminal: false }, (output) => output.list([[{ a: 'x\ry' }]]))
    expect(text).toBe('a\r\n"x\ry"\r\n')
  })
})

test.each([
  ['../../etc/passwd', '_._.._etc_passwd'],
  ['..', 'download'],
  ['/etc/passwd', '_etc_passwd'],
  ['C:\\Windows\\x.mp3', 'C__Windows_x.mp3'],
  ['.bashrc', '_bashrc'],
  ['call\u0000\u001b[2J\u009b\u202e3pm.mp3', 'call__[2J__3pm.mp3'],
  ['CON', '_CON'],
  ['nul.mp3', '_nul.mp3'],
  ['trailing. . ', 'trailing'],
  ['a<b>c|d?e*f"g', 'a_b_c_d_e_f_g'],
  ['', 'download'],
  [`${'ü'.repeat(300)}.mp3`, `${'ü'.repeat(98)}.mp3`],
])('a suggested name stays in the folder: %j', (given, name) => {
  expect(toFileName(given)).toBe(name)
})
