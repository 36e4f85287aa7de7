/** The filter as conditions: operators fit the fields. */
import {
  Autocomplete,
  Button,
  Group as Line,
  NativeSelect,
  Paper,
  SegmentedControl,
  Stack,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import { useMemo } from 'react'
import { bindValue } from '../../../parts/form/text-entry.ts'
import { SmallButton } from '../../../parts/looks.tsx'
import { type FilterField, listFields } from '../filter/fields.ts'
import {
  builderLimits,
  type Elements,
  type Group,
  makeElements,
  makeGroup,
  makeRule,
  type Node,
  type Rule,
  readTyped,
} from '../filter/tree.ts'
import { findValueType, listOperators, needsNoValue, type RuleOperator, takesList, type ValueType } from '../filter/words.ts'

/** Fields that are offered at once; typing a part of the name finds the others. */
const mostOffered = 100

/** Shows the choice of a field. Paths that no document names can be typed. */
function FieldInput({
  name,
  value,
  fields,
  onChange,
}: {
  readonly name: string
  readonly value: string
  readonly fields: readonly FilterField[]
  readonly onChange: (path: string) => void
}) {
  return (
    <Autocomplete
      aria-label={`Field of ${name}`}
      placeholder="field"
      data={fields.map(({ path }) => path)}
      value={value}
      onChange={onChange}
      limit={mostOffered}
      autoComplete="off"
      spellCheck={false}
      style={{ flex: '1 1 140px', maxWidth: 300 }}
    />
  )
}

/** Shows whether a part of the filter is negated. */
const NotButton = ({ name, isNegated, onChange }: { readonly name: string; readonly isNegated: boolean; onChange: () => void }) => (
  <Button
    variant={isNegated ? 'filled' : 'default'}
    size="compact-sm"
    aria-pressed={isNegated}
    aria-label={`not ${name}`}
    onClick={onChange}
  >
    not
  </Button>
)

/** Removes a part of the filter. */
const RemoveButton = ({ name, onClick }: { readonly name: string; readonly onClick: () => void }) => (
  <Button variant="subtle" color="gray" size="compact-sm" aria-label={`Remove ${name}`} onClick={onClick}>
    Remove
  </Button>
)

interface PartProps<N extends Node> {
  readonly node: N
  /** Outline number within its group, such as `1.2`. */
  readonly label: string
  /** Fields of the record, or of the elements of an array. */
  readonly fields: readonly FilterField[]
  readonly depth: number
  readonly onChange: (node: N) => void
  readonly onRemove: () => void
}

/** Chooses a field: an operator and a type that do not fit it are replaced. */
function chooseField(rule: Rule, path: string, fields: readonly FilterField[]): Rule {
  const field = fields.find((each) => each.path === path)
  if (field === undefined) return { ...rule, field: path }
  const operators = listOperators(field).map(({ operator }) => operator)
  const operator = operators.includes(rule.operator) ? rule.operator : (operators[0] ?? 'eq')
  const valueType = findValueType(field)
  return { ...rule, field: path, operator, valueType, values: valueType === rule.valueType ? rule.values : [] }
}

/** Chooses an operator: only one that takes a list keeps several values. */
const chooseOperator = (rule: Rule, operator: RuleOperator): Rule => ({
  ...rule,
  operator,
  values: takesList(operator) ? rule.values : rule.values.slice(0, 1),
})

function RuleRow({ node, label, fields, onChange, onRemove }: PartProps<Rule>) {
  const name = `condition ${label}`
  const field = fields.find(({ path }) => path === node.field)
  const fitting = listOperators(field)
  // A filter that was written by hand can have an operator that does not fit: it is shown, and the service says what is wrong.
  const shown = fitting.some(({ operator }) => operator === node.operator) ? fitting : listOperators(undefined)
  const data = shown.map(({ operator, says, saysOfTimes }) => ({
    value: operator,
    label: field?.compares === 'instant' ? (saysOfTimes ?? says) : says,
  }))
  const choose = (chosen: string) => {
    const word = shown.find(({ operator }) => operator === chosen)
    if (word !== undefined) onChange(chooseOperator(node, word.operator))
  }
  return (
    <Line gap="xs" role="group" aria-label={`Condition ${label}`}>
      <NotButton name={name} isNegated={node.isNegated} onChange={() => onChange({ ...node, isNegated: !node.isNegated })} />
      <FieldInput name={name} value={node.field} fields={fields} onChange={(path) => onChange(chooseField(node, path, fields))} />
      <NativeSelect aria-label={`Operator of ${name}`} data={data} {...bindValue(node.operator, choose)} />
      <ValueTypeInput rule={node} field={field} name={name} onChange={(valueType) => onChange({ ...node, valueType })} />
      <ValueInput rule={node} field={field} name={name} onChange={(values) => onChange({ ...node, values })} />
      <RemoveButton name={name} onClick={onRemove} />
    </Line>
  )
}

function ElementsRow({ node, label, fields, depth, onChange, onRemove }: PartProps<Elements>) {
  const name = `elements ${label}`
  const arrays = fields.filter(({ elements }) => elements !== undefined)
  const schema = arrays.find(({ path }) => path === node.field)?.elements
  const inner = useMemo(() => (schema === undefined ? [] : listFields(schema)), [schema])
  return (
    <Paper withBorder p="xs">
      <Stack gap="xs">
        <Line gap="xs">
          <NotButton name={name} isNegated={node.isNegated} onChange={() => onChange({ ...node, isNegated: !node.isNegated })} />
          <Text size="sm">One element of</Text>
          <FieldInput name={name} value={node.field} fields={arrays} onChange={(field) => onChange({ ...node, field })} />
          <Text size="sm">satisfies:</Text>
          <RemoveButton name={name} onClick={onRemove} />
        </Line>
        <Members node={node.of} label={label} fields={inner} depth={depth + 1} onChange={(of) => onChange({ ...node, of })} />
      </Stack>
    </Paper>
  )
}

/** Shows a group within another. */
function GroupRow({ node, label, fields, depth, onChange, onRemove }: PartProps<Group>) {
  const name = `group ${label}`
  return (
    <Paper withBorder p="xs">
      <Stack gap="xs">
        <Line gap="xs">
          <NotButton name={name} isNegated={node.isNegated} onChange={() => onChange({ ...node, isNegated: !node.isNegated })} />
          <Text size="sm">Group {label}</Text>
          <RemoveButton name={name} onClick={onRemove} />
        </Line>
        <Members node={node} label={label} fields={fields} depth={depth + 1} onChange={onChange} />
      </Stack>
    </Paper>
  )
}

function NodeRow({ node, ...props }: PartProps<Node>) {
  if (node.kind === 'rule') return <RuleRow {...props} node={node} />
  return node.kind === 'group' ? <GroupRow {...props} node={node} /> : <ElementsRow {...props} node={node} />
}

/** Adds parts to a group. */
function AddButtons({ label, depth, hasArrays, onAdd }: { label: string; depth: number; hasArrays: boolean; onAdd: (node: Node) => void }) {
  const to = label === '' ? '' : ` to ${label}`
  return (
    <Line gap="xs">
      <SmallButton aria-label={`Add a condition${to}`} onClick={() => onAdd(makeRule())}>
        Add a condition
      </SmallButton>
      {depth < builderLimits.deepest && (
        <SmallButton aria-label={`Add a group${to}`} onClick={() => onAdd(makeGroup([makeRule(), makeRule()], 'or'))}>
          Add a group
        </SmallButton>
      )}
      {depth < builderLimits.deepest && hasArrays && (
        <SmallButton aria-label={`Add a condition on elements${to}`} onClick={() => onAdd(makeElements())}>
          Add a condition on elements
        </SmallButton>
      )}
    </Line>
  )
}

const joins = [
  { value: 'and', label: 'All of these' },
  { value: 'or', label: 'Any of these' },
]

function Members({ node, label, fields, depth, onChange }: Omit<PartProps<Group>, 'onRemove'>) {
  const { of, join } = node
  const replace = (index: number, next: readonly Node[]) => onChange({ ...node, of: of.toSpliced(index, 1, ...next) })
  return (
    <Stack gap="xs">
      {of.length > 1 && (
        <SegmentedControl
          aria-label={label === '' ? 'How conditions are joined' : `How conditions of ${label} are joined`}
          size="xs"
          w="fit-content"
          data={joins}
          value={join}
          onChange={(chosen) => onChange({ ...node, join: chosen === 'or' ? 'or' : 'and' })}
        />
      )}
      {of.map((each, index) => (
        <NodeRow
          key={each.id}
          node={each}
          label={`${label === '' ? '' : `${label}.`}${index + 1}`}
          fields={fields}
          depth={depth}
          onChange={(next) => replace(index, [next])}
          onRemove={() => replace(index, [])}
        />
      ))}
      <AddButtons
        label={label}
        depth={depth}
        hasArrays={fields.some(({ elements }) => elements !== undefined)}
        onAdd={(added) => onChange({ ...node, of: [...of, added] })}
      />
    </Stack>
  )
}

/** Shows the builder. */
export const Builder = ({
  root,
  fields,
  onChange,
}: {
  readonly root: Group
  readonly fields: readonly FilterField[]
  readonly onChange: (root: Group) => void
}) => <Members node={root} label="" fields={fields} depth={0} onChange={onChange} />

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
    style: { flex: '1 1 120px', maxWidth: 360 },
  }
  const take = (text: string) => onChange(text === '' ? [] : [text])
  const choices = field?.choices ?? []
  if (choices.length > 0) return <Autocomplete {...shared} data={[...choices]} onChange={take} />
  return <TextInput {...shared} onChange={({ currentTarget }) => take(currentTarget.value)} />
}

/** Shows the input that fits an operator and a field. */
function ValueInput(props: ValueProps) {
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
function ValueTypeInput({ rule, field, name, onChange }: Omit<ValueProps, 'onChange'> & { onChange: (type: ValueType) => void }) {
  const isUsual = rule.valueType === findValueType(field)
  const isDecided = rule.field === '' || (isUsual && field !== undefined && hasOneType.has(field.type))
  if (needsNoValue(rule.operator) || isDecided) return null
  return (
    <NativeSelect
      aria-label={`Type of the value of ${name}`}
      data={typeNames}
      {...bindValue(rule.valueType, (next) => onChange(typeNames.find(({ value }) => value === next)?.value ?? 'string'))}
    />
  )
}
