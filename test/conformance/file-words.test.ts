/**
 * Each word of the table of kind files has a row: without it the file is refused, or its calls are others than recorded. What no recorded
 * call shows has another test, which is named here.
 */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { readKind } from '../../packages/ferrule/src/kind-file/index.ts'
import { groups } from '../../packages/ferrule/src/kind-file/table.ts'
import { readRecordings, testKind } from '../../packages/ferrule/src/kind-recordings/index.ts'
import { root } from '../../scripts/paths.mjs'
import { counter } from './words/counter.ts'
import { depot } from './words/depot.ts'
import { elsewhere, forPeople } from './words/elsewhere.ts'
import { signing, spoken } from './words/spoken.ts'
import { findSpots, type Spots, takeAway } from './words/spots.ts'

const kinds = join(root, 'packages/kinds')
const shipped = (await readdir(kinds)).filter((name) => name.endsWith('.kind.yaml'))
const recorded: Readonly<Record<string, object>> = { depot: depot.recordings, counter: counter.recordings }
const texts: Readonly<Record<string, string>> = {
  ...{ depot: depot.kind, counter: counter.kind, spoken, signing },
  ...Object.fromEntries(await Promise.all(shipped.map(async (name) => [name, await readFile(join(kinds, name), 'utf8')]))),
}
const trees: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(texts).map(([name, text]) => [name, parse(text, { merge: true })]),
)
const spots: Readonly<Record<string, Spots>> = Object.fromEntries(Object.entries(trees).map(([name, tree]) => [name, findSpots(tree)]))
const words = Object.entries(groups).flatMap(([group, { keys }]) =>
  keys.map(({ key, required = false }) => ({ word: `${group}.${key}`, required })),
)

const read = (tree: unknown) => readKind(JSON.stringify(tree), { name: 'kind.json' })

/** Reads the recordings of a kind. */
async function readOwn(name: string) {
  const { file, mistakes } = await readRecordings(JSON.stringify(recorded[name]), { name })
  if (file === undefined) throw new Error(mistakes.map(({ path, message }) => `${path}: ${message}`).join('; '))
  return file
}
const recordings = new Map(await Promise.all(Object.keys(recorded).map(async (name) => [name, await readOwn(name)] as const)))

/** Finds what is wrong with the calls of a kind. */
async function listFailures(name: string, tree: unknown): Promise<readonly string[]> {
  const { definition, mistakes } = await read(tree)
  const own = recordings.get(name)
  if (definition === undefined || own === undefined) return mistakes.map(({ path, message }) => `${path}: ${message}`)
  const files = { kind: name, recordings: name, findPlace: () => ({ line: 1, column: 1 }) }
  const { findings } = await testKind({ definition, rules: {} }, own, files)
  return findings.filter(({ is }) => is === 'failure').map(({ call, message }) => `${call}: ${message}`)
}

const shownElsewhere = new Set([...elsewhere.flatMap((shown) => shown.words), ...forPeople])

test.each(Object.keys(recorded))('the calls of %s are as recorded', async (name) => {
  expect(await listFailures(name, trees[name])).toEqual([])
})

test('each word stands in a file, and each row names a word', async () => {
  for (const text of [spoken, signing]) expect((await readKind(text, { name: 'kind' })).mistakes).toEqual([])
  const known = words.map(({ word }) => word)
  expect(known.filter((word) => Object.values(spots).every((of) => !of.has(word)))).toEqual([])
  expect([...shownElsewhere].filter((word) => !known.includes(word))).toEqual([])
})

const whole = new Map<string, string>()
/** Reads a whole file: its definition as JSON. */
async function readWhole(name: string): Promise<string> {
  const known = whole.get(name) ?? JSON.stringify((await read(trees[name])).definition)
  whole.set(name, known)
  return known
}

describe('without', () => {
  test.each(words)('$word a kind is another one', async ({ word }) => {
    const met: string[] = []
    for (const [name, of] of Object.entries(spots))
      for (const spot of of.get(word)?.slice(0, 2) ?? []) {
        const { definition } = await read(takeAway(trees[name], spot))
        if (JSON.stringify(definition) !== (await readWhole(name))) return
        met.push(`${name} ${spot.join('.')}`)
      }
    expect.fail(`nothing changes: ${met.join(', ')}`)
  })

  const shown = words.filter(({ word, required }) => !required && !shownElsewhere.has(word))
  test.each(shown)('$word calls are others', async ({ word }) => {
    for (const name of recordings.keys())
      for (const spot of spots[name]?.get(word) ?? []) if ((await listFailures(name, takeAway(trees[name], spot))).length > 0) return
    expect.fail('no recorded call shows it')
  })
})

test.each(elsewhere)('$file shows $words', async ({ file, test: title }) => {
  expect(await readFile(join(root, file), 'utf8')).toContain(title)
})
