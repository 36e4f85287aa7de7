/** The value of a rule. */
import { Autocomplete, NativeSelect, TagsInput, TextInput } from '@mantine/core'
import type { FilterField } from '../filter/fields.ts'
import { type Rule, readTyped } from '../filter/tree.ts'
import { findValueType, needsNoValue, takesList, type ValueType } from '../filter/words.ts'

/** What an input of a value gets. */
interface ValueProps {
  readonly rule: Rule
  readonly field: FilterField | undefined
  /** Name of the rule, such as `condition 1`. */
  readonly name: string
  readonly onChange: (values: readonly string[]) => void
}

const truths = [
  { value: '', label: 'true or false' },
  { value: 'true', label: 'true' },
  { value: 'false', label: 'false' },
]

/** Shows the choice between true and false. */
const BooleanInput = ({ rule, name, onChange }: ValueProps) => (
  <NativeSelect
    aria-label={`Value of ${name}`}
    data={truths}
    value={rule.values[0] ?? ''}
    onChange={({ currentTarget }) => onChange(currentTarget.value === '' ? [] : [currentTarget.value])}
  />
)

/** Shows several values. */
const ListInput = ({ rule, field, name, onChange }: ValueProps) => (
  <TagsInput
    aria-label={`Values of ${name}`}
    placeholder={rule.values.length === 0 ? 'Type a value, press Enter' : ''}
    data={[...(field?.choices ?? [])]}
    value={[...rule.values]}
    onChange={onChange}
    error={rule.values.some((text) => readTyped(text, rule.valueType) === undefined) && numberHint}
    maw={360}
  />
)

const numberHint = 'Write a number, or choose "text": texts keep every digit'

/** Finds what is wrong with a number; undefined for other values. */
const findProblem = ({ valueType, values: [text = ''] }: Rule): string | undefined =>
  valueType === 'number' && text !== '' && readTyped(text, valueType) === undefined ? numberHint : undefined

const findHint = (field: FilterField | undefined, { operator, valueType }: Rule): string => {
  if (field?.compares === 'instant') return '2026-01-31, 2026-01 or 2026-01-31T08:00:00Z'
  if (operator === 'like') return 'part, or a pattern with % and _'
  return valueType === 'number' || field?.compares === 'decimal' ? '42' : 'value'
}

/** Shows one value; known values are offered. */
function LineInput({ rule, field, name, onChange }: ValueProps) {
  const shared = {
    'aria-label': `Value of ${name}`,
    placeholder: findHint(field, rule),
    value: rule.values[0] ?? '',
    error: findProblem(rule),
    autoComplete: 'off',
    spellCheck: false,
    style: { flex: '1 1 180px', maxWidth: 360 },
  }
  const take = (text: string) => onChange(text === '' ? [] : [text])
  const choices = field?.choices ?? []
  if (choices.length > 0) return <Autocomplete {...shared} data={[...choices]} onChange={take} />
  return <TextInput {...shared} onChange={({ currentTarget }) => take(currentTarget.value)} />
}

/** Shows the input that fits an operator and a field. */
export function ValueInput(props: ValueProps) {
  const { operator, valueType } = props.rule
  if (needsNoValue(operator)) return null
  if (takesList(operator)) return <ListInput {...props} />
  return valueType === 'boolean' ? <BooleanInput {...props} /> : <LineInput {...props} />
}

const typeNames: readonly { readonly value: ValueType; readonly label: string }[] = [
  { value: 'string', label: 'text' },
  { value: 'number', label: 'number' },
  { value: 'boolean', label: 'true or false' },
]
const hasOneType: ReadonlySet<string> = new Set(['text', 'boolean'])

/** Shows the choice of the type of a value, where the field alone does not decide it. */
export function ValueTypeInput({ rule, field, name, onChange }: Omit<ValueProps, 'onChange'> & { onChange: (type: ValueType) => void }) {
  const isUsual = rule.valueType === findValueType(field)
  const isDecided = rule.field === '' || (isUsual && field !== undefined && hasOneType.has(field.type))
  if (needsNoValue(rule.operator) || isDecided) return null
  return (
    <NativeSelect
      aria-label={`Type of the value of ${name}`}
      data={typeNames}
      value={rule.valueType}
      onChange={({ currentTarget }) => onChange(typeNames.find(({ value }) => value === currentTarget.value)?.value ?? 'string')}
    />
  )
}
