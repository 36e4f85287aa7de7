/** The parameters of a call: as a form, as JSON, or both, and the buttons that run it. */
import { Button, Code, Grid, Group, Modal, Paper, SegmentedControl, Stack, Tabs, Text, Title } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useFerrule } from '../../data/ferrule.ts'
import { basePath } from '../../data/page-facts.ts'
import { isTooLong } from '../../data/params.ts'
import { useTenant } from '../../data/tenant.ts'
import { announce } from '../../parts/announcements.tsx'
import { JsonEditor } from '../../parts/code/json-editor.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { describeError } from '../../parts/describe-error.ts'
import { listProblems } from '../../parts/form/problems.ts'
import { hasSecrets, hideSecrets, type Schema } from '../../parts/form/schema.ts'
import { SchemaForm } from '../../parts/form/schema-form.tsx'
import { PlainButton, Quiet, WriteButton } from '../../parts/looks.tsx'
import { type Chosen, type useCall, useExplorerAddress } from './address.ts'
import { hasExample, hasPlaceholders, makeExample, type Snippet, type SnippetSource, snippets } from './snippets.ts'

function SnippetView({ snippet, source }: { readonly snippet: Snippet; readonly source: SnippetSource }) {
  const text = snippet.print(source)
  return (
    <Stack gap="xs" pt="md">
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm">{snippet.needs}</Text>
        <CopyButton value={text} says={`Copy the text for ${snippet.name}`} />
      </Group>
      <Code block tabIndex={0} mah={420} aria-label={snippet.name}>
        {text}
      </Code>
    </Stack>
  )
}

/** Makes a key for a write. Pages without https lack `crypto.randomUUID`. */
const makeKey = (): string => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Shows the button and its dialog. */
function CopyAs({ chosen, params }: { readonly chosen: Chosen; readonly params: Schema }) {
  const [opened, { open, close }] = useDisclosure(false)
  const [idempotencyKey, setKey] = useState('')
  const { organizationId } = useTenant()
  const { connector, entity, action } = chosen
  const source: SnippetSource = {
    url: `${location.origin}${basePath}`,
    organizationId,
    connector,
    entity: entity.entity,
    action: action.action,
    params: hideSecrets(action.params, params),
    idempotencyKey,
  }
  return (
    <>
      <PlainButton
        onClick={() => {
          setKey(makeKey())
          open()
        }}
      >
        Copy as …
      </PlainButton>
      <Modal opened={opened} onClose={close} title="Copy this call" size="xl">
        <Tabs defaultValue={snippets[0]?.name ?? ''} keepMounted={false}>
          <Tabs.List>
            {snippets.map(({ name }) => (
              <Tabs.Tab key={name} value={name}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {snippets.map((snippet) => (
            <Tabs.Panel key={snippet.name} value={snippet.name}>
              <SnippetView snippet={snippet} source={source} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </Modal>
    </>
  )
}

/** Shows the button, where there is an example. What was entered is replaced. */
function ExampleButton({ chosen, onFill }: { readonly chosen: Chosen; readonly onFill: (params: Schema) => void }) {
  const ferrule = useFerrule()
  const { connector, entity, action } = chosen
  const mutation = useMutation({
    mutationFn: () => ferrule.definitions.reference(connector.connector_type),
    onSuccess: ({ examples }) => {
      const smallest = examples.find((each) => each.entity === entity.entity && each.action === action.action)
      const params = makeExample(action.params, smallest?.params ?? {})
      onFill(params)
      announce(`The example is filled in.${hasPlaceholders(params) ? ' Replace what stands in angle brackets.' : ''}`)
    },
    onError: (error) => announce(`The example could not be read. ${describeError(error).sentence}`),
  })
  if (!hasExample(action.params)) return null
  return <WriteButton write={mutation}>Fill in an example</WriteButton>
}

/** What the form shows, and what it reports. */
export interface ParamsFormProps {
  readonly chosen: Chosen
  readonly call: ReturnType<typeof useCall>
  /** Error of the last call: its problems are shown at their fields. */
  readonly error: unknown
  /** Label of the button. */
  readonly action: string
  readonly isBusy: boolean
  readonly onSubmit: () => void
  /** Left out: what has begun cannot be cancelled. */
  readonly onCancel?: () => void
}

const views = [
  { value: 'form', label: 'Form' },
  { value: 'json', label: 'JSON' },
  { value: 'both', label: 'Both' },
]

function ViewChoice({ view }: { readonly view: string }) {
  const [, change] = useExplorerAddress()
  return (
    <SegmentedControl
      aria-label="View of the parameters"
      size="xs"
      data={views}
      value={view}
      onChange={(next) => change({ edit: next === 'form' ? undefined : next }, { replace: true })}
    />
  )
}

/** Shows the parameters in the views that are chosen. */
function Params({ chosen, call, error, onSubmit }: ParamsFormProps) {
  const [{ edit = 'form' }] = useExplorerAddress()
  const { params: schema } = chosen.action
  const isSecret = hasSecrets(schema)
  const view = isSecret ? 'form' : edit
  const half = view === 'both' ? 6 : 12
  const shared = { value: call.value, onChange: call.setValue }
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Parameters
        </Title>
        {!isSecret && <ViewChoice view={view} />}
      </Group>
      <Grid>
        {view !== 'json' && (
          <Grid.Col span={{ base: 12, md: half }}>
            <SchemaForm {...shared} schema={schema} at="/params" problems={listProblems(error)} none="This action takes no parameters." />
          </Grid.Col>
        )}
        {view !== 'form' && (
          <Grid.Col span={{ base: 12, md: half }}>
            <JsonEditor {...shared} label="Parameters as JSON" onSubmit={onSubmit} />
          </Grid.Col>
        )}
      </Grid>
    </Stack>
  )
}

/** Shows the form with its buttons. */
export function ParamsForm(props: ParamsFormProps) {
  const { chosen, call, action, isBusy, onSubmit, onCancel } = props
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isBusy) onSubmit()
  }
  return (
    <Paper withBorder p="md" component="form" onSubmit={submit} noValidate>
      <Stack gap="md">
        <Params {...props} />
        {isTooLong(call.value) && <Quiet>These parameters are too long for the address: who opens it enters them again.</Quiet>}
        <Group gap="xs">
          <Button type="submit" loading={isBusy}>
            {action}
          </Button>
          {isBusy && onCancel !== undefined && <PlainButton onClick={onCancel}>Cancel</PlainButton>}
          <ExampleButton chosen={chosen} onFill={call.setValue} />
          <CopyAs chosen={chosen} params={call.value} />
        </Group>
      </Stack>
    </Paper>
  )
}
