/** Checks the tree of a file against the table, and makes plain values of it. All mistakes are noted, each with its place. */
import { pointTo } from '../values/json/pointer.ts'
import { isShortField, parseShortField } from './field-text.ts'
import { type FormName, textForms } from './forms.ts'
import { type Mistake, type Place, type Said, sayUnknown } from './mistakes.ts'
import { type FieldUse, type KeyGroup, type KeyRow, longest, type Shape } from './shape.ts'
import { groups } from './table.ts'
import type { Entry, Tree } from './tree.ts'

/** Steps from the top of the file to a value. */
export type Steps = readonly string[]

/** Most fields of one map with all inner ones, their deepest nesting, and most fields of a file with those that groups of types bring. */
export const most = { fields: 500, depth: 5, inAll: 20_000 } as const

/** What was found in one file: mistakes, doubts, and the places of all values. */
export class Findings {
  readonly mistakes: Mistake[] = []
  readonly doubts: Mistake[] = []
  readonly file: string
  /** Number of fields that were built. */
  fields = 0
  readonly #noted = new Set<string>()
  readonly #keys = new Map<string, Place>()
  readonly #values = new Map<string, Place>()
  readonly #examples = new Map<string, string>()

  constructor(file: string) {
    this.file = file
  }

  rememberKey(steps: Steps, at: Place): void {
    this.#keys.set(pointTo('', ...steps), at)
  }

  /** Notes where a text or a list stands. A map is found by its key. */
  rememberValue(steps: Steps, at: Place): void {
    this.#values.set(pointTo('', ...steps), at)
  }

  rememberExample(steps: Steps, example: string): void {
    this.#examples.set(pointTo('', ...steps), example)
  }

