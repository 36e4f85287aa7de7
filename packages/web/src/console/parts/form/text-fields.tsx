/** Fields that hold one text, number, date or secret. */
import { NativeSelect, PasswordInput, Textarea, TextInput } from '@mantine/core'
import { formatJson, readJson } from 'ferrule/internal'
import { type HTMLAttributes, useState } from 'react'
import { type FieldProps, readExample, readInputProps } from './field.ts'
import { addHelp } from './help.tsx'
import { parseInteger, parseLocal, parseNumber, printLocal, printPlain } from './values.ts'

/** Returns the name of the reader's zone, such as `Europe/Berlin`. */
const readZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

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

/** Makes a field of one line. */
const makeLine = (parse: (text: string) => unknown, inputMode: HTMLAttributes<HTMLInputElement>['inputMode']) =>
  function LineField(props: FieldProps) {
    const typed = useTyped(props.value, { parse, print: printPlain, onChange: props.onChange })
    return <TextInput {...plain} {...readInputProps(props)} {...typed} inputMode={inputMode} placeholder={readExample(props.schema)} />
  }

/** A text of one line. */
export const TextField = makeLine(parseText, 'text')
/** A whole number of any length. */
export const IntegerField = makeLine(parseInteger, 'numeric')
/** A number. */
export const NumberField = makeLine(parseNumber, 'decimal')

/** Shows a text of several lines, such as a statement. */
export function LinesField(props: FieldProps) {
  const typed = useTyped(props.value, { parse: parseText, print: printPlain, onChange: props.onChange })
  return <Textarea {...plain} {...readInputProps(props)} {...typed} {...manyLines} placeholder={readExample(props.schema)} />
}

/** Shows a secret of one line. */
export function SecretField(props: FieldProps) {
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
export function SecretLinesField(props: FieldProps) {
  const typed = useTyped(props.value, { parse: parseText, print: printPlain, onChange: props.onChange })
  return <Textarea {...plain} {...readInputProps(props)} {...typed} autosize minRows={2} maxRows={6} classNames={{ input: 'covered' }} />
}

/** Shows a calendar day. */
export function DateField(props: FieldProps) {
  const typed = useTyped(props.value, { parse: parseText, print: printPlain, onChange: props.onChange })
  return <TextInput {...plain} {...readInputProps(props)} {...typed} type="date" max="9999-12-31" />
}

/** Shows a timestamp in the reader's zone; the value is in UTC. */
export function DateTimeField(props: FieldProps) {
  const { description, ...shared } = readInputProps(props)
  const print = (value: unknown) => (typeof value === 'string' ? printLocal(value) : '')
  const typed = useTyped(props.value, { parse: parseLocal, print, onChange: props.onChange })
  const help = addHelp(description, `Time in your zone, ${readZone()}.`)
  return <TextInput {...plain} {...shared} {...typed} description={help} type="datetime-local" step={1} max="9999-12-31T23:59" />
}

const isJson = (text: string): boolean => {
  try {
    readJson(text)
    return true
  } catch {
    return false
  }
}

/** Shows any value as JSON. Text that is not JSON yet is kept as a string. */
export function JsonField(props: FieldProps) {
  const parse = (text: string) => (text.trim() === '' ? undefined : isJson(text) ? readJson(text) : text)
  const print = (value: unknown) => (value === undefined ? '' : typeof value === 'string' && !isJson(value) ? value : formatJson(value))
  const typed = useTyped(props.value, { parse, print, onChange: props.onChange })
  return <Textarea {...plain} {...readInputProps(props)} {...typed} {...manyLines} placeholder="JSON" />
}

/** Shows a value that cannot be changed. */
export function FixedField(props: FieldProps) {
  const fixed = props.schema['const']
  const says = formatJson(fixed)
  if (props.isRequired) return <TextInput {...readInputProps(props)} value={says} readOnly variant="filled" />
  const data = [
    { value: '', label: '' },
    { value: says, label: says },
  ]
  const choose = (text: string) => props.onChange(text === '' ? undefined : fixed)
  return (
    <NativeSelect
      {...readInputProps(props)}
      data={data}
      value={props.value === undefined ? '' : says}
      onChange={({ currentTarget }) => choose(currentTarget.value)}
    />
  )
}
