/** Words that fit at a place of a kind file: from the JSON Schema of kind files, by the indentation of the lines above. */
import { isObject } from 'ferrule/internal'

/** A word to choose. */
export interface KindWord {
  readonly label: string
  /** true: a name with a value behind it. */
  readonly isKey: boolean
  readonly info: string
}

/** Words, and where the typed part of the word begins. */
export interface KindWords {
  readonly from: number
  readonly words: readonly KindWord[]
}

type Schema = Readonly<Record<string, unknown>>

const keyLine = /^(\s*)(?:- )?["']?([\w.-]+)["']?:(?:\s|$)/

/** Lists what a schema can be: references and alternatives are followed. */
function listForms(schema: unknown, root: Schema): readonly Schema[] {
  if (!isObject(schema)) return []
  const { $ref: ref, anyOf } = schema
  const named = typeof ref === 'string' && isObject(root['$defs']) ? root['$defs'][ref.replace('#/$defs/', '')] : undefined
  const others = Array.isArray(anyOf) ? anyOf : []
  return [schema, ...[named, ...others].flatMap((each) => listForms(each, root))]
}

const stepInto = (forms: readonly Schema[], name: string, root: Schema): readonly Schema[] =>
  forms.flatMap((form) => {
    const { properties, additionalProperties, items } = form
    const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties
    return [...listForms(own, root), ...(isObject(items) ? stepInto(listForms(items, root), name, root) : [])]
  })

/** Reads the names above a line that hold it, the outermost first. */
function readPath(lines: readonly string[], indent: number): readonly string[] {
  const path: string[] = []
  let limit = indent
  for (const line of lines.toReversed()) {
    const [, space = '', name] = keyLine.exec(line) ?? []
    if (name === undefined || space.length >= limit) continue
    path.unshift(name)
    limit = space.length
    if (limit === 0) break
  }
  return path
}

const readInfo = ({ description }: Schema): string => (typeof description === 'string' ? description : '')

function listKeys(forms: readonly Schema[], root: Schema): readonly KindWord[] {
  const own = forms.flatMap(({ properties, items }) => [
    ...(isObject(properties) ? Object.entries(properties) : []),
    ...listForms(items, root).flatMap((form) => (isObject(form['properties']) ? Object.entries(form['properties']) : [])),
  ])
  const found = new Map(own.map(([label, schema]) => [label, isObject(schema) ? readInfo(schema) : '']))
  return [...found].map(([label, info]) => ({ label, isKey: true, info }))
}

function listValues(forms: readonly Schema[]): readonly KindWord[] {
  const values = forms.flatMap((form) => [
    ...(Array.isArray(form['enum']) ? form['enum'] : []),
    ...('const' in form ? [form['const']] : []),
    ...(form['type'] === 'boolean' ? [true, false] : []),
  ])
  return [...new Set(values.map(String))].map((label) => ({ label, isKey: false, info: '' }))
}

/**
 * Finds the words that fit at the end of a text.
 * @param root the JSON Schema of kind files
 * @returns undefined where nothing is known
 */
export function findKindWords(text: string, root: Schema): KindWords | undefined {
  const lines = text.split('\n')
  const line = lines.at(-1) ?? ''
  const above = lines.slice(0, -1)
  const reach = (names: readonly string[]) => names.reduce((forms, name) => stepInto(forms, name, root), listForms(root, root))
  const answer = (typed: string, words: readonly KindWord[]): KindWords | undefined =>
    words.length === 0 ? undefined : { from: text.length - typed.length, words }
  const flow = /^(\s*)(?:- )?([\w.-]+):\s*\{(?:[^{}]*,)?\s*([\w-]*)$/.exec(line)
  if (flow !== null) {
    const [, space = '', name = '', typed = ''] = flow
    return answer(typed, listKeys(reach([...readPath(above, space.length), name]), root))
  }
  const value = /^(\s*)(?:- )?([\w.-]+):\s+([\w-]*)$/.exec(line)
  if (value !== null) {
    const [, space = '', name = '', typed = ''] = value
    return answer(typed, listValues(reach([...readPath(above, space.length), name])))
  }
  const key = /^(\s*(?:- )?)([\w-]*)$/.exec(line)
  if (key === null) return undefined
  const [, space = '', typed = ''] = key
  return answer(typed, listKeys(reach(readPath(above, space.length)), root))
}