  /** Finds how a value is written, else what holds it. */
  #findExample(steps: Steps): string | undefined {
    return this.#examples.get(pointTo('', ...steps)) ?? (steps.length === 0 ? undefined : this.#findExample(steps.slice(0, -1)))
  }

  /** Finds the place of a value, or of its key, else of what holds it. */
  findPlace(steps: Steps, which: 'value' | 'key' = 'value'): Place {
    const pointer = pointTo('', ...steps)
    const at = (which === 'value' ? this.#values.get(pointer) : undefined) ?? this.#keys.get(pointer) ?? this.#values.get(pointer)
    return at ?? (steps.length === 0 ? { line: 1, column: 1 } : this.findPlace(steps.slice(0, -1), 'key'))
  }

  has(steps: Steps): boolean {
    const pointer = pointTo('', ...steps)
    return this.#keys.has(pointer) || this.#values.has(pointer)
  }

  note(steps: Steps, said: Said, where: 'value' | 'key' | Place = 'value'): void {
    const at = typeof where === 'string' ? this.findPlace(steps, where) : where
    const name = `${at.line}:${at.column} ${said.message}`
    const example = said.example ?? this.#findExample(steps)
    if (!this.#noted.has(name))
      this.mistakes.push({ file: this.file, ...at, path: steps.join('.'), ...said, ...(example === undefined ? {} : { example }) })
    this.#noted.add(name)
  }

  /** Notes a doubt at a value. */
  doubt(steps: Steps, said: Said): void {
    this.doubts.push({ file: this.file, ...this.findPlace(steps), path: steps.join('.'), ...said })
  }
}

const describe = (tree: Tree): string => {
  if (tree.is === 'list') return 'a list'
  if (tree.is === 'map') return 'a map'
  return typeof tree.value === 'string' ? 'a text' : JSON.stringify(tree.value)
}

type Table = Readonly<Record<string, KeyGroup>>

const expect = (shape: Shape, table: Table): string => {
  switch (shape.is) {
    case 'text':
      return shape.form === undefined ? 'a text' : textForms[shape.form].says
    case 'word':
      return `one of ${shape.words.join(', ')}`
    case 'flag':
      return 'true or false'
    case 'number':
      return 'a whole number'
    case 'scalar':
      return 'a text, a number, true or false'
    case 'list':
      return 'a list'
    case 'keys':
      return `a map with ${(table[shape.group]?.keys ?? []).map(({ key }) => key).join(', ')}`
    case 'either':
      return shape.of.map((each) => expect(each, table)).join('; or ')
    case 'value':
      return 'a value'
    case 'fields':
      return 'a map of fields'
    default:
      return 'a map'
  }
}

const fits = (shape: Shape, { is }: Tree): boolean => {
  if (shape.is === 'value') return true
  if (shape.is === 'list') return is === 'list'
  if (['map', 'keys', 'pair', 'fields'].includes(shape.is)) return is === 'map'
  return shape.is === 'either' ? true : is === 'scalar'
}

/** Checks values against shapes. */
export class TreeChecker {
  readonly #found: Findings
  readonly #table: Table
  #fields = 0

  /** @param table the keys of the file; those of kind files if omitted */
  constructor(found: Findings, table: Table = groups) {
    this.#found = found
    this.#table = table
  }

  /** Checks a value. @returns it as plain data; undefined if it is wrong */
  check(tree: Tree, shape: Shape, steps: Steps, row?: KeyRow): unknown {
    if (tree.is !== 'map' || steps.length === 0) this.#found.rememberValue(steps, tree.at)
    if (!fits(shape, tree))
      return this.#refuse(tree, steps, { message: `must be ${expect(shape, this.#table)}, and is ${describe(tree)}` }, row)
    switch (shape.is) {
      case 'either':
        return this.#checkEither(tree, shape.of, steps, row)
      case 'list':
        return tree.is === 'list' ? this.#checkList(tree, shape.of, steps, row) : undefined
      case 'map':
        return tree.is === 'map' ? this.#checkMap(tree, shape, steps, row) : undefined
      case 'keys':
        return tree.is === 'map' ? this.#checkKeys(tree, shape.group, steps) : undefined
      case 'pair':
        return this.#checkPair(tree, shape, steps, row)
      case 'fields':
        return this.#checkTopFields(tree, shape.use, steps)
      case 'value':
        return this.#readValue(tree, steps)
      default:
        return tree.is === 'scalar' ? this.#checkScalar(tree, shape, steps, row) : undefined
    }
  }

  #checkList({ items }: Extract<Tree, { is: 'list' }>, of: Shape, steps: Steps, row?: KeyRow): unknown {
    return items.map((item, index) => {
      const inner = [...steps, String(index)]
      this.#found.rememberValue(inner, item.at)
      return this.check(item, of, inner, row)
    })
  }

  #refuse(tree: { readonly at: Place }, steps: Steps, said: Said, row?: KeyRow): undefined {
    const example = said.example ?? row?.example
    this.#found.note(steps, example === undefined ? said : { ...said, example }, tree.at)
    return undefined
  }

  #checkEither(tree: Tree, of: readonly Shape[], steps: Steps, row?: KeyRow): unknown {
    const found = of.find((shape) => fits(shape, tree))
    if (found !== undefined) return this.check(tree, found, steps, row)
    const expected = of.map((shape) => expect(shape, this.#table)).join('; or ')
    return this.#refuse(tree, steps, { message: `must be ${expected}; it is ${describe(tree)}` }, row)
  }

  #checkScalar(tree: Extract<Tree, { is: 'scalar' }>, shape: Shape, steps: Steps, row?: KeyRow): unknown {
    const { value, text } = tree
    switch (shape.is) {
      case 'flag':
        return typeof value === 'boolean' ? value : this.#refuse(tree, steps, { message: `must be true or false, and is ${text}` }, row)
      case 'number': {
        const isRight = typeof value === 'number' && Number.isSafeInteger(value) && value >= shape.least
        return isRight ? value : this.#refuse(tree, steps, { message: `must be a whole number from ${shape.least}, and is ${text}` }, row)
      }
      case 'word':
        return shape.words.includes(text) ? text : this.#refuse(tree, steps, sayUnknown('a word for this', text, shape.words), row)
      case 'scalar':
        return value ?? this.#refuse(tree, steps, { message: 'has no value' }, row)
      default:
        return shape.is === 'text' ? this.#checkText(tree, shape, steps, row) : undefined
    }
  }

  #checkText(
    { at, text, value }: Extract<Tree, { is: 'scalar' }>,
    shape: Extract<Shape, { is: 'text' }>,
    steps: Steps,
    row?: KeyRow,
  ): unknown {
    const { form, most: longestText = 8_000 } = shape
    if (typeof value === 'boolean') return this.#refuse({ at }, steps, { message: `must be a text, and is ${text}: quote it` }, row)
    if (text.trim() === '') return this.#refuse({ at }, steps, { message: 'is empty' }, row)
    if (text.length > longestText)
      return this.#refuse({ at }, steps, { message: `has ${text.length} characters; at most ${longestText} are allowed` }, row)
    if (hasControls(text)) return this.#refuse({ at }, steps, { message: 'holds a control character' }, row)
    return this.#hasForm(text, form) ? text : this.#refuse({ at }, steps, sayForm(text, form), row)
  }

  #hasForm(text: string, form: FormName | undefined): boolean {
    if (form === undefined) return true
    const bound = form === 'path' || form === 'name' || form === 'entity' || form === 'word' ? longest.name * 4 : 2_000
    return text.length <= bound && patternOf(form).test(text)
  }

  #checkName({ key, at }: Entry, form: FormName, steps: Steps, row?: KeyRow): boolean {
    const limit = form === 'condition' ? longest.sentence : form === 'path' ? longest.name * 4 : longest.name
    if (key.length > limit)
      this.#refuse({ at }, steps, { message: `the name has ${key.length} characters; at most ${limit} are allowed` }, row)
    else if (!this.#hasForm(key, form)) this.#refuse({ at }, steps, sayForm(key, form), row)
    else return true
    return false
  }

  #checkMap(tree: Extract<Tree, { is: 'map' }>, shape: Extract<Shape, { is: 'map' }>, steps: Steps, row?: KeyRow): unknown {
    const { most: limit } = shape
    if (tree.entries.length === 0) return this.#refuse(tree, steps, { message: 'is empty' }, row)
    if (limit !== undefined && tree.entries.length > limit)
      return this.#refuse(
        tree,
        steps,
        { message: `has ${tree.entries.length} entries; at most ${limit} are allowed` },
        limit === 1 ? row : undefined,
      )
    return Object.fromEntries(
      tree.entries.flatMap((entry) => {
        const inner = [...steps, entry.key]
        this.#found.rememberKey(inner, entry.at)
        return this.#checkName(entry, shape.names, inner, row) ? [[entry.key, this.check(entry.value, shape.of, inner, row)] as const] : []
      }),
    )
  }

  #checkPair(tree: Tree, shape: Extract<Shape, { is: 'pair' }>, steps: Steps, row?: KeyRow): unknown {
    if (tree.is !== 'map') return undefined
    if (tree.entries.some(({ key }) => key === shape.known)) return this.#checkKeys(tree, shape.group, steps)
    return this.#checkMap(tree, { is: 'map', names: shape.names, of: shape.of, most: 1 }, steps, row)
  }

  #checkKeys(tree: Extract<Tree, { is: 'map' }>, group: string, steps: Steps): unknown {
    const rows = this.#table[group]?.keys ?? []
    const names = rows.map(({ key }) => key)
    const made: Record<string, unknown> = {}
    for (const { key, at, value } of tree.entries) {
      const row = rows.find((each) => each.key === key)
      const inner = [...steps, key]
      this.#found.rememberKey(inner, at)
      if (row === undefined) {
        const said = sayUnknown(`a key of ${this.#table[group]?.title ?? group}`, key, names)
        const near = rows.find((each) => each.key === said.near)
        this.#found.note(inner, near === undefined ? said : { ...said, example: near.example }, at)
      } else {
        this.#found.rememberExample(inner, row.example)
        made[key] = this.check(value, row.holds, inner, row)
      }
    }
    for (const { key, required, example } of rows)
      if (required && !tree.entries.some((entry) => entry.key === key)) this.#found.note(steps, { message: `lacks ${key}`, example })
    return made
  }

  #readValue(tree: Tree, steps: Steps): unknown {
    this.#found.rememberValue(steps, tree.at)
    if (tree.is === 'scalar') return tree.value
    if (tree.is === 'list') return tree.items.map((item, index) => this.#readValue(item, [...steps, String(index)]))
    return Object.fromEntries(tree.entries.map(({ key, value }) => [key, this.#readValue(value, [...steps, key])]))
  }

  #checkTopFields(tree: Tree, use: FieldUse, steps: Steps): unknown {
    this.#fields = 0
    const made = this.#checkFields(tree, use, steps, 1)
    if (this.#fields > most.fields) this.#found.note(steps, { message: `has ${this.#fields} fields; at most ${most.fields} are allowed` })
    return made
  }

  #checkFields(tree: Tree, use: FieldUse, steps: Steps, depth: number): unknown {
    if (tree.is !== 'map') return this.#refuse(tree, steps, { message: `must be a map of fields, and is ${describe(tree)}` })
    if (depth > most.depth)
      return this.#refuse(tree, steps, {
        message: `fields are nested more than ${most.depth} levels deep`,
        example: 'address: object? Address',
      })
    return Object.fromEntries(
      tree.entries.flatMap((entry) => {
        const inner = [...steps, entry.key]
        this.#found.rememberKey(inner, entry.at)
        if (entry.key === '+') return [['+', this.check(entry.value, includes, inner)] as const]
        if (entry.key.startsWith('$')) return this.#checkMark(entry, use, inner, depth)
        this.#fields += 1
        return this.#checkName(entry, 'name', inner) ? [[entry.key, this.#checkField(entry.value, use, inner, depth)] as const] : []
      }),
    )
  }

  #checkMark({ key, at, value }: Entry, use: FieldUse, steps: Steps, depth: number): [string, unknown][] {
    const rows = groups['field']?.keys ?? []
    const row = rows.find((each) => each.key === key)
    if (row === undefined) {
      this.#found.note(
        steps,
        sayUnknown(
          'a key of a field',
          key,
          rows.map((each) => each.key),
        ),
        at,
      )
      return []
    }
    if (row.holds.is === 'fields') return [[key, this.#checkFields(value, use, steps, depth)]]
    const checked = this.check(value, row.holds, steps, row)
    if (key === '$type' && typeof checked === 'string') this.#checkShort(checked, value, use, steps)
    return [[key, checked]]
  }

  #checkShort(text: string, tree: Tree, use: FieldUse, steps: Steps): void {
    const read = parseShortField(text, use)
    if (!isShortField(read)) this.#found.note(steps, read, tree.at)
    else if ((read.about?.length ?? 0) > longest.sentence)
      this.#found.note(
        steps,
        { message: `the sentence has ${read.about?.length} characters; at most ${longest.sentence} are allowed` },
        tree.at,
      )
    else if (hasControls(text)) this.#found.note(steps, { message: 'holds a control character' }, tree.at)
  }

  #checkField(tree: Tree, use: FieldUse, steps: Steps, depth: number): unknown {
    if (tree.is !== 'map') this.#found.rememberValue(steps, tree.at)
    if (tree.is === 'map') return this.#checkFields(tree, use, steps, depth + 1)
    if (tree.is === 'list') {
      const [item, ...more] = tree.items
      if (item !== undefined && more.length === 0) return [this.#checkField(item, use, [...steps, '0'], depth)]
      return this.#refuse(tree, steps, {
        message: 'a list of fields has one element: what each of its elements is',
        example: 'labels: [{ id: integer Id, name: string Name }]',
      })
    }
    if (typeof tree.value !== 'string')
      return this.#refuse(tree, steps, {
        message: `must be a type with a sentence, and is ${tree.text}`,
        example: 'id: string Id of the record',
      })
    this.#checkShort(tree.value, tree, use, steps)
    return tree.value
  }
}

const includes: Shape = {
  is: 'either',
  of: [
    { is: 'text', form: 'word' },
    { is: 'list', of: { is: 'text', form: 'word' } },
  ],
}

// Control characters would reach terminals and the prompts of agents.
const hasControls = (text: string): boolean => /[^\P{Cc}\t\n\r]|[\u202a-\u202e\u2066-\u2069]/u.test(text)

const patterns = new Map<FormName, RegExp>()
const patternOf = (form: FormName): RegExp => {
  const known = patterns.get(form) ?? new RegExp(textForms[form].pattern, 'u')
  patterns.set(form, known)
  return known
}

const sayForm = (text: string, form: FormName | undefined): Said => {
  if (form === undefined) return { message: 'is not right' }
  const { says, example } = textForms[form]
  return { message: `${text.length > 80 ? `${text.slice(0, 80)}…` : text} must be ${says}`, example }
}
