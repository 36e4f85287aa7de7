/** The description of a large kind of an organization is made in steps, between which the loop serves others. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ConnectorDefinition, Kind } from '../../packages/ferrule/src/definition/index.ts'
import { readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { describeInSteps } from '../../packages/server/src/connectors/kinds.ts'
import { buildReferenceInSteps } from '../../packages/server/src/http/routes/definitions.ts'
import { printInSteps } from '../../packages/server/src/http/unchanged.ts'
import { onceInSlices, type Steps, workInSlices } from '../../packages/server/src/values/slices.ts'
import { large } from '../kind-file/large.ts'

afterEach(() => vi.restoreAllMocks())

const readLarge = async (): Promise<Kind & { readonly definition: ConnectorDefinition }> => {
  const { definition } = await readKind(large, { name: 'acme.kind.yaml' })
  return definition === undefined ? expect.fail('the file is wrong') : { definition, rules: {} }
}

/** Does all steps. @returns the value, the number of steps, and the most characters of JSON that one of them printed */
function follow<T>(work: Steps<T>): { readonly value: T; readonly steps: number; readonly most: number } {
  const print = vi.spyOn(JSON, 'stringify')
  let most = 0
  for (let steps = 1; ; steps += 1) {
    print.mockClear()
    const { done, value } = work.next()
    const printed = print.mock.results.map((result) => String(result.value).length)
    most = Math.max(
      most,
      printed.reduce((sum, length) => sum + length, 0),
    )
    if (done === true) return { value, steps, most }
  }
}

describe('a definition of more than a megabyte', () => {
  test('is described in a step for each entity, after one that reads it', async () => {
    const kind = await readLarge()
    const entities = Object.keys(kind.definition.entities)
    const { value, steps } = follow(describeInSteps(kind))
    expect(value.entities.map(({ entity }) => entity)).toEqual(entities)
    expect(entities.length).toBeGreaterThan(95)
    expect(steps).toBe(entities.length + 2)
  })

  test('is printed in a step for each entity, of at most a fiftieth of the text', async () => {
    const { value: record } = follow(describeInSteps(await readLarge()))
    const { value: text, steps, most } = follow(printInSteps(record))
    expect(text.length).toBeGreaterThan(1_000_000)
    expect(text).toBe(JSON.stringify(record))
    expect(steps).toBe(record.entities.length + record.credentials.length + 1)
    expect(most).toBeLessThan(text.length / 50)
  })

  test('has its reference made and printed in such steps too', async () => {
    const kind = await readLarge()
    const { value: reference, steps } = follow(buildReferenceInSteps(kind))
    const { sections, searches, examples } = reference
    expect(steps).toBe(1 + sections.length + Object.keys(kind.definition.entities).length + 1)
    const printed = follow(printInSteps(reference))
    expect(printed.value).toBe(JSON.stringify(reference))
    expect(printed.steps).toBe(sections.length + searches.length + examples.length + 1)
    expect(printed.most).toBeLessThan(printed.value.length / 50)
  })
})

describe('work in slices', () => {
  test('lets the loop serve others after each step that took a slice', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    let turns = 0
    const count = (): void => {
      turns += 1
      if (turns < 1_000) setImmediate(count)
    }
    setImmediate(count)
    const served: number[] = []
    await workInSlices(
      (function* (): Steps<void> {
        for (const took of [1, 1, 4, 9, 0]) {
          served.push(turns)
          now += took
          yield
        }
      })(),
    )
    turns = 1_000
    const [first, ...others] = served
    expect(others.map((at) => at > (first ?? 0))).toEqual([false, false, true, true])
    expect(served[4]).toBeGreaterThan(served[3] ?? 0)
  })

  test('is done once for an object, and again after a failure', async () => {
    let done = 0
    const read = onceInSlices(function* (of: { readonly fails: () => boolean }): Steps<number> {
      done += 1
      yield
      if (of.fails()) throw new Error('not now')
      return done
    })
    const fails = vi.fn(() => false).mockReturnValueOnce(true)
    const one = { fails }
    await expect(read(one)).rejects.toThrow('not now')
    expect(await Promise.all([read(one), read(one)])).toEqual([2, 2])
    expect(await read({ fails: () => false })).toBe(3)
  })
})
