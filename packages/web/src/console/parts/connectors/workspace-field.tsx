/** The workspace of a new connector. */
import { TextInput } from '@mantine/core'
import { mostNameCharacters } from 'ferrule/wire'
import { bindText, type TextEntries } from '../form/text-entry.ts'

/** Shows the field. The service creates a workspace that does not exist yet. */
export const WorkspaceField = (props: TextEntries<'workspace'>) => (
  <TextInput
    label="Workspace"
    description="One for each customer, for example. A new name makes a new workspace."
    required
    maxLength={mostNameCharacters}
    {...bindText(props, 'workspace', '/workspace_name')}
  />
)
