import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { admit } from '../../../packages/ferrule/src/connectors/snowflake/statement/gate.ts'
import { choose } from '../../support/draws.ts'
import { codeUnits, gap, likely, pieces, secret, statement } from './statement-arbitrary.ts'
import {
  admittedBy,
  dangers,
  mutate,
  mutateForms,
  mutateList,
  refuse,
  sent,
  tokensOf,
  withoutLiterals,
  written,
} from './statement-support.ts'
import { kinds, rows } from './statement-table.ts'

const gaps = fc.array(gap, { minLength: 1, maxLength: 5 })

describe('a generated statement', () => {
  test('is admitted by the action of its kind only, and sent token by token', () => {
    fc.assert(
      fc.property(statement, gaps, ({ kind, tokens }, between) => {
        const text = `${between[0] ?? ''}${written(tokens, between)} ;`
        expect(admittedBy(text)).toEqual([kind])
        expect(sent(admit(text, kind))).toBe(tokens.join(' '))
      }),
      { numRuns: choose(300, 1_000) },
    )
  })

  test('is read into the tokens that it was made of', () => {
    fc.assert(
      fc.property(statement, gaps, ({ tokens }, between) => {
        expect(tokensOf(written(tokens, between)).join('')).toBe(tokens.join(''))
      }),
    )
  })

  test('shows nothing of its literals when it is refused, even when a stray quote turns them inside out', () => {
    const spoils = [';', '->>', '?', ')', '\u00a0', ':x', "'", '/*', '(DELETE FROM', '@s//']
    fc.assert(
      fc.property(statement, fc.nat(), fc.constantFrom(...spoils), ({ tokens }, nat, spoil) => {
        const at = nat % tokens.length
        const text = [...tokens.slice(0, at), spoil, ...tokens.slice(at)].join(' ')
        for (const kind of kinds) {
          const admission = admit(text, kind)
          if (!admission.admitted) expect(JSON.stringify(admission)).not.toContain(secret)
        }
      }),
      { numRuns: choose(300, 1_000) },
    )
  })
})

describe('another statement', () => {
  test('put between any two tokens, before or behind a statement is refused for all kinds', () => {
    const { made, wrong } = mutate(10_000)
    expect(wrong).toEqual([])
    expect(made).toBeGreaterThanOrEqual(10_000)
  })

  test('hidden without a separator is refused for all kinds', () => {
    const { made, wrong } = mutateForms(5_000)
    expect(wrong).toEqual([])
    expect(made).toBeGreaterThan(2_500)
  })

  test('put at each offset of each statement of the list is refused', () => {
    const { made, wrong } = mutateList()
    expect(wrong).toEqual([])
    expect(made).toBeGreaterThan(5_000)
  })
})

/** Asserts what must hold for every string. */
function examine(text: string): void {
  for (const kind of kinds) {
    const admission = admit(text, kind)
    if (admission.admitted) {
      expect(admit(admission.statement, kind)).toEqual(admission)
      expect(withoutLiterals(admission.statement)).not.toMatch(dangers)
      expect(tokensOf(admission.statement)).toEqual(tokensOf(text).slice(0, tokensOf(admission.statement).length))
    } else {
      expect(admission.found.length).toBeLessThanOrEqual(40)
      expect(admission.line).toBeGreaterThanOrEqual(1)
      expect(admission.column).toBeGreaterThanOrEqual(1)
      expect(admission.column).toBeLessThanOrEqual(text.length + 1)
    }
  }
}

describe('any text', () => {
  test.each([
    ['code units', codeUnits],
    ['pieces of statements', pieces],
    ['pieces behind the beginning of a statement', likely],
  ])('of %s is answered, and what is sent hides nothing and stays as it is when it is read again', (_name, texts) => {
    fc.assert(fc.property(texts, examine), { numRuns: choose(600, 2_000) })
  })

  test('of the list too', () => {
    for (const [text] of rows) examine(text)
  })

  test('with half of a surrogate pair outside of literals names it', () => {
    expect(refuse('SELECT \udfff')).toMatchObject({ reason: 'foreign_character', found: 'the character U+DFFF', line: 1, column: 8 })
  })
})
