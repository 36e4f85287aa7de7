/** What an MCP client needs to reach the service. */
import { Text } from '@mantine/core'
import { CopyText } from '../../parts/secret-dialog.tsx'
import { Section } from '../../parts/section.tsx'

/** Name of the variable that clients keep the token in. */
const variable = 'FERRULE_MCP_TOKEN'

/** Prints the header of a client's requests. */
export const printHeader = (token: string): string => `Authorization: Bearer ${token}`

/** Prints the entry of a client's settings. It names a variable, so it has no secret. */
const printEntry = (address: string): string =>
  JSON.stringify({ mcpServers: { ferrule: { url: address, headers: { Authorization: `Bearer \${env:${variable}}` } } } }, null, 2)

/** Shows what to copy. @param props `address`: of the MCP endpoint; undefined: the service does not know it yet */
export function ClientNeeds({ address }: { readonly address: string | undefined }) {
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
