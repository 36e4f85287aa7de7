/**
 * A form for a JSON Schema: parameters of an operation, or configuration and credentials of a kind. Numbers keep every digit, and times are in
 * the zone of the reader.
 */

import {
  Anchor,
  Fieldset,
  Group,
  NativeSelect,
  PasswordInput,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  VisuallyHidden,
} from '@mantine/core'
import type { Problem } from 'ferrule/core'
import { formatJson, isObject, pointTo, tryReadJson } from 'ferrule/internal'
import { type ComponentType, type HTMLAttributes, type ReactNode, useState } from 'react'
import { printLabel } from '../../../shared/label.ts'
import { Quiet, SmallButton } from '../looks.tsx'
import { printProblemsAt, printProblemsWithin } from './problems.ts'
import {
  type FieldKind,
  findKind,
  type Property,
  parseInteger,
  parseLocal,
  parseNumber,
  printLocal,
  printPlain,
  readItems,
  readProperties,
  readText,
  readTypes,
  type Schema,
} from './schema.ts'
import { bindValue } from './text-entry.ts'

interface FieldProps {
  readonly label: string
  /** What programs call it; left out where it has no name of its own. */
  readonly name?: string | undefined
  readonly schema: Schema
  /** undefined: nothing was entered. */
  readonly value: unknown
  /** Receives undefined when the value was removed. */
  readonly onChange: (value: unknown) => void
  /** JSON pointer of the value, as the service names it. */
  readonly at: string
  readonly problems: readonly Problem[]
  readonly isRequired: boolean
  readonly isDisabled: boolean
}

function readExample({ examples }: Schema): string | undefined {
  return Array.isArray(examples) && examples.length > 0 ? String(examples[0]) : undefined
}

/** Returns the props that all of Mantine's inputs share. */
const readInputProps = ({ label, name, schema, at, problems, isRequired, isDisabled }: FieldProps) => ({
  label: <FieldLabel label={label} name={name} />,
  description: readHelp(schema),
  required: isRequired,
  disabled: isDisabled,
  error: printProblemsWithin(problems, at),
  inputContainer: (input: ReactNode) => (
    <>
      {input}
      <Finding schema={schema} label={label} />
    </>
  ),
})

/** Nothing of a form is completed from other sites' forms. */
const plain = { autoComplete: 'off', spellCheck: false } as const
/** A field of several lines of code. */
const manyLines = { autosize: true, minRows: 2, maxRows: 12, classNames: { input: 'mono' } } as const

/** Holds the text of a field as it was typed, as long as it means the value. */
function useTyped(
  value: unknown,
  { parse, print, onChange }: { parse: (text: string) => unknown; print: (value: unknown) => string; onChange: (value: unknown) => void },
) {
  const [typed, setTyped] = useState('')
  const means = parse(typed)
  return {
    value: means === value || print(means) === print(value) ? typed : print(value),
    onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => {
      setTyped(currentTarget.value)
      onChange(parse(currentTarget.value))
    },
  }
}

const parseText = (text: string): string | undefined => (text === '' ? undefined : text)

const makeLine = (parse: (text: string) => unknown, inputMode: HTMLAttributes<HTMLInputElement>['inputMode']) =>
  function LineField(props: FieldProps) {
    const typed = useTyped(props.value, { parse, print: printPlain, onChange: props.onChange })
    return <TextInput {...plain} {...readInputProps(props)} {...typed} inputMode={inputMode} placeholder={readExample(props.schema)} />
  }

const TextField = makeLine(parseText, 'text')
/** A whole number of any length. */
const IntegerField = makeLine(parseInteger, 'numeric')
const NumberField = makeLine(parseNumber, 'decimal')

/** Shows a text of several lines, such as a statement. */
function LinesField(props: FieldProps) {
  const typed = useTyped(props.value, { parse: parseText, print: printPlain, onChange: props.onChange })
  return <Textarea {...plain} {...readInputProps(props)} {...typed} {...manyLines} placeholder={readExample(props.schema)} />
}

function SecretField(props: FieldProps) {
  const typed = useTyped(props.value, { parse: parseText, print: printPlain, onChange: props.onChange })
  const toggle = { 'aria-label': `Show ${props.label}` }
  const shared = readInputProps(props)
  return (
    <PasswordInput
      {...plain}
      {...shared}
      {...typed}
      aria-invalid={shared.error !== undefined} // this component of Mantine leaves it out
      autoComplete="new-password"
      visibilityToggleButtonProps={toggle}
    />
  )
}

