/** The values that people give to a manifest's connector: its specification, and the names that a kind gives them. */
import { isObject } from '../../definition/object.ts'
import { toSlotName, writeSentence } from '../sentences.ts'
import { isScalar, type Values } from './component.ts'
import type { Slot } from './template.ts'

/** One value that people give. */
export interface Setting {
  readonly name: string
  readonly about: string
  readonly isSecret: boolean
  readonly isRequired: boolean
  readonly isNumber: boolean
  readonly isList: boolean
  readonly values: readonly string[]
  /** Values that the specification shows. */
  readonly examples: readonly string[]
  /** Value where people give none. */
  readonly otherwise?: string | number | boolean
}

const listForms = (schema: unknown): readonly Values[] => {
  if (!isObject(schema)) return []
  const more = [schema['oneOf'], schema['anyOf'], schema['allOf']].flatMap((each): unknown[] => (Array.isArray(each) ? each : []))
  return [schema, ...more.filter(isObject)]
}

function listValues(schema: Values): readonly string[] {
  if (schema['type'] === 'boolean') return ['true', 'false']
  const own = Array.isArray(schema['enum']) ? schema['enum'] : []
  const forms = listForms(schema)
    .slice(1)
    .flatMap((form): unknown[] => ('const' in form ? [form['const']] : Array.isArray(form['enum']) ? form['enum'] : []))
  return [...own, ...forms].filter(isScalar).map(String)
}

const readExample = (description: unknown): string =>
  typeof description === 'string' ? (/\b(?:ex|eg|e\.g|example|such as|format)\b[.,:]?\s*(\S+)/i.exec(description)?.[1] ?? '') : ''

/** The values that people give, by their paths. */
export class Settings {
  readonly #schema: unknown
  readonly #names = new Map<string, string>()

  constructor(schema: unknown) {
    this.#schema = schema
  }

  /** Finds a value by a slot such as `config['credentials']['token']`. */
  find({ path, otherwise }: Slot): Setting {
    const keys = path.map(String)
    let forms = listForms(this.#schema)
    let isRequired = true
    let all: readonly Values[] = []
    for (const key of keys) {
      const holders = forms.filter(({ properties }) => isObject(properties) && isObject(properties[key]))
      const [holder] = holders
      all = holders.flatMap(({ properties }) => (isObject(properties) && isObject(properties[key]) ? [properties[key]] : []))
      isRequired &&= Array.isArray(holder?.['required']) && holder['required'].includes(key)
      forms = all.flatMap(listForms)
    }
    const [found = {}] = all
    const name = this.#name(keys)
    const own = otherwise ?? (isScalar(found['default']) ? found['default'] : undefined)
    const type = [found['type']].flat()
    return {
      ...{
        name,
        about: writeSentence(found['title'] ?? found['description'], name),
        isSecret: found['airbyte_secret'] === true,
        isRequired,
      },
      ...{
        isNumber: type.includes('integer') || type.includes('number'),
        isList: type.includes('array'),
        values: [...new Set(all.flatMap(listValues))],
      },
      examples: [found['examples'] ?? [], found['pattern'] ?? [], found['default'] ?? [], readExample(found['description'])]
        .flat()
        .filter((each) => typeof each === 'string'),
      ...(own === undefined || own === '' ? {} : { otherwise: own }),
    }
  }

  /** Names a value by the last step of its path, or by two where another value has that name. */
  #name(keys: readonly string[]): string {
    const id = keys.join('\u0000')
    const short = toSlotName(keys.at(-1) ?? 'value')
    const name = [...this.#names].some(([path, taken]) => taken === short && path !== id) ? toSlotName(keys.slice(-2).join('_')) : short
    const known = this.#names.get(id) ?? name
    this.#names.set(id, known)
    return known
  }
}
