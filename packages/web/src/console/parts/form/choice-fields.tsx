/** Fields that offer values, and lists of values. */
import { NativeSelect, TagsInput } from '@mantine/core'
import { type FieldProps, readInputProps } from './field.ts'
import { addHelp } from './help.tsx'
import { parseInteger, parseNumber, printPlain } from './numbers.ts'
import { readItems, readTypes } from './schema.ts'

/** A value with what the reader sees. */
type Option = readonly [value: unknown, says: string]

/** Shows values to choose from. The browser's own control works with every keyboard and screen. */
function OptionField({ options, ...props }: FieldProps & { readonly options: readonly Option[] }) {
  const data = options.map(([, says]) => ({ value: says, label: says }))
  const shown = options.find(([value]) => value === props.value)?.[1] ?? ''
  const choose = (text: string) => props.onChange(options.find(([, says]) => says === text)?.[0])
  return (
    <NativeSelect
      {...readInputProps(props)}
      data={[{ value: '', label: '' }, ...data]}
      value={shown}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    />
  )
}

/** Shows the values of an enum. */
export function ChoiceField(props: FieldProps) {
  const choices = Array.isArray(props.schema['enum']) ? props.schema['enum'] : []
  return <OptionField {...props} options={choices.map((each): Option => [each, printPlain(each)])} />
}

/** Shows yes, no, or nothing. */
export function BooleanField(props: FieldProps) {
  const options: readonly Option[] = [
    [true, 'true'],
    [false, 'false'],
  ]
  return <OptionField {...props} options={options} />
}

/** How the text of an item is read, by its type. */
const parsers: Readonly<Record<string, (text: string) => unknown>> = { integer: parseInteger, number: parseNumber }

/** Reads a list; one value stands for a list of one. */
const readList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]

/** Shows a list of texts or numbers; Enter adds one. */
export function ListField(props: FieldProps) {
  const items = readItems(props.schema)
  const parse = parsers[readTypes(items)[0] ?? ''] ?? ((text: string) => text)
  const choices = Array.isArray(items['enum']) ? items['enum'].map(String) : []
  const change = (texts: readonly string[]) => props.onChange(texts.length === 0 ? undefined : texts.map(parse))
  const { description, ...shared } = readInputProps(props)
  return (
    <TagsInput
      {...shared}
      description={addHelp(description, 'Enter adds a value.')}
      data={choices}
      value={readList(props.value).map(printPlain)}
      onChange={change}
      splitChars={['\n', '\t']}
      acceptValueOnBlur
    />
  )
}