/** Shows a secret of several lines, such as a key in PEM; its characters are covered. */
function SecretLinesField(props: FieldProps) {
  const typed = useTyped(props.value, { parse: parseText, print: printPlain, onChange: props.onChange })
  return <Textarea {...plain} {...readInputProps(props)} {...typed} autosize minRows={2} maxRows={6} classNames={{ input: 'covered' }} />
}

/** Shows a calendar day. */
function DateField(props: FieldProps) {
  const typed = useTyped(props.value, { parse: parseText, print: printPlain, onChange: props.onChange })
  return <TextInput {...plain} {...readInputProps(props)} {...typed} type="date" max="9999-12-31" />
}

/** Shows a timestamp in the reader's zone; the value is in UTC. */
function DateTimeField(props: FieldProps) {
  const { description, ...shared } = readInputProps(props)
  const print = (value: unknown) => (typeof value === 'string' ? printLocal(value) : '')
  const typed = useTyped(props.value, { parse: parseLocal, print, onChange: props.onChange })
  const help = addHelp(description, `Time in your zone, ${Intl.DateTimeFormat().resolvedOptions().timeZone}.`)
  return <TextInput {...plain} {...shared} {...typed} description={help} type="datetime-local" step={1} max="9999-12-31T23:59" />
}

/** Shows any value as JSON. Text that is not JSON yet is kept as a string. */
function JsonField(props: FieldProps) {
  const parse = (text: string) => (text.trim() === '' ? undefined : (tryReadJson(text) ?? text))
  const print = (value: unknown) =>
    value === undefined ? '' : typeof value === 'string' && tryReadJson(value) === undefined ? value : formatJson(value)
  const typed = useTyped(props.value, { parse, print, onChange: props.onChange })
  return <Textarea {...plain} {...readInputProps(props)} {...typed} {...manyLines} placeholder="JSON" />
}

/** Shows a value that cannot be changed. */
function FixedField(props: FieldProps) {
  const fixed = props.schema['const']
  const says = formatJson(fixed)
  if (props.isRequired) return <TextInput {...readInputProps(props)} value={says} readOnly variant="filled" />
  const data = [
    { value: '', label: '' },
    { value: says, label: says },
  ]
  const choose = (text: string) => props.onChange(text === '' ? undefined : fixed)
  return <NativeSelect {...readInputProps(props)} data={data} {...bindValue(props.value === undefined ? '' : says, choose)} />
}

/** A value with what the reader sees. */
type Option = readonly [value: unknown, says: string]

/** Shows values to choose from. The browser's own control works with every keyboard and screen. */
function OptionField({ options, ...props }: FieldProps & { readonly options: readonly Option[] }) {
  const data = options.map(([, says]) => ({ value: says, label: says }))
  const shown = options.find(([value]) => value === props.value)?.[1] ?? ''
  const { default: usual } = props.schema
  const choose = (text: string) => props.onChange(options.find(([, says]) => says === text)?.[0])
  return (
    <NativeSelect
      {...readInputProps(props)}
      data={[{ value: '', label: usual === undefined ? '' : `Default: ${printPlain(usual)}` }, ...data]}
      {...bindValue(shown, choose)}
    />
  )
}

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
interface PropertiesProps extends Pick<FieldProps, 'schema' | 'at' | 'problems' | 'isDisabled'> {
  readonly value: Schema
  readonly onChange: (value: Schema) => void
  /** Names of properties that cannot be changed. */
  readonly locked?: readonly string[]
}

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
      label={typeof title === 'string' ? title : printLabel(name)}
      name={name}
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
function Properties(props: PropertiesProps) {
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
        <SmallButton style={{ alignSelf: 'flex-start' }} onClick={() => setIsOpen(true)}>
          Show {others.length} more fields
        </SmallButton>
      )}
    </Stack>
  )
}

