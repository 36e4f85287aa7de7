/** Shows the state of a connector. */
import { Badge } from '@mantine/core'
import type { ConnectorSummary } from 'ferrule/wire'

/** Words and colors by status. */
const looks: Readonly<Record<ConnectorSummary['status'], readonly [says: string, color: string]>> = {
  active: ['Active', 'green'],
  auth_error: ['Credentials refused', 'red'],
  disabled: ['Disabled', 'gray'],
}

/** Shows a status as a word with a color. */
export function ConnectorStatus({ status }: { readonly status: ConnectorSummary['status'] }) {
  const [says, color] = looks[status]
  return <Badge color={color}>{says}</Badge>
}
