/** What a new connect link is for: a new connector, or one to authorize again. */
import { Checkbox, MultiSelect, SegmentedControl, Stack, Switch, Text, TextInput } from '@mantine/core'
import { mostNameCharacters } from 'ferrule/wire'
import { useAddressParams } from '../../data/params.ts'
import { useKinds } from '../../data/references.ts'
import { useHasSandbox } from '../../data/service.ts'
import { ConnectorSelect, useConnectorChoice } from '../../parts/connector-select.tsx'
import { WorkspaceField } from '../../parts/connectors/workspace-field.tsx'
import { bindText } from '../../parts/form/text-entry.ts'
import type { DraftProps } from './link-draft.ts'

/** Stands in the address for a connector that is not chosen yet. */
export const unchosen = '-'

/** Shows the fields of a link that makes a connector. */
function NewConnectorFields(props: DraftProps) {
  const { entered, set, errorAt } = props
  const hasSandbox = useHasSandbox()
  const kinds = useKinds().data ?? []
  return (
    <>
      <MultiSelect
        label="Kinds"
        description="The end user chooses among them. Choose none to offer all."
        data={kinds.map(({ connector_type: value, name: label }) => ({ value, label }))}
        value={[...entered.kinds]}
        onChange={(chosen) => set({ kinds: chosen })}
        error={errorAt('/kinds')}
      />
      <WorkspaceField {...props} />
      <TextInput
        label="Name of the connector"
        description="Left empty, the end user may give one."
        maxLength={mostNameCharacters}
        {...bindText(props, 'name', '/name')}
      />
      {hasSandbox && (
        <Switch
          label="Use the sandbox"
          description="The service plays the vendor, with invented data."
          checked={entered.isSandbox}
          onChange={({ currentTarget }) => set({ isSandbox: currentTarget.checked })}
        />
      )}
    </>
  )
}

/** Shows the fields of a link that authorizes a connector again. The address has its id. */
function AgainFields({ entered, set, errorAt, connector }: DraftProps & { readonly connector: string }) {
  const [, change] = useAddressParams('connector')
  const reading = useConnectorChoice()
  return (
    <>
      <ConnectorSelect
        reading={reading}
        value={connector === unchosen ? undefined : connector}
        onChange={({ id }) => change({ connector: id })}
      />
      <Text size="sm">The link replaces the credentials and nothing else: the copy, the schedule, the configuration and the id stay.</Text>
      <Checkbox
        label="The new credentials may belong to another account"
        description="Without this, another account is refused, and so is one that cannot be proven to be the same."
        checked={entered.isOtherAllowed}
        onChange={({ currentTarget }) => set({ isOtherAllowed: currentTarget.checked })}
        error={errorAt('/connector_id')}
      />
    </>
  )
}

/** Shows the choice and its fields. */
export function PurposeFields(props: DraftProps) {
  const [{ connector }, change] = useAddressParams('connector')
  return (
    <Stack>
      <SegmentedControl
        aria-label="What the link is for"
        data={[
          { value: 'new', label: 'A new connector' },
          { value: 'again', label: 'Authorize a connector again' },
        ]}
        value={connector === undefined ? 'new' : 'again'}
        onChange={(value) => change({ connector: value === 'new' ? undefined : unchosen })}
        style={{ alignSelf: 'flex-start', maxWidth: '100%' }}
      />
      {connector === undefined ? <NewConnectorFields {...props} /> : <AgainFields {...props} connector={connector} />}
    </Stack>
  )
}
