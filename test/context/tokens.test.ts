/** Words by the current token rules: as the oracle splits and matches them, in the product and in both databases. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import * as rules from '../../packages/server/src/copies/search/tokens/tokenizer.ts'
import { choose } from '../support/draws.ts'
import { databasesOfStatements } from '../support/postgres.ts'
import { openDatabase } from './databases.ts'
import { askedOf, matchOf, tokensOf } from './oracle-tokens.ts'

/** Letters with special treatment, marks of several classes, and separators of words. */
const letters = [
  ...'abcdeABCß ẞøØłŁđæÆœıİIþðΣςσοάвёЁйя0123７²Ⅷ',
  ...'東京都々〇かがはばぱウヴワーｶﾞタ한하국ㅎㅏกตทำา๑हिआ\u0627\u0622ש',
  ...['\u0301', '\u0308', '\u0323', '\u0334', '\u0338', '\u3099', '\u309a', '\u0e48', '\u0e38', '\u093f', '\u0653', '\u{e0100}', '\ufe0f'],
  // Joining characters, signs, format characters, and marks of Arabic.
  ...["'", '’', '/', '.', '-', '+', '+', '#', '\u200b', '\u00ad', '\ufe70', '\u064e', '\u0670', '\u0640', '\u0631'],
  ...['\u1112', '\u1161', '\u11ab', '\u11a8', '=', ' ', '-', '.', '\u200d', '・', '\0', '\ud800', 'ﬁ', '㈱', 'ǅ', '𝒳', '\u0345'],
]
const text = fc.array(fc.constantFrom(...letters), { maxLength: 14 }).map((characters) => characters.join(''))
const anyText = fc.oneof(text, fc.string({ unit: 'binary', maxLength: 12 }))

