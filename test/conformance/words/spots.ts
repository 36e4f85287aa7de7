/** Where the words of the table stand in a file. */
import type { Shape } from '../../../packages/ferrule/src/kind-file/shape.ts'
import { groups } from '../../../packages/ferrule/src/kind-file/table.ts'

/** Steps from the top of a file to a key. */
export type Spot = readonly (string | number)[]
/** Word, such as `sync.each` → where it stands. */
export type Spots = ReadonlyMap<string, readonly Spot[]>

const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)

/** Lists what a map or a list holds. */
const listInner = (value: unknown): readonly (readonly [string | number, unknown])[] => {
  if (isList(value)) return [...value.entries()]
  return isMap(value) ? Object.entries(value) : []
}

/** Shapes that are written as a map. */
const maps = new Set(['map', 'keys', 'pair', 'fields', 'value'])
const isWrittenSo = ({ is }: Shape, value: unknown): boolean => {
  if (isMap(value)) return maps.has(is)
  return isList(value) ? is === 'list' || is === 'value' : !maps.has(is) && is !== 'list'
}

class Walk {
  readonly found = new Map<string, Spot[]>()

  #note(word: string, spot: Spot): void {
    this.found.set(word, [...(this.found.get(word) ?? []), spot])
  }

  /** Walks the keys of a group. */
  walkKeys(value: unknown, group: string, at: Spot): void {
    for (const [name, inner] of listInner(value)) {
      const row = groups[group]?.keys.find(({ key }) => key === name)
      if (row === undefined) continue
      this.#note(`${group}.${name}`, [...at, name])
      this.#walk(inner, row.holds, [...at, name])
    }
  }

  #walkFields(value: unknown, at: Spot): void {
    for (const [name, inner] of listInner(value)) {
      const isMark = String(name).startsWith('$')
      if (isMark) this.#note(`field.${name}`, [...at, name])
      if (name !== '+' && (!isMark || name === '$fields')) this.#walkFields(inner, [...at, name])
    }
  }

  #walk(value: unknown, shape: Shape, at: Spot): void {
    if (shape.is === 'fields') this.#walkFields(value, at)
    else if (shape.is === 'keys') this.walkKeys(value, shape.group, at)
    else if (shape.is === 'pair' && isMap(value) && shape.known in value) this.walkKeys(value, shape.group, at)
    else if (shape.is === 'map' || shape.is === 'list' || shape.is === 'pair')
      for (const [name, inner] of listInner(value)) this.#walk(inner, shape.of, [...at, name])
    else if (shape.is === 'either') for (const one of shape.of.filter((each) => isWrittenSo(each, value))) this.#walk(value, one, at)
  }
}

/** Finds where the words of the table stand in a file. @param tree the file as JSON */
export function findSpots(tree: unknown): Spots {
  const walk = new Walk()
  walk.walkKeys(tree, 'kind', [])
  return walk.found
}

/** Returns a file without one key. */
export function takeAway(value: unknown, [step, ...rest]: Spot): unknown {
  if (step === undefined) return value
  if (isList(value)) return value.map((inner, index) => (index === step ? takeAway(inner, rest) : inner))
  if (!isMap(value)) return value
  const entries = Object.entries(value)
  if (rest.length === 0) return Object.fromEntries(entries.filter(([name]) => name !== step))
  return Object.fromEntries(entries.map(([name, inner]) => [name, name === step ? takeAway(inner, rest) : inner]))
}
