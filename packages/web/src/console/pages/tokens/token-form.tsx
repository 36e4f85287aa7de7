/** The form of a new token for MCP. */
import { Button, Checkbox, Group, MultiSelect, NativeSelect, Paper, Stack, TextInput } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import { defaultMcpScopes, type McpScope, type McpTokenInput, mcpScopes, mcpTokenDays, mostNameCharacters } from 'ferrule/wire'
import { type FormEvent, useState } from 'react'
import { useChanges } from '../../data/leaving.ts'
import { useWorkspaces } from '../../data/organizations.ts'
import { useTenant } from '../../data/tenant.ts'
import { useConnectorChoice } from '../../parts/connector-select.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'

/** Lifetimes to choose from, in days. */
const lifetimes = [7, 30, mcpTokenDays.usual, 180, mcpTokenDays.most] as const

/** What each scope allows. */
const scopeTexts: Readonly<Record<McpScope, string>> = {
  'connectors:read': 'See the connectors',
  'execute:read': 'Read and search records',
  'execute:write': 'Create, change and delete records at the vendors',
}

/** What was entered. */
interface Entered {
  readonly name: string
  readonly workspaces: readonly string[]
  readonly connectors: readonly string[]
  readonly scopes: readonly McpScope[]
  readonly days: number
}

/** What the fields get. */
interface FieldsProps {
  readonly entered: Entered
  readonly set: (changes: Partial<Entered>) => void
}

/** Prints the body of a creation. */
const printBody = ({ name, workspaces, connectors, scopes, days }: Entered): McpTokenInput => ({
  name,
  workspace_names: [...workspaces],
  ...(connectors.length === 0 ? {} : { connector_ids: [...connectors] }),
  scopes: [...scopes],
  expires_in_days: days,
})

/** Shows what the token reaches: connectors of the chosen workspaces only. */
function ReachFields({ entered: { workspaces, connectors }, set }: FieldsProps) {
  const reading = useWorkspaces()
  const offered = (useConnectorChoice().data?.rows ?? []).filter(({ workspace_name: name }) => workspaces.includes(name))
  const known = [...new Set([...(reading.data?.data ?? []).map(({ name }) => name), ...workspaces])]
  return (
    <>
      <MultiSelect
        label="Workspaces"
        description="The token reaches these, and never another one."
        data={known}
        value={[...workspaces]}
        onChange={(names) => set({ workspaces: names, connectors: [] })}
        maxValues={20}
        searchable
        withAsterisk
      />
      <MultiSelect
        label="Connectors"
        description="Choose none to let it reach all connectors of these workspaces, also later ones."
        data={offered.map(({ id, name, connector_type: kind }) => ({ value: id, label: `${name} (${kind})` }))}
        value={[...connectors]}
        onChange={(ids) => set({ connectors: ids })}
        maxValues={100}
        limit={100}
        searchable
      />
    </>
  )
}

/** Shows what the token may do, and for how long. */
function RightsFields({ entered: { scopes, days }, set }: FieldsProps) {
  return (
    <>
      <Checkbox.Group
        label="What the agent may do"
        value={[...scopes]}
        onChange={(values) => set({ scopes: mcpScopes.filter((scope) => values.includes(scope)) })}
      >
        <Stack gap="xs" mt="xs">
          {mcpScopes.map((scope) => (
            <Checkbox key={scope} value={scope} label={scopeTexts[scope]} description={scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect
        label="Lifetime"
        data={lifetimes.map((each) => ({ value: String(each), label: `${each} days` }))}
        value={String(days)}
        onChange={({ currentTarget }) => set({ days: Number(currentTarget.value) })}
      />
    </>
  )
}

/** What the form gets. */
export interface TokenFormProps {
  readonly creation: UseMutationResult<unknown, Error, McpTokenInput>
  readonly onCancel: () => void
}

/** Shows the form. Enter creates. */
export function TokenForm({ creation, onCancel }: TokenFormProps) {
  const { workspace } = useTenant()
  const [entered, setEntered] = useState<Entered>({
    name: '',
    workspaces: [workspace ?? 'default'],
    connectors: [],
    scopes: defaultMcpScopes,
    days: mcpTokenDays.usual,
  })
  const keep = useChanges(entered, ['new'])
  const set = (changes: Partial<Entered>) => setEntered((before) => ({ ...before, ...changes }))
  const cancel = () => {
    keep()
    onCancel()
  }
  const { name, workspaces, scopes } = entered
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!creation.isPending) creation.mutate(printBody(entered), { onSuccess: () => keep() })
  }
  return (
    <Paper component="form" withBorder p="md" onSubmit={submit} aria-label="New token">
      <Stack maw={560}>
        <TextInput
          label="Name"
          description="To recognize the token in this list: the agent, or the machine."
          value={name}
          onChange={({ currentTarget }) => set({ name: currentTarget.value })}
          maxLength={mostNameCharacters}
          autoComplete="off"
          required
        />
        <ReachFields entered={entered} set={set} />
        <RightsFields entered={entered} set={set} />
        {creation.error !== null && <ErrorBox error={creation.error} title="The token was not created" />}
        <Group>
          <Button type="submit" loading={creation.isPending} disabled={name.trim() === '' || workspaces.length * scopes.length === 0}>
            Create the token
          </Button>
          <Button variant="default" onClick={cancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}
