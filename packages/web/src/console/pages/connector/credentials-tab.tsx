/** What a connector signs in with: what is stored, a check, and new credentials. */
import { Badge, Group, Stack, Text } from '@mantine/core'
import type { ConnectorRecord, DefinitionRecord } from 'ferrule/wire'
import { useState } from 'react'
import { useKind } from '../../data/connector.ts'
import { useRead } from '../../data/ferrule.ts'
import { useChanges } from '../../data/leaving.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { CheckResultView } from '../../parts/check-result.tsx'
import { CredentialFields, findScheme } from '../../parts/connectors/credential-fields.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { listProblems } from '../../parts/form/problems.ts'
import type { Schema } from '../../parts/form/schema.ts'
import { WriteForm } from '../../parts/form/write-form.tsx'
import { WriteButton } from '../../parts/looks.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { ConnectLinkButton } from './connect-link-button.tsx'
import { listAllKeys } from './data.ts'

interface NewCredentialsProps {
  readonly connector: ConnectorRecord
  readonly kind: DefinitionRecord
  /** Newest version of a kind of the organization, whose fields the form has: the connector moves to it. */
  readonly version: number | undefined
}

const toMove = (version: number | undefined) => (version === undefined ? {} : { kind_version: version })

/** Holds what was entered, until it is stored. */
function useNewCredentials({ connector, kind, version }: NewCredentialsProps) {
  const { id, credential_scheme: stored } = connector
  const [scheme, setScheme] = useState(stored)
  const [value, setValue] = useState<Schema>({})
  const keep = useChanges(value, ['tab'])
  const change = useWrite((ferrule, credentials: Schema) => ferrule.connectors.patch(id, { credentials, ...toMove(version) }), {
    refreshes: listAllKeys(id),
    onDone: () => {
      setValue({})
      keep({})
      announce('The vendor accepted the credentials, and they are stored.')
    },
  })
  const choose = (next: string) => {
    setScheme(next)
    setValue({})
    change.reset()
  }
  return { scheme: findScheme(kind, scheme)?.scheme, value, setValue, change, choose }
}

function NewCredentials(props: NewCredentialsProps) {
  const { connector, kind, version } = props
  const { scheme, value, setValue, change, choose } = useNewCredentials(props)
  const isMoved = version !== undefined && version !== connector.kind_version
  const isSame = scheme === connector.credential_scheme
  return (
    <WriteForm
      gap="sm"
      label="New credentials"
      action="Check and store"
      write={change}
      onSubmit={() => change.mutate(value)}
      failure="The credentials were not stored"
      isDisabled={Object.keys(value).length === 0}
    >
      {isSame && !isMoved && <Text size="sm">A field that stays empty keeps its stored value.</Text>}
      {isMoved && (
        <Text size="sm">
          The connector runs version {connector.kind_version} of its kind. With new credentials it moves to version {version}.
        </Text>
      )}
      <CredentialFields
        kind={kind}
        scheme={scheme}
        onScheme={choose}
        value={value}
        onChange={setValue}
        problems={listProblems(change.error)}
        isPartial={isSame && !isMoved}
      />
    </WriteForm>
  )
}

function StoredFields({ connector, title }: { readonly connector: ConnectorRecord; readonly title: string }) {
  return (
    <Section title="What is stored" about={`${title}. The service keeps these fields sealed, and shows their values to nobody.`}>
      <Group gap="xs" component="ul" p={0} m={0} style={{ listStyle: 'none' }} aria-label="Stored fields">
        {connector.credential_fields.map((name) => (
          <Badge key={name} component="li" variant="default" tt="none">
            {name}
          </Badge>
        ))}
      </Group>
    </Section>
  )
}

function StoredCheck({ id }: { readonly id: string }) {
  const check = useWrite((ferrule) => ferrule.connectors.check(id), { refreshes: listAllKeys(id) })
  return (
    <Stack gap="sm" align="flex-start">
      <WriteButton write={check}>Check at the vendor</WriteButton>
      <ErrorBox error={check.error} />
      {check.data !== undefined && <CheckResultView result={check.data} />}
    </Stack>
  )
}

/** Shows the tab. */
export function CredentialsTab({ connector }: { readonly connector: ConnectorRecord }) {
  const { connector_type: slug } = connector
  const reading = useKind(slug)
  const isOwn = connector.kind_version !== undefined
  const own = useRead(['kinds', slug, 'file'], (ferrule, signal) => ferrule.kinds.get(slug, {}, { signal }), { enabled: isOwn })
  return (
    <ReadingView reading={reading}>
      {(kind) => (
        <Stack gap="lg" maw="var(--form-width)">
          <StoredFields
            connector={connector}
            title={kind.credentials.find(({ scheme }) => scheme === connector.credential_scheme)?.title ?? ''}
          />
          <StoredCheck id={connector.id} />
          <Section
            title="Replace the credentials"
            about="New credentials are checked at the vendor before they are stored. The copy, the schedule and the id stay. A failed check changes nothing."
          >
            {(!isOwn || !own.isPending) && <NewCredentials connector={connector} kind={kind} version={own.data?.version} />}
          </Section>
          <Stack gap="xs" align="flex-start">
            <Text size="sm">Somebody else has the account? They can do it on a page of their own, and nobody here sees the secret.</Text>
            <ConnectLinkButton connector={connector} />
          </Stack>
        </Stack>
      )}
    </ReadingView>
  )
}
