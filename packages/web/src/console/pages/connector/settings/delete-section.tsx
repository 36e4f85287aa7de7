/** Deletes a connector. */
import { Group } from '@mantine/core'
import type { ConnectorRecord, DefinitionRecord } from 'ferrule/wire'
import { connectorLists } from '../../../data/connectors.ts'
import { giveUpChanges } from '../../../data/leaving.ts'
import { useGo } from '../../../data/tenant.ts'
import { useWrite } from '../../../data/write.ts'
import { announce } from '../../../parts/announcements.tsx'
import { ConfirmButton } from '../../../parts/confirm-button.tsx'
import { findScheme } from '../../../parts/connectors/credential-fields.tsx'
import { Section } from '../../../parts/section.tsx'

/** Shows the section. */
export function DeleteSection({ connector, kind }: { readonly connector: ConnectorRecord; readonly kind: DefinitionRecord }) {
  const { id, name, credential_scheme: scheme } = connector
  const revokes = findScheme(kind, scheme)?.revokes_consent === true
  const go = useGo()
  const deletion = useWrite((ferrule) => ferrule.connectors.delete(id), {
    refreshes: [connectorLists],
    onDone: () => {
      announce(`The connector ${name} was deleted.`)
      giveUpChanges()
      go('/connectors', {}, { replace: true })
    },
  })
  return (
    <Section title="Delete" about="A deleted connector cannot be restored.">
      <Group>
        <ConfirmButton isDanger label="Delete the connector" title="Delete the connector for good?" typed={name} mutation={deletion}>
          Its credentials and its copy are destroyed, and programs that use its id get an error from then on. No data is deleted at the
          vendor.
          {revokes &&
            ` If it came from the consent page and no other connector has the same consent, its access at ${kind.definition.name} ends too.`}
        </ConfirmButton>
      </Group>
    </Section>
  )
}
