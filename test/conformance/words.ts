/** Checks of the words that only some operations have. */
import { expect, test } from 'vitest'
import { isOptional } from '../../packages/ferrule/src/definition/fields.ts'
import type { PartPages, PositionPages } from '../../packages/ferrule/src/definition/page.ts'
import type { CredentialsFile } from './answers.ts'
import { findMissent, findMissentUrl, isLeaf, type Param, queryNames, suppliedValue, valueAt, without } from './params.ts'
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
    expect(given.flatMap(({ params, page: { exchanges } }) => findMissentUrl(page, params[page.url ?? ''], exchanges) ?? [])).toEqual([])
  })

  test('a filter beside a position, and a second position, are refused at their fields', async () => {
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

/** Returns whether a parameter is left out when its value is unknown. */
const isSpared = ({ schema }: Param): boolean => isObject(schema['x-fill']) && schema['x-fill']['as'] === 'if_known'

/** What the checks of supplied parameters need. */
interface Supply {
  readonly params: readonly Param[]
  readonly configuration: CredentialsFile['configuration']
  readonly refusal: Refusal
}

/** Checks of parameters that the connector supplies when the caller leaves them out. */
export function checkSupplied(subject: Subject, { params, configuration, refusal }: Supply) {
  const { kind, operation, answers } = subject
  const known = kind.definition.known
  const supplied = params.filter(isLeaf).flatMap((param) => {
    const value = suppliedValue(param, known, configuration)
    return value === undefined ? [] : [{ param, value }]
  })
  if (supplied.length === 0) return

  test('what the connector knows travels as declared where the caller leaves it out, and is missed where nobody knows it', async () => {
    for (const { param, value } of supplied) {
      expect(valueAt(answers.calls.minimal.params, param.names)).toBeUndefined()
      const exchanges = answers.calls.minimal.pages[0]?.exchanges ?? []
      expect(findMissent(operation, param.names, { value, exchanges })).toBeUndefined()
      if (isSpared(param)) continue
      const { code, fields, message } = await refusal(subject, without(answers.calls.full.params, param.names))
      expect({ code, fields }).toEqual({ code: 'missing_parameter', fields: [`/params/${param.names.join('/')}`] })
      expect(message).toContain('in the configuration of the connector')
    }
  })
}

/** Checks of a request that the vendor knows by an id. */
export function checkSubmission({ operation: { submits } }: Subject, pages: readonly AskedPage[]) {
  if (submits === undefined) return

  test('is known by an id, the caller’s or one that is made, and is a repetition where the caller says so', () => {
    for (const { page, params } of pages) {
      const query = page.exchanges.slice(0, 1).flatMap(({ request }) => [...new URL(request.path, 'http://vendor.example').searchParams])
      const again = params[submits.again] === true ? [[submits.again, 'true']] : []
      expect(query).toEqual([[submits.id, params[submits.id] ?? '{uuid}'], ...again])
    }
  })
}

/** The pages of an operation whose result was not ready at once. */
export const unreadyPages = ({ operation: { running } }: Subject, pages: readonly AskedPage[]): AskedPage[] =>
  pages.filter(({ page }) => running?.poll !== undefined && page.exchanges[0]?.answer.status === running.status)

/** Checks of a result that is not ready at once. */
export function checkPolls(subject: Subject, pages: readonly AskedPage[]) {
  const { poll } = subject.operation.running ?? {}
  const unready = unreadyPages(subject, pages)
  if (poll === undefined || unready.length === 0) return

  test('a result that is not ready is asked for where the definition says, until it is', () => {
    for (const { page } of unready) {
      const [first, ...asked] = page.exchanges
      const handle = valueAt(first?.answer.body, poll.handle.split('.'))
      const own = `${first?.request.method} ${first?.request.path}`
      const wanted = own.startsWith('GET') ? own : poll.call.replace(/\{\w+\}/, String(handle))
      expect(asked.map(({ request }) => `${request.method} ${request.path}`)).toEqual(asked.map(() => wanted))
      expect(asked.map(({ answer }) => poll.statuses.includes(answer.status))).toEqual(asked.map((_one, index) => index < asked.length - 1))
    }
  })
}

/** Checks of a result in parts. */
export function checkParts({ parts }: PartPages, pages: readonly AskedPage[]) {
  test('the next part is another operation, with the handle and the number of the part, while there is one', () => {
    for (const { page, params } of pages) {
      const { [parts.known]: known, next_params, next_operation } = page.meta ?? {}
      const { [parts.number]: asked = 0 } = params
      const handle = page.meta?.[parts.handle.meta]
      const next = { [parts.handle.param]: handle, [parts.number]: Number(asked) + 1 }
      if (Array.isArray(known)) expect(next_params).toEqual(Number(asked) + 1 < known.length ? next : null)
      else expect([null, next]).toContainEqual(next_params)
      expect(next_operation).toEqual(next_params === null ? null : { entity: parts.entity, action: 'get' })
    }
  })
}

/** Checks of the rule that reads the parameters of an operation. */
export function checkRule(subject: Subject, refusal: Refusal) {
  const { operation, answers } = subject
  const refused = answers.refused ?? []
  if (operation.admit === undefined && refused.length === 0 && answers.changed === undefined) return

  test('what its rule refuses is refused before anything is sent', async () => {
    expect({ rule: operation.admit !== undefined, refused: refused.length > 0 }).toEqual({ rule: true, refused: true })
    expect(Object.keys(answers.changed ?? {}).filter((name) => !(name in operation.params))).toEqual([])
    for (const { params, code, fields } of refused) {
      const met = await refusal(subject, params)
      expect({ code: met.code, fields: met.fields }).toEqual({ code, fields })
    }
  })
}
