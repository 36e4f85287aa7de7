/** Prints the table of kind files as JSON Schema (draft 2020-12), with which editors complete and check files. */
import { dropAbsent } from '../definition/object.ts'
import { textForms } from './forms.ts'
import { type FieldUse, type KeyGroup, longest, type Shape } from './shape.ts'
import { groups } from './table.ts'
import { listFieldTypes } from './vocabulary.ts'

type Json = Readonly<Record<string, unknown>>

const ref = (name: string): Json => ({ $ref: `#/$defs/${name}` })

const printText = ({ form, most }: Extract<Shape, { is: 'text' }>): Json => ({
  type: ['string', 'number'],
  minLength: 1,
  ...dropAbsent({ maxLength: most, pattern: form && textForms[form].pattern }),
})

const printMap = (names: keyof typeof textForms, of: Json, most?: number): Json => ({
  type: 'object',
  propertyNames: { pattern: textForms[names].pattern },
  additionalProperties: of,
  minProperties: 1,
  ...dropAbsent({ maxProperties: most }),
})

function printShape(shape: Shape): Json {
  switch (shape.is) {
    case 'text':
      return printText(shape)
    case 'word':
      return { enum: shape.words.flatMap((each) => (/^\d+$/.test(each) ? [each, Number(each)] : [each])) }
    case 'flag':
      return { type: 'boolean' }
    case 'number':
      return { type: 'integer', minimum: shape.least }
    case 'scalar':
      return { type: ['string', 'number', 'boolean'] }
    case 'value':
      return {}
    case 'list':
      return { type: 'array', items: printShape(shape.of) }
    case 'map':
      return printMap(shape.names, printShape(shape.of), shape.most)
    case 'keys':
      return ref(shape.group)
    case 'pair':
      return { anyOf: [ref(shape.group), printMap(shape.names, printShape(shape.of), 1)] }
    case 'either':
      return { anyOf: shape.of.map(printShape) }
    case 'fields':
      return ref(`fields_${shape.use}`)
  }
}

const printGroup = ({ title, keys }: KeyGroup): Json => ({
  title,
  type: 'object',
  additionalProperties: false,
  required: keys.filter(({ required }) => required).map(({ key }) => key),
  properties: Object.fromEntries(
    keys.map(({ key, holds, about, example, without }) => [
      key,
      { description: `${about}.${without === undefined ? '' : ` Without it: ${without}.`} Example: ${example}`, ...printShape(holds) },
    ]),
  ),
})

const marks: Readonly<Record<FieldUse, string>> = {
  record: '\\??',
  parameter: '!?',
  credential: '\\??',
  configuration: '\\??',
  any: '[?!]?',
}

function printFields(use: FieldUse): [string, Json][] {
  const types = listFieldTypes(use)
  const short = {
    type: 'string',
    pattern: `^(?:${types.join('|')}|[^\\s|]+(?:\\|[^\\s|]+)+)(?:\\[\\])?${marks[use]}(?:\\s[\\s\\S]*)?$`,
    maxLength: longest.sentence * 2,
  }
  const full = Object.fromEntries(
    (groups['field']?.keys ?? []).map(({ key, holds, about }) => [key, { description: about, ...printShape(holds) }]),
  )
  const inner = ref(`field_${use}`)
  return [
    [
      `field_${use}`,
      {
        anyOf: [short, { type: 'array', items: inner, minItems: 1, maxItems: 1 }, ref(`fields_${use}`)],
        examples: types.map((type) => `${type} Sentence`),
      },
    ],
    [
      `fields_${use}`,
      {
        type: 'object',
        properties: {
          '+': {
            description: 'Groups of types that are taken in.',
            ...printShape({
              is: 'either',
              of: [
                { is: 'text', form: 'word' },
                { is: 'list', of: { is: 'text', form: 'word' } },
              ],
            }),
          },
          ...full,
        },
        additionalProperties: inner,
      },
    ],
  ]
}

/** Prints the schema of a sort of file without fields. @param top the group that is the whole file */
export function printTableSchema(table: Readonly<Record<string, KeyGroup>>, top: string, title: string): Json & { readonly $defs: Json } {
  const { [top]: file, ...others } = table
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...(file === undefined ? {} : printGroup({ ...file, title })),
    $defs: Object.fromEntries(Object.entries(others).map(([name, group]) => [name, printGroup(group)] as const)),
  }
}

/** Prints the schema of kind files. */
export function printSchema(): Json {
  const { field: _field, ...others } = groups
  const uses: readonly FieldUse[] = ['record', 'parameter', 'credential', 'configuration', 'any']
  const { $defs, ...whole } = printTableSchema(others, 'kind', 'A kind of Ferrule')
  return { ...whole, $defs: { ...$defs, ...Object.fromEntries(uses.flatMap(printFields)) } }
}