/** Shows an object as a group with its fields. An optional object without values is left out. */
function ObjectField(props: FieldProps) {
  const { label, name, schema, value, onChange, at, problems, isRequired, isDisabled } = props
  const error = printProblemsAt(props.problems, props.at)
  const change = (inner: Schema) => onChange(Object.keys(inner).length === 0 && !isRequired ? undefined : inner)
  return (
    <Fieldset legend={<FieldLabel label={isRequired ? `${label} (required)` : label} name={name} />} disabled={isDisabled}>
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

function ObjectItem({ index, onRemove, ...props }: FieldProps & { readonly index: number; readonly onRemove: () => void }) {
  return (
    <Stack gap="xs">
      <ObjectField {...props} name={''} label={`${props.label} ${index + 1}`} at={pointTo(props.at, index)} isRequired />
      <Group justify="flex-end">
        <SmallButton onClick={onRemove}>
          Remove {props.label} {index + 1}
        </SmallButton>
      </Group>
    </Stack>
  )
}

/** Shows a list of objects: each as a group. */
function ObjectsField(props: FieldProps) {
  const items = Array.isArray(props.value) ? (props.value as readonly unknown[]) : []
  const change = (values: readonly unknown[]) => props.onChange(values.length === 0 && !props.isRequired ? undefined : values)
  return (
    <Fieldset legend={<FieldLabel label={props.label} name={props.name} />} disabled={props.isDisabled}>
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
        <SmallButton style={{ alignSelf: 'flex-start' }} onClick={() => change([...items, {}])}>
          Add {props.label}
        </SmallButton>
      </Stack>
    </Fieldset>
  )
}

/** What the form shows. */
export interface SchemaFormProps {
  readonly schema: Schema
  readonly value: Schema
  readonly onChange: (value: Schema) => void
  /** JSON pointer of the value, as the service names it in problems, such as `/params`. */
  readonly at?: string
  /** `errors` of the error that the service answered; each is shown at its field. */
  readonly problems?: readonly Problem[]
  readonly isDisabled?: boolean
  /** Names of properties that cannot be changed. */
  readonly locked?: readonly string[]
  /** Says that there is nothing to enter. */
  readonly none?: string
}

/** Shows the fields. The form element with its button is the caller's, so that Enter submits. */
export function SchemaForm({ schema, at = '', problems = [], isDisabled = false, none = 'Nothing to enter.', ...value }: SchemaFormProps) {
  if (readProperties(schema).length === 0) return <Quiet>{none}</Quiet>
  return <Properties schema={schema} at={at} problems={problems} isDisabled={isDisabled} {...value} />
}

/** Shows, to who asks, where people find a value: a sentence, the menu of the vendor, the role they need, and the vendor's page. */
function Finding({ schema, label }: { readonly schema: Schema; readonly label: string }) {
  const find = schema['x-find']
  if (!isObject(find)) return null
  const [menu, role, url] = [readText(find, 'menu'), readText(find, 'role'), readText(find, 'url')]
  return (
    <details className="finding">
      <summary>
        Where to find it<VisuallyHidden>: {label}</VisuallyHidden>
      </summary>
      <div>
        {readText(find, 'says')}
        {menu !== undefined && (
          <>
            {' '}
            <strong>{menu}</strong>.
          </>
        )}
        {role !== undefined && ` Needs the role: ${role}.`}
        {url?.startsWith('https://') === true && (
          <>
            {' '}
            <Anchor href={url} target="_blank" rel="noreferrer" inherit underline="always">
              Open the vendor's page
              <VisuallyHidden>, in a new tab</VisuallyHidden>
            </Anchor>
          </>
        )}
      </div>
    </details>
  )
}

/** Adds a sentence about how a value is entered to the help of a field. */
const addHelp = (help: ReactNode, sentence: string): ReactNode => (
  <>
    {help}
    {help !== undefined && ' · '}
    {sentence}
  </>
)

/** Returns the help of a field, with its default; undefined when its schema says nothing. */
function readHelp(schema: Schema): ReactNode {
  const description = readText(schema, 'description')
  const { default: usual } = schema
  return usual === undefined ? description : addHelp(description, `Default: ${String(usual)}`)
}

/** Shows the title of a field, with its name beside where that is another word. */
const FieldLabel = ({ label, name = '' }: { readonly label: string; readonly name?: string | undefined }) => (
  <>
    {label}{' '}
    {name.toLowerCase() !== label.toLowerCase() && (
      <Text span size="xs" c="dimmed" fw={400} className="mono">
        {name}
      </Text>
    )}
  </>
)
