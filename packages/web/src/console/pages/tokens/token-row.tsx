/** A token for MCP in the list. */
import { Badge, Group, Stack, Table, Text } from '@mantine/core'
import type { McpTokenRecord } from 'ferrule/wire'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { printCounted } from '../../parts/print.ts'
import { Time } from '../../parts/time.tsx'

/** What the parts of the row get. */
interface TokenProps {
  readonly token: McpTokenRecord
}

/** Asks, then revokes the token. */
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

/** Shows which workspaces and connectors the token reaches. */
function Reach({ token: { workspaces, connector_ids: ids } }: TokenProps) {
  return (
    <Stack gap={2}>
      <Text size="sm">{workspaces.length === 0 ? 'no workspace any more' : workspaces.map(({ name }) => name).join(', ')}</Text>
      <Text size="sm" c="dimmed">
        {ids === null ? 'all connectors' : printCounted(ids.length, 'connector')}
      </Text>
    </Stack>
  )
}

/** Shows the row. */
export function TokenRow({ token }: TokenProps) {
  const { name, client_id: client, scopes, expires_at: expires, last_used_at: used } = token
  return (
    <Table.Tr>
      <Table.Td fw={600}>
        {name}
        {client !== null && (
          <Text size="sm" c="dimmed">
            let in on the sign-in page
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Reach token={token} />
      </Table.Td>
      <Table.Td>
        <Group gap={4}>
          {scopes.map((scope) => (
            <Badge key={scope} color="gray">
              {scope}
            </Badge>
          ))}
        </Group>
      </Table.Td>
      <Table.Td>
        <Time value={expires} />
      </Table.Td>
      <Table.Td>
        <Time value={used} />
      </Table.Td>
      <Table.Td>
        <RevokeButton token={token} />
      </Table.Td>
    </Table.Tr>
  )
}
