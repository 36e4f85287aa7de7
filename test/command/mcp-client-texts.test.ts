import fc from 'fast-check'
import { parse as parseJsonWithComments } from 'jsonc-parser'
import { describe, expect, test } from 'vitest'
import { formatDifference } from '../../packages/ferrule/src/cli/actions/mcp-clients.ts'
import type { Placement } from '../../packages/ferrule/src/cli/clients/clients.ts'
import { insertInJson } from '../../packages/ferrule/src/cli/clients/json-text.ts'

const value = { command: 'node', args: ['a "quoted" path\\x', 'mcp'], env: { A: '1' } }
const placements = (given: object | undefined): readonly Placement[] => [
  { container: 'servers', form: 'object', name: 'ours', value: given },
  { container: 'inputs', form: 'array', name: 'ours', value: given === undefined ? undefined : { id: 'ours' } },
]

/** What may stand between two tokens. */
const gap = fc.constantFrom('', ' ', '\n', '\n  ', '\t', ' // a comment, with "quotes" {\n', '/* in /* between, */', '\r\n\r\n')
const scalar = fc.constantFrom('1', '"text"', '"// no comment"', 'null', '[1, /* two */ 2]', '{ "deep": {} }', '"{,}"')

/** A list or an object in some form, whose children are texts. */
const container = (children: fc.Arbitrary<string[]>, [open, close]: readonly [string, string]): fc.Arbitrary<string> =>
  fc.tuple(children, fc.array(gap, { minLength: 20, maxLength: 20 }), fc.boolean()).map(([texts, gaps, hasLastComma]) => {
    const inner = texts.map((text, index) => {
      const isLast = index === texts.length - 1
      return `${gaps[index * 2]}${text}${gaps[index * 2 + 1]}${isLast && !hasLastComma ? '' : ','}`
    })
    return `${open}${inner.join('')}${gaps[19]}${close}`
  })

const members = (name: string, texts: fc.Arbitrary<string>, least: number) =>
  fc.array(texts, { minLength: least, maxLength: 3 }).map((all) => all.map((text, index) => `"${name}${index}": ${text}`))
const braces = ['{', '}'] as const
const servers = container(members('server', scalar, 0), braces).map((text) => `"servers": ${text}`)
const inputs = container(
  fc.array(
    scalar.filter((text) => !text.startsWith('[')),
    { maxLength: 3 },
  ),
  ['[', ']'],
).map((text) => `"inputs": ${text}`)
const document = container(
  fc.tuple(members('other', scalar, 0), servers, inputs).map(([others, one, two]) => [...others.slice(0, 1), one, ...others.slice(1), two]),
  braces,
)

describe('any file of JSON with comments', () => {
  const read = (text: string) => parseJsonWithComments(text, [], { allowTrailingComma: true })

  test('gets our entry and gives it back, and keeps everything else', () => {
    fc.assert(
      fc.property(document, (text) => {
        const before = read(text)
        const after = insertInJson(text, placements(value))
        expect(read(after)).toEqual({
          ...before,
          servers: { ours: value, ...before.servers },
          inputs: [{ id: 'ours' }, ...before.inputs],
        })
        expect(insertInJson(after, placements(value))).toBe(after)
        const changed = insertInJson(after, placements({ command: 'other' }))
        expect(read(changed).servers).toEqual({ ...before.servers, ours: { command: 'other' } })
        const removed = insertInJson(changed, placements(undefined))
        expect(read(removed)).toEqual(before)
        expect(listComments(removed)).toEqual(listComments(text))
      }),
      { numRuns: 300, seed: 1 },
    )
  })
})

const listComments = (text: string) => text.match(/\/\/ a comment.*|\/\* (in|two).*?\*\//g)

describe('the difference', () => {
  test('names the lines that change, and no others', () => {
    const before = 'a\nb\nc\nd\ne\nf'
    const after = 'a\nB\nc\nd\nnew\ne\nf\n'
    expect(formatDifference('/x', before, after)).toBe(
      '--- /x\n+++ /x\n@@ -2 +2 @@\n-b\n+B\n@@ -4,0 +5 @@\n+new\n@@ -6 +7 @@\n-f\n\\ No newline at end of file\n+f',
    )
    expect(formatDifference('/x', '', 'a\r\nb\u001b[2J\n')).toBe('--- /dev/null\n+++ /x\n@@ -0,0 +1,2 @@\n+a\n+b?[2J')
  })

  test('ends for files of many lines that all change', () => {
    const lines = (sign: string) => Array.from({ length: 5_000 }, (_, index) => `${sign}${index}\n`).join('')
    expect(formatDifference('/x', lines('a'), lines('b')).split('\n')).toHaveLength(2 + 1 + 10_000)
  })
})
