/** Tokens for MCP: for the settings of agents. */
import { Button, Stack } from '@mantine/core'
import type { McpTokenRecord, McpTokenSecret } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useAddressParams } from '../../data/params.ts'
import { useService } from '../../data/service.ts'
import { useWrite } from '../../data/write.ts'
import { CursorPages } from '../../parts/cursor-pages.tsx'
import { EmptyState } from '../../parts/empty-state.tsx'
import { ListTable } from '../../parts/list-table.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { SecretDialog } from '../../parts/secret-dialog.tsx'
import { ClientNeeds, printHeader } from './client-needs.tsx'
import { TokenForm } from './token-form.tsx'
import { TokenRow } from './token-row.tsx'

/** Shows a page of tokens. */
function Tokens({ tokens, onNew }: { readonly tokens: readonly McpTokenRecord[]; readonly onNew: () => void }) {
  if (tokens.length === 0)
    return (
      <EmptyState title="No tokens yet" says="A token lets an agent use some of your connectors by MCP. You can revoke it at any time.">
        <Button onClick={onNew}>Create a token</Button>
      </EmptyState>
    )
  const titles = ['Name', 'Reaches', 'May', 'Expires', 'Last used', 'Actions']
  return (
    <ListTable label="Tokens for MCP" titles={titles} minWidth={920}>
      {tokens.map((token) => (
        <TokenRow key={token.id} token={token} />
      ))}
    </ListTable>
  )
}

/** Shows the text of a new token, this once. */
function NewToken({ made, onClose }: { readonly made: McpTokenSecret | undefined; readonly onClose: () => void }) {
  const texts = made && [
    { label: 'Address', value: made.resource },
    { label: 'Token', value: made.token },
    { label: 'Header', value: printHeader(made.token) },
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
      <PageHeader title="MCP tokens" about="For the settings of agents: long-lived, for some connectors only, revocable at once.">
        {isNew === undefined && <Button onClick={open}>Create a token</Button>}
      </PageHeader>
      {isNew !== undefined && <NewTokenForm onClose={() => change({ new: undefined })} />}
      <ReadingView reading={reading}>
        {({ data, next }) => (
          <>
            {(data.length > 0 || isNew === undefined) && <Tokens tokens={data} onNew={open} />}
            <CursorPages next={next} />
          </>
        )}
      </ReadingView>
      <ClientNeeds address={address} />
    </Stack>
  )
}
