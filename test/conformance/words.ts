/** Checks of the words that only some operations have. */
import { expect, test } from 'vitest'
import { isOptional } from '../../src/definition/document.ts'
import type { PositionPages } from '../../src/definition/page.ts'
import type { CredentialsFile } from './answers.ts'
import { isLeaf, misplaced, misplacedUrl, type Place, queryNames, suppliedValue, valueAt, without } from './params.ts'
import { type AskedPage, isObject, type Refusal, type Subject } from './subject.ts'

/** What the checks of a position need. */
interface Position {
  readonly page: PositionPages
  readonly pages: readonly AskedPage[]
  readonly refusal: Refusal
}

/** Checks of a position that holds the filters of its first page. */
export function checkPosition(subject: Subject, { page, pages, refusal }: Position) {
  const { operation, answers } = subject
  const positions = [page.next.param, ...(page.url === undefined ? [] : [page.url])]
  const required = Object.keys(operation.params).filter((name) => !isOptional(operation.params, name))
  const filters = Object.keys(operation.params).filter((name) => ![...positions, ...(page.alone ?? []), ...required].includes(name))
  const needed = Object.fromEntries(required.map((name) => [name, answers.calls.full.params[name]]))

  test('a position travels alone', () => {
    const following = pages.filter(({ params }) => positions.some((name) => params[name] !== undefined))
    expect(following.length).toBeGreaterThan(0)
    const companions = [page.next.param, ...(page.alone ?? [])]
    for (const { page: answered } of following)
      expect(answered.exchanges.slice(0, 1).flatMap(queryNames)).toSatisfy((names: string[]) =>
        names.every((name) => companions.includes(name)),
      )
  })

  test('the URL of a next page is taken apart, never sent', () => {
    const given = pages.filter(({ params }) => page.url !== undefined && params[page.url] !== undefined)
    expect(given.length).toBeGreaterThan(page.url === undefined ? -1 : 0)
    expect(given.flatMap(({ params, page: { exchanges } }) => misplacedUrl(page, params[page.url ?? ''], exchanges) ?? [])).toEqual([])
  })

  test('a filter beside a position, and a second position, are refused at their places', async () => {
    for (const position of positions)
      for (const name of filters) {
        const { code, fields } = await refusal(subject, { ...needed, [position]: 'x', [name]: answers.calls.full.params[name] })
        expect({ code, fields }).toEqual({ code: 'invalid_parameter', fields: [`/params/${name}`] })
      }
    const [first = '', second] = positions
    if (second === undefined) return
    const { code, fields } = await refusal(subject, { ...needed, [first]: 'x', [second]: 'x' })
    expect({ code, fields }).toEqual({ code: 'invalid_parameter', fields: [`/params/${second}`] })
  })
}

/** Whether a parameter stays away where nobody knows a value. */
const isSpared = ({ schema }: Place): boolean => isObject(schema['x-fill']) && schema['x-fill']['as'] === 'if_known'

/** What the checks of supplied parameters need. */
interface Supply {
  readonly places: readonly Place[]
  readonly configuration: CredentialsFile['configuration']
  readonly refusal: Refusal
}

/** Checks of parameters that the connector supplies when the caller leaves them out. */
export function checkSupplied(subject: Subject, { places, configuration, refusal }: Supply) {
  const { kind, operation, answers } = subject
  const known = kind.definition.known
  const supplied = places.filter(isLeaf).flatMap((place) => {
    const value = suppliedValue(place, known, configuration)
    return value === undefined ? [] : [{ place, value }]
  })
  if (supplied.length === 0) return

  test('what the connector knows travels as declared where the caller leaves it out, and is missed where nobody knows it', async () => {
    for (const { place, value } of supplied) {
      expect(valueAt(answers.calls.minimal.params, place.names)).toBeUndefined()
      const exchanges = answers.calls.minimal.pages[0]?.exchanges ?? []
      expect(misplaced(operation, place.names, { value, exchanges })).toBeUndefined()
      if (isSpared(place)) continue
      const { code, fields, message } = await refusal(subject, without(answers.calls.full.params, place.names))
      expect({ code, fields }).toEqual({ code: 'missing_parameter', fields: [`/params/${place.names.join('/')}`] })
      expect(message).toContain('in the configuration of the connector')
    }
  })
}

/** Checks of the rule that reads the parameters of an operation. */
export function checkRule(subject: Subject, refusal: Refusal) {
  const { operation, answers } = subject
  const refused = answers.refused ?? []
  if (operation.admit === undefined && refused.length === 0) return

  test('what its rule refuses is refused before anything is sent', async () => {
    expect({ rule: operation.admit !== undefined, refused: refused.length > 0 }).toEqual({ rule: true, refused: true })
    for (const { params, code, fields } of refused) {
      const met = await refusal(subject, params)
      expect({ code: met.code, fields: met.fields }).toEqual({ code, fields })
    }
  })
}
