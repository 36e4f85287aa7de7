/** The parameters of a call: as a form, as JSON, or both, and the buttons that run it. */
import { Button, Grid, Group, Paper, SegmentedControl, Stack, Text, Title } from '@mantine/core'
import type { FormEvent } from 'react'
import { JsonEditor } from '../../parts/code/json-editor.tsx'
import { listProblems } from '../../parts/form/problems.ts'
import { hasSecrets } from '../../parts/form/schema.ts'
import { SchemaForm } from '../../parts/form/schema-form.tsx'
import { type Chosen, type useCall, useExplorerAddress } from './address.ts'
import { CopyAs } from './copy-as.tsx'
import { ExampleButton } from './example-button.tsx'
import { isTooLong } from './operation.ts'

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

/** Shows the choice between the views. */
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
        {isTooLong(call.value) && (
          <Text size="sm" c="dimmed">
            These parameters are too long for the address: who opens it enters them again.
          </Text>
        )}
        <Group gap="xs">
          <Button type="submit" loading={isBusy}>
            {action}
          </Button>
          {isBusy && onCancel !== undefined && (
            <Button variant="default" onClick={onCancel}>
              Cancel
            </Button>
          )}
          <ExampleButton chosen={chosen} onFill={call.setValue} />
          <CopyAs chosen={chosen} params={call.value} />
        </Group>
      </Stack>
    </Paper>
  )
}
