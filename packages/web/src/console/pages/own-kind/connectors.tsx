/** The connectors of a kind: moving them to its newest version, and the deletion of a kind without any. */
import { Group, List, Stack, Text } from '@mantine/core'
import { type LeftConnector, moveConnectors } from 'ferrule/internal'
import type { KindRecord } from 'ferrule/wire'
import { connectorLists } from '../../data/connectors.ts'
import { giveUpChanges } from '../../data/leaving.ts'
import { useGo } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { printCounted } from '../../parts/print.ts'
import { Section } from '../../parts/section.tsx'
import { useVersions } from './versions.tsx'

/** What the parts get. */
interface KindProps {
  readonly kind: KindRecord
  /** What is read again. */
  readonly refreshes: readonly (readonly unknown[])[]
}

/** Lists connectors that did not move. */
const Left = ({ left, version }: { readonly left: readonly LeftConnector[]; readonly version: number }) => (
  <Stack gap="xs">
    <Text size="sm">
      These stay with their versions. New credentials on the Credentials tab of a connector move it to version {version}.
    </Text>
    <List size="sm" aria-label="Connectors that stay">
      {left.map(({ id, name, reason }) => (
        <List.Item key={id}>
          <PageLink to={`/connectors/${id}`} params={{ tab: 'credentials' }} underline="always">
            {name}
          </PageLink>
          : {reason}
        </List.Item>
      ))}
    </List>
  </Stack>
)

/** Shows how many connectors run older versions, and moves them. */
export function MoveSection({ kind: { slug, version, connectors }, refreshes }: KindProps) {
  const versions = useVersions(slug)
  const moving = useWrite((ferrule) => moveConnectors(ferrule.connectors, { slug, version }), {
    refreshes: [...refreshes, connectorLists, ['connector']],
    onDone: ({ moved, left }) =>
      announce(
        left.length === 0
          ? `${printCounted(moved.length, 'connector')} moved to version ${version}.`
          : `${printCounted(moved.length, 'connector')} moved to version ${version}; ${printCounted(left.length, 'connector')} stayed.`,
      ),
  })
  if (connectors === 0) return null
  const older = (versions.data ?? []).filter((each) => each.version < version).reduce((sum, each) => sum + each.connectors, 0)
  const left = moving.data?.left ?? []
  return (
    <Section title="Connectors">
      <Text size="sm">
        {printCounted(connectors, 'connector')} of this kind, {older} on older versions.
      </Text>
      {older > 0 && (
        <Group>
          <ConfirmButton
            label={`Move ${printCounted(older, 'connector')} to version ${version}`}
            title={`Move to version ${version}?`}
            action="Move"
            mutation={moving}
          >
            Their copies follow what the versions changed. Credentials belong to the hosts that they were entered for: connectors whose
            version leads to other hosts stay, and are listed.
          </ConfirmButton>
        </Group>
      )}
      {left.length > 0 && <Left left={left} version={version} />}
    </Section>
  )
}

/** Deletes the kind. */
export function DeleteButton({ kind: { slug, title, connectors } }: Pick<KindProps, 'kind'>) {
  const go = useGo()
  const deletion = useWrite((ferrule) => ferrule.kinds.delete(slug), {
    // The page of the deleted kind is left, and must not read it again.
    refreshes: [['kinds', 'list'], ['definitions']],
    onDone: () => {
      giveUpChanges()
      announce(`The kind ${title} was deleted.`)
      go('/kinds')
    },
  })
  return (
    <Group>
      <ConfirmButton
        isDanger
        label="Delete the kind"
        title={`Delete ${title}?`}
        typed={slug}
        isDisabled={connectors > 0}
        mutation={deletion}
      >
        All its versions go, and the application at its vendor. This cannot be undone.
      </ConfirmButton>
      {connectors > 0 && (
        <Text size="sm" c="dimmed">
          Connectors use it: delete them first.
        </Text>
      )}
    </Group>
  )
}
