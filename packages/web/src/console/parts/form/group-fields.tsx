/** Fields that hold fields: objects, and lists of objects. */
import { Button, Fieldset, Group, NativeSelect, Stack, TagsInput, Text } from '@mantine/core'
import { isObject, pointTo } from 'ferrule/internal'
import { type ComponentType, useState } from 'react'
import { type FieldProps, readGroupError, readInputProps } from './field.ts'
import { addHelp, readHelp } from './help.tsx'
import { type FieldKind, findKind, type Property, readItems, readProperties, readTypes, type Schema } from './schema.ts'
import {
  DateField,
  DateTimeField,
  FixedField,
  IntegerField,
  JsonField,
  LinesField,
  NumberField,
  SecretField,
  SecretLinesField,
  TextField,
} from './text-fields.tsx'
import { parseInteger, parseNumber, printPlain } from './values.ts'

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
function ChoiceField(props: FieldProps) {
  const choices = Array.isArray(props.schema['enum']) ? props.schema['enum'] : []
  return <OptionField {...props} options={choices.map((each): Option => [each, printPlain(each)])} />
}

/** Shows yes, no, or nothing. */
function BooleanField(props: FieldProps) {
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
function ListField(props: FieldProps) {
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

/** The component of each kind of field. */
const components: Readonly<Record<FieldKind, ComponentType<FieldProps>>> = {
  fixed: FixedField,
  choice: ChoiceField,
  boolean: BooleanField,
  secret: SecretField,
  secretLines: SecretLinesField,
  date: DateField,
  dateTime: DateTimeField,
  integer: IntegerField,
  number: NumberField,
  text: TextField,
  lines: LinesField,
  list: ListField,
  objects: ObjectsField,
  object: ObjectField,
  json: JsonField,
}

/** What a group of fields gets. */
export interface PropertiesProps extends Pick<FieldProps, 'schema' | 'at' | 'problems' | 'isDisabled'> {
  readonly value: Schema
  readonly onChange: (value: Schema) => void
  /** Names of properties that cannot be changed. */
  readonly locked?: readonly string[]
}

/** Shows one property. */
function PropertyField({ property, ...group }: PropertiesProps & { readonly property: Property }) {
  const { name, schema, isRequired } = property
  const { value, onChange, at, problems, isDisabled, locked = [] } = group
  const Field = components[findKind(schema)]
  const change = (inner: unknown) => {
    const { [name]: _before, ...others } = value
    onChange(inner === undefined ? others : { ...value, [name]: inner })
  }
  const { title } = schema
  return (
    <Field
      label={typeof title === 'string' ? title : name}
      schema={schema}
      value={value[name]}
      onChange={change}
      at={pointTo(at, name)}
      problems={problems}
      isRequired={isRequired}
      isDisabled={isDisabled || locked.includes(name)}
    />
  )
}

/** Optional fields beyond this number are folded until they are asked for. */
const shownOptional = 6

/** Shows the properties of an object, the required ones first. Many optional ones are folded, unless they have a value or a problem. */
export function Properties(props: PropertiesProps) {
  const [isOpen, setIsOpen] = useState(false)
  const all = readProperties(props.schema)
  const isNeeded = ({ name, isRequired }: Property): boolean =>
    isRequired || props.value[name] !== undefined || props.problems.some(({ field }) => field.startsWith(pointTo(props.at, name)))
  const needed = all.filter(isNeeded)
  const others = all.filter((property) => !isNeeded(property))
  const canFold = others.length > shownOptional
  const shown = canFold && !isOpen ? needed : all
  return (
    <Stack gap="sm">
      {shown.map((property) => (
        <PropertyField key={property.name} {...props} property={property} />
      ))}
      {canFold && !isOpen && (
        <Button variant="default" size="compact-sm" style={{ alignSelf: 'flex-start' }} onClick={() => setIsOpen(true)}>
          Show {others.length} more fields
        </Button>
      )}
    </Stack>
  )
}

/** Shows an object as a group with its fields. An optional object without values is left out. */
function ObjectField(props: FieldProps) {
  const { label, schema, value, onChange, at, problems, isRequired, isDisabled } = props
  const error = readGroupError(props)
  const change = (inner: Schema) => onChange(Object.keys(inner).length === 0 && !isRequired ? undefined : inner)
  return (
    <Fieldset legend={isRequired ? `${label} (required)` : label} disabled={isDisabled}>
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          {readHelp(schema)}
        </Text>
        {error !== undefined && (
          <Text size="xs" c="var(--mantine-color-error)">
            {error}
          </Text>
        )}
        <Properties
          schema={schema}
          value={isObject(value) ? value : {}}
          onChange={change}
          at={at}
          problems={problems}
          isDisabled={isDisabled}
        />
      </Stack>
    </Fieldset>
  )
}

/** Shows one object of a list. */
function ObjectItem({ index, onRemove, ...props }: FieldProps & { readonly index: number; readonly onRemove: () => void }) {
  return (
    <Stack gap="xs">
      <ObjectField {...props} label={`${props.label} ${index + 1}`} at={pointTo(props.at, index)} isRequired />
      <Group justify="flex-end">
        <Button variant="default" size="compact-sm" onClick={onRemove}>
          Remove {props.label} {index + 1}
        </Button>
      </Group>
    </Stack>
  )
}

/** Shows a list of objects: each as a group. */
function ObjectsField(props: FieldProps) {
  const items = Array.isArray(props.value) ? (props.value as readonly unknown[]) : []
  const change = (values: readonly unknown[]) => props.onChange(values.length === 0 && !props.isRequired ? undefined : values)
  return (
    <Fieldset legend={props.label} disabled={props.isDisabled}>
      <Stack gap="sm">
        <Text size="xs" c="dimmed">
          {readHelp(props.schema)}
        </Text>
        {items.map((item, index) => (
          <ObjectItem
            // biome-ignore lint/suspicious/noArrayIndexKey: the items have no name but their index
            key={index}
            {...props}
            index={index}
            schema={readItems(props.schema)}
            value={item}
            onChange={(value) => change(items.with(index, value ?? {}))}
            onRemove={() => change(items.toSpliced(index, 1))}
          />
        ))}
        <Button variant="default" size="compact-sm" style={{ alignSelf: 'flex-start' }} onClick={() => change([...items, {}])}>
          Add {props.label}
        </Button>
      </Stack>
    </Fieldset>
  )
}
