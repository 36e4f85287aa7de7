/** MCP tokens: for the settings of agents. */
import { Badge, Button, Checkbox, Group, MultiSelect, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core'
import type { UseMutationResult } from '@tanstack/react-query'
import * as wire from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useWorkspaces } from '../../data/organizations.ts'
import { useAddressParams } from '../../data/params.ts'
import { useService } from '../../data/service.ts'
import { useTenant } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { printChoice, useConnectorChoice } from '../../parts/connector-select.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { bindValue } from '../../parts/form/text-entry.ts'
import { useEntries, WriteForm } from '../../parts/form/write-form.tsx'
import { Quiet } from '../../parts/looks.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { printCounted } from '../../parts/print.ts'
import { CopyText, SecretDialog } from '../../parts/secret-dialog.tsx'
import { Section } from '../../parts/section.tsx'
import type { ListColumn } from '../../parts/table/list-table.tsx'
import { ReadTable } from '../../parts/table/read-table.tsx'
import { Time } from '../../parts/time.tsx'

/** What the parts of the row get. */
interface TokenProps {
  readonly token: wire.McpTokenRecord
}

function RevokeButton({ token: { id, name } }: TokenProps) {
  const revocation = useWrite((ferrule) => ferrule.mcpTokens.revoke(id), {
    refreshes: [['mcp-tokens']],
    onDone: () => announce(`The token ${name} was revoked.`),
  })
  return (
    <ConfirmButton isSmall isDanger label="Revoke" says={`Revoke ${name}`} title={`Revoke ${name}?`} mutation={revocation}>
      The next call of the agent is refused, on every node. This cannot be undone: the agent needs a new token.
    </ConfirmButton>
  )
}

function Reach({ token: { workspaces, connector_ids: ids } }: TokenProps) {
  return (
    <Stack gap={2}>
      <Text size="sm">{workspaces.length === 0 ? 'no workspace any more' : workspaces.map(({ name }) => name).join(', ')}</Text>
      <Quiet>{ids === null ? 'all connectors' : printCounted(ids.length, 'connector')}</Quiet>
    </Stack>
  )
}

const columns: readonly ListColumn<wire.McpTokenRecord>[] = [
  {
    title: 'Name',
    cell: ({ name, client_id: client }) => (
      <>
        <strong>{name}</strong>
        {client !== null && <Quiet>let in on the sign-in page</Quiet>}
      </>
    ),
  },
  { title: 'Reaches', cell: (token) => <Reach token={token} /> },
  {
    title: 'Scopes',
    cell: ({ scopes }) => (
      <Group gap={4}>
        {scopes.map((scope) => (
          <Badge key={scope} color="gray">
            {scope}
          </Badge>
        ))}
      </Group>
    ),
  },
  { title: 'Expires', cell: ({ expires_at: expires }) => <Time value={expires} /> },
  { title: 'Last used', cell: ({ last_used_at: used }) => <Time value={used} /> },
  { title: 'Actions', cell: (token) => <RevokeButton token={token} /> },
]

/** Name of the variable that clients keep the token in. */
const variable = 'FERRULE_MCP_TOKEN'

/** Prints the entry of a client's settings. It names a variable, so it has no secret. */
const printEntry = (address: string): string =>
  JSON.stringify({ mcpServers: { ferrule: { url: address, headers: { Authorization: `Bearer \${env:${variable}}` } } } }, null, 2)

/** Shows what to copy. @param props `address`: of the MCP endpoint; undefined: the service does not know it yet */
function ClientNeeds({ address }: { readonly address: string | undefined }) {
  return (
    <Section
      title="What a client needs"
      about={`The address, and a token in the variable ${variable}. The command writes the settings of most clients.`}
    >
      {address === undefined ? (
        <Text size="sm">The address is shown with a new token. Set FERRULE_PUBLIC_URL before others use it: tokens are bound to it.</Text>
      ) : (
        <>
          <CopyText label="Address of MCP" value={address} />
          <CopyText label="Entry for Cursor" value={printEntry(address)} />
        </>
      )}
      <CopyText label="Command" value="ferrule mcp install cursor --remote" />
    </Section>
  )
}

const NoTokens = ({ onNew }: { readonly onNew: () => void }) => (
  <EmptyState title="No tokens yet" says="A token lets an agent use some of your connectors by MCP. You can revoke it at any time.">
    <Button onClick={onNew}>Create a token</Button>
  </EmptyState>
)

function NewToken({ made, onClose }: { readonly made: wire.McpTokenSecret | undefined; readonly onClose: () => void }) {
  const texts = made && [
    { label: 'Address', value: made.resource },
    { label: 'Token', value: made.token },
    { label: 'Header', value: `Authorization: Bearer ${made.token}` },
  ]
  return <SecretDialog title={`The token ${made?.name ?? ''}`} texts={texts} onClose={onClose} />
}