describe('words', () => {
  test('of records and of queries are those of the oracle', () => {
    fc.assert(
      fc.property(anyText, (given) => {
        const clean = given.toWellFormed().replaceAll('\0', '\ufffd')
        expect(rules.splitText(clean)).toEqual(tokensOf(given))
        expect(rules.splitQuery(clean).map(({ text: token, isBeginning }) => ({ token, isOneOfRun: isBeginning }))).toEqual(askedOf(given))
      }),
      { numRuns: choose(1_000, 4_000) },
    )
  })

  test.each([
    ['Wi-Fi', ['wi', 'fi', 'wifi']],
    ['S.A.P.', ['s', 'a', 'p', 'sap']],
    ["O'Neil’s", ['o', 'neil', 's', 'oneils']],
    ['a--b c - d', ['a', 'b', 'c', 'd']],
    ['1.2.3.4.5.6.7', ['1', '2', '3', '4', '5', '6', '7']],
    [`x-${'y'.repeat(40)}`, ['x', 'y'.repeat(40)]],
    ['C++ and C#', ['c', 'and', 'c', 'c++', 'c#']],
    ['co\u200bop and so\u00adcial', ['coop', 'and', 'social']],
    ['كِتَاب', ['كتاب']],
    ['東京-タワー', ['東京', '京', 'タワ', 'ワー', 'ー']],
  ])('of the record %s', (given, expected) => {
    expect([rules.splitText(given), tokensOf(given)]).toEqual([expected, expected])
  })

  test.each([
    ['letters', 'é'.repeat(200_000), 1],
    ['letters before a digit', `${'é'.repeat(200_000)}1`, 1],
    ['joined words', 'é-a.'.repeat(50_000), 100_000],
    ['joined words that end in a sign', `${'é-a.'.repeat(50_000)}b+`, 100_002],
    ['signs', `é${'+#'.repeat(100_000)}`, 2],
    ['joining characters', `é${'-'.repeat(200_000)}a`, 2],
    ['letters, longer than a quantifier of V8 can be,', 'я'.repeat(5_000_000), 1],
    ['accents, as many,', `e${'\u0301'.repeat(5_000_000)}`, 1],
    ['format characters, as many,', `я${'\u200b'.repeat(9_000_000)}`, 1],
    ['plain letters with a joining character', `${'x'.repeat(200_000)}-y`, 2],
  ])('of a long string of %s are read in one pass', (_what, given, count) => {
    expect(rules.splitText(given)).toHaveLength(count)
  })

  test.each([
    ['c++', ['c++']],
    ['Wi-Fi', ['wi', 'fi']],
    ['F# 2+2', ['f#', '2', '2']],
  ])('of the query %s', (given, expected) => {
    expect([rules.splitQuery(given).map(({ text: each }) => each), askedOf(given).map(({ token }) => token)]).toEqual([expected, expected])
  })

  test.each(databasesOfStatements(['pglite', 'postgres']))('of plain ASCII are those of the oracle in SQL, on %s', async (engine) => {
    const ascii = fc.array(fc.constantFrom(..."abC1-./'+# _=,"), { maxLength: 24 }).map((characters) => characters.join(''))
    const texts = [
      ...fc.sample(ascii, { numRuns: choose(1_000, 3_000), seed: 7 }),
      'Wi-Fi',
      'a.b.c.d.e.f',
      'a.b.c.d.e.f.g',
      'C++/C#',
      `x-${'y'.repeat(39)}`,
      `${'x'.repeat(200_000)}-y`,
      `${'x'.repeat(200_000)}1+`,
      'a-'.repeat(100_000),
      `a${'+'.repeat(200_000)}`,
    ]
    const database = await openDatabase(engine)
    const rows = await database.query({
      text: 'select cs_words(given, null) as words from unnest($1::text[]) with ordinality as t(given, number) order by number',
      values: [texts],
    })
    await database.close()
    const found = rows.map(({ words }) => (Array.isArray(words) ? words.map(String).filter((each) => each !== '') : []))
    expect(found).toEqual(texts.map(tokensOf))
  })

  test('that a part of a text promises are in the whole of it, whatever stands around the part', () => {
    let promised = 0
    fc.assert(
      fc.property(text, text, text, (before, part, after) => {
        const words = new Set(tokensOf(before + part + after))
        for (const each of rules.findRequiredWords(part.toWellFormed().replaceAll('\0', '\ufffd'))) {
          promised += 1
          const isThere =
            'within' in each ? [...words].some((word) => word.includes(each.within)) : each.oneOf.some((word) => words.has(word))
          expect(isThere, JSON.stringify([before, part, after, each])).toBe(true)
        }
      }),
      { numRuns: choose(1_000, 8_000) },
    )
    expect(promised).toBeGreaterThan(choose(250, 2_000))
  })

  test.each([
    ['東京', [{ oneOf: ['東京'] }]],
    ['京タ', [{ oneOf: ['京タ', '京ダ'] }]],
    ['タワー', [{ oneOf: ['タワ'] }, { oneOf: ['ワー'] }]],
    ['どう', [{ oneOf: ['どう', 'どゔ'] }]],
    ['한국', [{ oneOf: ['한국'] }]],
    ['งาน', [{ oneOf: ['งา'] }, { oneOf: ['าน'] }]],
    ['東', []],
    ['手机 plan', [{ oneOf: ['手机'] }, { within: 'plan' }]],
  ])('of %s lead to its records from two characters on', (part, expected) => {
    expect(rules.findRequiredWords(part)).toEqual(expected)
  })

  test.each(databasesOfStatements(['pglite', 'postgres']))('match as well as the oracle says, on %s', async (engine) => {
    const letter = fc.constantFrom('a', 'b', 'c', 'é', '東')
    const word = fc.array(letter, { minLength: 1, maxLength: 11 }).map((characters) => characters.join(''))
    const edit = fc.tuple(fc.constantFrom('swap', 'drop', 'put', 'change'), fc.nat(10), letter)
    const pairs = fc
      .sample(fc.tuple(word, fc.array(edit, { maxLength: 3 })), { numRuns: choose(1_000, 3_000), seed: 11 })
      .map(([asked, edits]) => {
        const characters = [...asked]
        for (const [how, at, other] of edits) {
          if (how === 'swap') characters.splice(at, 2, ...characters.slice(at, at + 2).toReversed())
          else characters.splice(at, how === 'put' ? 0 : 1, ...(how === 'drop' ? [] : [other]))
        }
        return { asked, word: characters.join('') || 'a' }
      })
    const distances = pairs.map(({ asked }) =>
      String(rules.splitQuery(asked).length === 1 ? (rules.splitQuery(asked)[0]?.distance ?? 0) : 0),
    )
    const database = await openDatabase(engine)
    const rows = await database.query({
      text: `select cs_match(array['', word], asked, distance) as found, cs_fuzzy(array['', word], array[asked], array[distance]) as fuzzy
        from unnest($1::text[], $2::text[], $3::int4[]) with ordinality as p(asked, word, distance, number) order by number`,
      values: [pairs.map(({ asked }) => asked), pairs.map(({ word: each }) => each), distances],
    })
    await database.close()
    const isOne = (each: string) => !each.includes('東')
    const some = pairs.map((pair, index) => ({ ...pair, row: rows[index] })).filter(({ asked }) => isOne(asked))
    expect(some.map(({ row }) => row?.['found'])).toEqual(some.map(({ asked, word: other }) => matchOf({ token: asked }, other)))
    expect(some.map(({ row }) => row?.['fuzzy'])).toEqual(some.map(({ asked, word: other }) => matchOf({ token: asked }, other) > 0))
    expect(new Set(some.map(({ row }) => row?.['found']))).toEqual(new Set([0, 1, 2, 3]))
  })
})
