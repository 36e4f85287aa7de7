import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { EventParser, type ServerEvent } from '../../packages/ferrule/src/client/watch.ts'

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Parses a text in one chunk. */
function parse(text: string): { readonly events: ServerEvent[]; readonly parser: EventParser } {
  const parser = new EventParser()
  return { events: parser.push(bytes(text)), parser }
}

describe('a stream of events', () => {
  test.each([
    ['an event with a type', 'event: run\ndata: {"a":1}\n\n', [{ type: 'run', data: '{"a":1}' }]],
    ['an event without a type', 'data: x\n\n', [{ type: 'message', data: 'x' }]],
    [
      'a type that lasts for one event',
      'event: a\ndata: 1\n\ndata: 2\n\n',
      [
        { type: 'a', data: '1' },
        { type: 'message', data: '2' },
      ],
    ],
    ['several lines of data', 'data: 1\ndata:\ndata: 3\n\n', [{ type: 'message', data: '1\n\n3' }]],
    [
      'one leading space, which is left out',
      'data:  x\n\ndata:y\n\n',
      [
        { type: 'message', data: ' x' },
        { type: 'message', data: 'y' },
      ],
    ],
    [
      'fields without a colon',
      'data\n\ndata\ndata\n\n',
      [
        { type: 'message', data: '' },
        { type: 'message', data: '\n' },
      ],
    ],
    ['colons in the value', 'data: a:b: c\n\n', [{ type: 'message', data: 'a:b: c' }]],
    ['comments and unknown fields', ':\n\n: x\nfoo: 1\ndata: x\n\n', [{ type: 'message', data: 'x' }]],
    ['no data, so no event', 'event: run\n\nid: 1\n\n', []],
    ['an event that is cut off', 'data: 1\n\ndata: 2\n', [{ type: 'message', data: '1' }]],
    ['a byte order mark', '\ufeffdata: 1\n\n', [{ type: 'message', data: '1' }]],
    [
      'carriage returns',
      'data: 1\rdata: 2\r\rdata: 3\r\n\r\n',
      [
        { type: 'message', data: '1\n2' },
        { type: 'message', data: '3' },
      ],
    ],
    ['mixed ends of lines', 'data: 1\r\ndata: 2\n\r\n', [{ type: 'message', data: '1\n2' }]],
  ])('has %s', (_what, text, expected) => {
    expect(parse(text).events).toEqual(expected)
  })

  test('says how long to wait, in digits only', () => {
    expect(parse('retry: 3000\n').parser.retryMs).toBe(3_000)
    for (const text of ['retry: -1\n', 'retry: 1s\n', 'retry:\n', 'retry: 1.5\n']) expect(parse(text).parser.retryMs).toBeUndefined()
  })

  test('has ids, which last, and count with their event only', () => {
    const { parser } = parse('id: 1\ndata: a\n\ndata: b\n\n')
    expect(parser.lastEventId).toBe('1')
    parser.push(bytes('id: 2\ndata: c\n'))
    expect(parser.lastEventId).toBe('1')
    parser.push(bytes('\nid: 3\0\n\n'))
    expect(parser.lastEventId).toBe('2')
    parser.push(bytes('id\n\n'))
    expect(parser.lastEventId).toBe('')
  })

  test.each([
    ['a line', 'data: xxxxxxxxxxxxxxxxxxxx'],
    ['lines of one event', 'data: xxx\n'.repeat(10)],
    ['a line without a meaning', `${'y'.repeat(30)}\n`],
  ])('is refused when %s grows too large', (_what, text) => {
    const parser = new EventParser('', 20)
    const push = () => {
      for (const byte of bytes(text)) parser.push(Uint8Array.of(byte))
    }
    expect(push).toThrow(expect.objectContaining({ code: 'service_answer_invalid', retryable: false }))
  })
})

/** Lines of a stream, with everything that matters to a parser in it. */
const line = fc.oneof(
  fc.tuple(
    fc.constantFrom('data', 'event', 'id', 'retry', ''),
    fc.constantFrom(':', ': ', ''),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
  ),
  fc.constant(['', '', ''] as const),
)
const stream = fc.array(fc.tuple(line, fc.constantFrom('\n', '\r', '\r\n')), { maxLength: 30 })

test('chunks that are cut anywhere give the same events', () => {
  fc.assert(
    fc.property(stream, fc.array(fc.nat({ max: 400 }), { maxLength: 20 }), (lines, cuts) => {
      const whole = bytes(lines.map(([parts, end]) => parts.join('') + end).join(''))
      const once = new EventParser()
      const parser = new EventParser()
      const ends = [0, ...cuts.filter((cut) => cut < whole.length), whole.length].toSorted((a, b) => a - b)
      const events = ends.flatMap((end, index) => parser.push(whole.subarray(ends[index - 1] ?? 0, end)))
      expect(events).toEqual(once.push(whole))
      expect([parser.lastEventId, parser.retryMs]).toEqual([once.lastEventId, once.retryMs])
    }),
    { numRuns: 500, seed: 12 },
  )
})