/** Shows the form of the address, and the token that it made. */
function NewTokenForm({ onClose }: { readonly onClose: () => void }) {
  const creation = useWrite((ferrule, body: Parameters<typeof ferrule.mcpTokens.create>[0]) => ferrule.mcpTokens.create(body), {
    refreshes: [['mcp-tokens']],
  })
  const forget = () => {
    creation.reset()
    onClose()
  }
  return (
    <>
      <TokenForm creation={creation} onCancel={onClose} />
      <NewToken made={creation.data} onClose={forget} />
    </>
  )
}

/** The page; the address has the open form and the page of the list. */
export function Page() {
  const [{ new: isNew, cursor }, change] = useAddressParams('new', 'cursor')
  const query = { limit: 50, ...(cursor === undefined ? {} : { cursor }) }
  const reading = useRead(['mcp-tokens', query], (ferrule, signal) => ferrule.mcpTokens.page(query, { signal }))
  const own = useService().data?.public_url
  const address = typeof own === 'string' ? `${own}/mcp` : reading.data?.data[0]?.resource
  const open = () => change({ new: '1' })
  return (
    <Stack>
      <PageHeader title="MCP tokens" about="Agents use connectors with them. Each reaches what you choose, and can be revoked at once.">
        {isNew === undefined && <Button onClick={open}>Create a token</Button>}
      </PageHeader>
      {isNew !== undefined && <NewTokenForm onClose={() => change({ new: undefined })} />}
      <ReadTable
        label="MCP tokens"
        columns={columns}
        reading={reading}
        rowKey={({ id }) => id}
        none={isNew === undefined && <NoTokens onNew={open} />}
      />
      <ClientNeeds address={address} />
    </Stack>
  )
}

const lifetimes = [7, 30, wire.mcpTokenDays.usual, 180, wire.mcpTokenDays.most] as const

const scopeTexts: Readonly<Record<wire.McpScope, string>> = {
  'connectors:read': 'See the connectors',
  'execute:read': 'Read and search records',
  'execute:write': 'Create, change and delete records at the vendors',
}

interface Entered {
  readonly name: string
  readonly workspaces: readonly string[]
  readonly connectors: readonly string[]
  readonly scopes: readonly wire.McpScope[]
  readonly days: number
}

interface FieldsProps {
  readonly entered: Entered
  readonly set: (changes: Partial<Entered>) => void
}

const printBody = ({ name, workspaces, connectors, scopes, days }: Entered): wire.McpTokenInput => ({
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
        data={offered.map((connector) => ({ value: connector.id, label: printChoice(connector) }))}
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
        onChange={(values) => set({ scopes: wire.mcpScopes.filter((scope) => values.includes(scope)) })}
      >
        <Stack gap="xs" mt="xs">
          {wire.mcpScopes.map((scope) => (
            <Checkbox key={scope} value={scope} label={scopeTexts[scope]} description={scope} />
          ))}
        </Stack>
      </Checkbox.Group>
      <NativeSelect
        label="Lifetime"
        data={lifetimes.map((each) => ({ value: String(each), label: `${each} days` }))}
        {...bindValue(String(days), (next) => set({ days: Number(next) }))}
      />
    </>
  )
}

interface TokenFormProps {
  readonly creation: UseMutationResult<unknown, Error, wire.McpTokenInput>
  readonly onCancel: () => void
}

/** Shows the form. Enter creates. */
function TokenForm({ creation, onCancel }: TokenFormProps) {
  const { workspace } = useTenant()
  const first = {
    name: '',
    workspaces: [workspace ?? 'default'],
    connectors: [],
    scopes: wire.defaultMcpScopes,
    days: wire.mcpTokenDays.usual,
  }
  const { entered, set, keep } = useEntries<Entered>(first, ['new'])
  const cancel = () => {
    keep()
    onCancel()
  }
  const { name, workspaces, scopes } = entered
  return (
    <Paper withBorder p="md">
      <WriteForm
        maw="var(--form-width)"
        label="New token"
        action="Create the token"
        write={creation}
        onSubmit={() => creation.mutate(printBody(entered), { onSuccess: () => keep() })}
        failure="The token was not created"
        isDisabled={name.trim() === '' || workspaces.length * scopes.length === 0}
        onCancel={cancel}
      >
        <TextInput
          label="Name"
          description="To recognize the token in this list: the agent, or the machine."
          {...bindValue(name, (next) => set({ name: next }))}
          maxLength={wire.mostNameCharacters}
          autoComplete="off"
          required
        />
        <ReachFields entered={entered} set={set} />
        <RightsFields entered={entered} set={set} />
      </WriteForm>
    </Paper>
  )
}
