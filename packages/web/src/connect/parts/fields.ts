/** Reads the fields of a form from JSON Schema, and their values from the form. */
import { printLabel } from '../../shared/label.ts'
import type { PageKind, PageScheme } from '../view.ts'

/** Member of the request that a field belongs to. */
export type FieldGroup = 'credentials' | 'configuration'
/** What a field looks like. */
export type Control = 'text' | 'password' | 'secret lines' | 'lines' | 'choice' | 'date'

/** Help on where a value is. */
export interface FieldHelp {
  readonly says: string
  readonly menu?: string | undefined
  /** Role that the reader needs at the vendor. */
  readonly role?: string | undefined
  readonly url?: string | undefined
}

/** A field of a form. */
export interface Field {
  /** JSON pointer into the request, which problems name. */
  readonly pointer: string
  readonly group: FieldGroup
  readonly name: string
  readonly label: string
  /** One sentence; '' when the label says it all. */
  readonly about: string
  readonly isRequired: boolean
  readonly control: Control
  readonly choices: readonly string[]
  /** Filled in. */
  readonly value: string
  /** Used when the field stays empty; '' without one. */
  readonly usual: string
  readonly help: FieldHelp | undefined
}

type Schema = Readonly<Record<string, unknown>>

const isSchema = (value: unknown): value is Schema => typeof value === 'object' && value !== null && !Array.isArray(value)
const readText = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
const readTexts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(readText) : [])

const canBeSeveral = ({ anyOf, type }: Schema): boolean =>
  type === 'array' || (Array.isArray(anyOf) && anyOf.some((each) => isSchema(each) && each['type'] === 'array'))

/** Chooses the look of a field. A key in PEM has lines, which a field of one line would lose. */
function chooseControl(schema: Schema): Control {
  if (schema['writeOnly'] === true) return readText(schema['description']).includes('PEM') ? 'secret lines' : 'password'
  if (Array.isArray(schema['enum'])) return 'choice'
  if (canBeSeveral(schema)) return 'lines'
  return schema['format'] === 'date' ? 'date' : 'text'
}

function readHelp(value: unknown): FieldHelp | undefined {
  if (!isSchema(value) || typeof value['says'] !== 'string') return undefined
  const url = readText(value['url'])
  const menu = readText(value['menu']) || undefined
  return { says: value['says'], menu, role: readText(value['role']) || undefined, url: url.startsWith('https://') ? url : undefined }
}

interface FieldSource {
  readonly group: FieldGroup
  readonly schema: Schema | null
  readonly values: Schema
}

/** Lists the fields of one schema, in its order. */
function listGroup({ group, schema, values }: FieldSource): Field[] {
  const properties = isSchema(schema?.['properties']) ? schema['properties'] : {}
  const required = readTexts(schema?.['required'])
  return Object.entries(properties).flatMap(([name, property]): Field[] => {
    if (!isSchema(property)) return []
    const label = readText(property['title']) || printLabel(name)
    const about = readText(property['description'])
    const value = values[name]
    return [
      {
        pointer: `/${group}/${name}`,
        group,
        name,
        label,
        control: chooseControl(property),
        about: about.toLowerCase() === label.toLowerCase() ? '' : about,
        isRequired: required.includes(name),
        choices: readTexts(property['enum']),
        value: Array.isArray(value) ? value.map(readText).join('\n') : readText(value),
        usual: readText(property['default']),
        help: readHelp(property['x-find']),
      },
    ]
  })
}

/** Fields of a form, those to fill in first and those that few need. */
export interface FormFields {
  readonly first: readonly Field[]
  readonly more: readonly Field[]
}

/** Lists the fields of a way to authorize. What few need is apart: optional values of the configuration. */
export function listFields({ configuration, defaults, accounts_field }: PageKind, scheme: PageScheme): FormFields {
  const asked = listGroup({ group: 'configuration', schema: configuration, values: defaults })
  // The accounts are chosen after a consent, and looked up by hand without one.
  const settings = scheme.consent ? asked.filter(({ name }) => name !== accounts_field) : asked
  const isFirst = ({ isRequired, name }: Field) => isRequired || name === accounts_field
  const credentials = listGroup({ group: 'credentials', schema: scheme.consent ? null : scheme.schema, values: {} })
  return { first: [...settings.filter(isFirst), ...credentials], more: settings.filter((field) => !isFirst(field)) }
}

const readValue = ({ control }: Field, text: string): unknown => {
  if (control === 'secret lines') return text
  if (control !== 'lines') return text.trim()
  const lines = text.split(/[\s,;]+/).filter((line) => line !== '')
  return lines.length === 1 ? lines[0] : lines
}

/** Values of a form. */
export interface FormValues {
  readonly credentials: Readonly<Record<string, unknown>>
  readonly configuration: Readonly<Record<string, unknown>>
  /** Pointers of required fields that are empty. */
  readonly missing: readonly string[]
}

/** Reads the values of a form. Empty fields are left out. */
export function readValues(fields: readonly Field[], form: FormData): FormValues {
  const entries = fields.map((field) => ({ field, text: readText(form.get(field.pointer)) }))
  const filled = entries.filter(({ text }) => text.trim() !== '')
  const pick = (group: FieldGroup) =>
    Object.fromEntries(filled.filter(({ field }) => field.group === group).map(({ field, text }) => [field.name, readValue(field, text)]))
  const missing = entries.filter(({ field, text }) => field.isRequired && text.trim() === '').map(({ field }) => field.pointer)
  return { credentials: pick('credentials'), configuration: pick('configuration'), missing }
}
