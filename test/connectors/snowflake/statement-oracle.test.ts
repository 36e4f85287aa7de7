/** A grammar-based parser as a second opinion: where it reads exactly one statement, it must be of the kind that the gate says. */
import { init, parse, type Statement } from '@guanmingchiu/sqlparser-ts'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { admit } from '../../../packages/ferrule/src/connectors/snowflake/statement/gate.ts'
import { choose } from '../../support/draws.ts'
import { gap, statement } from './statement-arbitrary.ts'
import { sent, written } from './statement-support.ts'
import { accepted, kindOf, kinds, rows } from './statement-table.ts'

beforeAll(init)

/** Parses a statement; undefined when the parser finds no statement, or several. */
function parsed(text: string): Statement | undefined {
  try {
    const [first, ...others] = parse(text, 'snowflake')
    return others.length === 0 ? first : undefined
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null

/** The kind of a parsed statement. A query's verb is deep inside: behind WITH the parser takes a write for a query too. */
function kindOfTree(tree: unknown): string {
  if (!isObject(tree)) return 'none'
  const [name = 'none'] = Object.keys(tree)
  const inner = tree[name]
  if (name === 'Query' && isObject(inner)) return kindOfTree(inner['body'])
  return ['Select', 'SetOperation', 'Values'].includes(name) ? 'SELECT' : name.toUpperCase()
}

// The parser reads on behind a CR that ends a line comment.
const seenGap = gap.filter((text) => !text.endsWith('\r'))

const spans = ['span', 'closing_token', 'opening_token']
/** A tree without where its tokens stand. */
const withoutSpans = (tree: unknown): unknown =>
  JSON.parse(JSON.stringify(tree, (key, value: unknown) => (spans.includes(key) || key.endsWith('_token') ? undefined : value)))

test('the kinds of the list agree', () => {
  const trees = accepted.map(({ text, kind }) => ({ text, kind, tree: parsed(text) })).filter(({ tree }) => tree !== undefined)
  expect(trees).toHaveLength(accepted.length)
  expect(trees.filter(({ tree, kind }) => kindOfTree(tree) !== kind)).toEqual([])
})

test('a list of the parser’s own mistakes: it reads these as one statement of a kind that is taken', () => {
  const misread = rows.flatMap(([text, verdict], index) => {
    const kind = kindOf(verdict) ? '' : kindOfTree(parsed(text))
    return kinds.some((each) => each === kind) ? [`${index + 1} ${kind}`] : []
  })
  const placeholders = ['25 SELECT', '26 SELECT', '27 SELECT', '28 SELECT', '30 INSERT', '31 UPDATE', '36 SELECT', '111 SELECT']
  const hidden = ['6 SELECT', '41 SELECT', '55 SELECT', '108 SELECT', '109 SELECT', '110 SELECT', '122 SELECT']
  const forms = ['48 INSERT', '49 DELETE', '50 UPDATE', '67 SELECT', '68 SELECT', '91 SELECT', '99 INSERT', '100 INSERT', '120 SELECT']
  expect(misread.toSorted()).toEqual([...placeholders, ...hidden, ...forms].toSorted())
})

test('the kinds of generated statements agree, and what is sent means what was written', () => {
  let compared = 0
  fc.assert(
    fc.property(statement, fc.array(seenGap, { minLength: 1, maxLength: 5 }), ({ kind, tokens }, gaps) => {
      const text = written(tokens, gaps)
      const before = parsed(text)
      const after = parsed(sent(admit(text, kind)) ?? '')
      if (after) expect(kindOfTree(after)).toBe(kind)
      if (!before) return
      expect(kindOfTree(before)).toBe(kind)
      expect(withoutSpans(after)).toEqual(withoutSpans(before))
      compared += 1
    }),
    { numRuns: choose(300, 1_000) },
  )
  expect(compared).toBeGreaterThan(choose(150, 500))
})
