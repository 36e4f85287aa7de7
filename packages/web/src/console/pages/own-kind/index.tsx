/** A kind of the organization: its file in an editor, what a change means, its versions, and its connectors. */
import { Alert, Anchor, Button, FileInput, Group, List, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { type LeftConnector, moveConnectors } from 'ferrule/internal'
import { type KindCheck, type KindImport, type KindRecord, type KindVersionList, largestDocument } from 'ferrule/wire'
import { useState } from 'react'
import { useParams } from 'wouter'
import { connectorLists } from '../../data/connectors.ts'
import { useRead } from '../../data/ferrule.ts'
import { giveUpChanges } from '../../data/leaving.ts'
import { useGo } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { CodeEditor } from '../../parts/code/code-editor.tsx'
import type { EditorProblem } from '../../parts/code/props.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { bindValue } from '../../parts/form/text-entry.ts'
import { WriteForm } from '../../parts/form/write-form.tsx'
import { PlainButton, Quiet, SmallButton } from '../../parts/looks.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageButton, PageLink } from '../../parts/page-link.tsx'
import { printCounted, printSize } from '../../parts/print.ts'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import type { ListColumn } from '../../parts/table/list-table.tsx'
import { ReadTable } from '../../parts/table/read-table.tsx'
import { Time } from '../../parts/time.tsx'
import { ChangeList, type Finding, Findings, meanings, NewHosts } from './check-view.tsx'
import { Recordings, TestResult } from './recordings.tsx'
import { kindKeys, type Texts, toTexts, useWork, type Work, type WorkProps } from './work.ts'

interface MadeKind extends KindImport {
  readonly slug: string
}

/** Makes a slug of the name of a file: `Acme.openapi.json` → `acme`. */
const toSlug = (name: string): string =>
  (name.split('.', 1)[0] ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^[^a-z]+|-+$/g, '')
    .slice(0, 40)

function ImportForm({ onMade }: { readonly onMade: (made: MadeKind) => void }) {
  const [file, setFile] = useState<File | null>(null)
  const [slug, setSlug] = useState('')
  const [api, setApi] = useState('')
  const [only, setOnly] = useState('')
  const names = only.split(',').flatMap((name) => name.trim() || [])
  const conversion = useWrite(
    async (ferrule, document: File): Promise<MadeKind> => {
      const options = { ...(api === '' ? {} : { api }), ...(names.length === 0 ? {} : { only: names }) }
      return { slug, ...(await ferrule.kinds.importDocument({ kind: slug, document: await document.text(), ...options })) }
    },
    { onDone: onMade },
  )
  const isTooLarge = file !== null && file.size > largestDocument
  return (
    <WriteForm
      isDialog
      label="Import a document"
      action="Import"
      write={conversion}
      onSubmit={() => file !== null && !isTooLarge && conversion.mutate(file)}
      failure="The document was not imported"
      isDisabled={file === null || isTooLarge}
    >
      <FileInput
        label="Document"
        description="OpenAPI, the manifest of a low-code connector, or a schema of GraphQL"
        placeholder="Choose a file"
        value={file}
        onChange={(chosen) => {
          setFile(chosen)
          if (chosen !== null && slug === '') setSlug(toSlug(chosen.name))
        }}
        error={isTooLarge && `It is larger than ${printSize(largestDocument)}: ferrule kind new takes it.`}
        data-autofocus
        required
      />
      <TextInput
        label="Short name"
        description="Names the kind in programs: small letters, digits and dashes"
        {...bindValue(slug, setSlug)}
        pattern="[a-z][a-z0-9\-]{1,39}"
        autoComplete="off"
        required
      />
      <TextInput
        label="Address of the API"
        description="Instead of that of the document. A schema of GraphQL says none"
        placeholder="https://api.acme.example"
        {...bindValue(api, setApi)}
        autoComplete="off"
      />
      <TextInput
        label="Only these entities or tags"
        description="With commas between them; all if empty"
        {...bindValue(only, setOnly)}
        autoComplete="off"
      />
    </WriteForm>
  )
}

/** Shows the button. @param props `onMade`: receives the text */
function ImportButton({ onMade }: { readonly onMade: (made: MadeKind) => void }) {
  const [opened, { open, close }] = useDisclosure(false)
  const take = (made: MadeKind) => {
    close()
    announce(`The editor has ${printCounted(made.entities, 'entity', 'entities')} of the document.`)
    onMade(made)
  }
  return (
    <>
      <PlainButton onClick={open}>Import a document</PlainButton>
      <Modal opened={opened} onClose={close} title="Import a document" centered>
        <ImportForm onMade={take} />
      </Modal>
    </>
  )
}

/** Most parts that are listed at first. */
const mostListed = 20

function LeftOut({ parts }: { readonly parts: KindImport['left_out'] }) {
  const [isWhole, setWhole] = useState(false)
  if (parts.length === 0) return null
  return (
    <Section title={`Left out (${parts.length})`} about="Parts of the document that the file cannot say.">
      <List size="sm" spacing={4} style={{ overflowWrap: 'anywhere' }}>
        {(isWhole ? parts : parts.slice(0, mostListed)).map(({ what, why }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes, and a part can be left out twice
          <List.Item key={index}>
            <strong>{what}</strong>: {why}
          </List.Item>
        ))}
      </List>
      {parts.length > mostListed && !isWhole && (
        <Text size="sm">
          <Anchor component="button" type="button" size="sm" underline="always" onClick={() => setWhole(true)}>
            Show all {parts.length}
          </Anchor>
        </Text>
      )}
    </Section>
  )
}

/** What the parts get. */
interface KindProps {
  readonly kind: KindRecord
  readonly refreshes: readonly (readonly unknown[])[]
}

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
function MoveSection({ kind: { slug, version, connectors }, refreshes }: KindProps) {
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

function DeleteButton({ kind: { slug, title, connectors } }: Pick<KindProps, 'kind'>) {
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
        All its versions go, and your OAuth client at its vendor. This cannot be undone.
      </ConfirmButton>
      {connectors > 0 && <Quiet>Connectors use it: delete them first.</Quiet>}
    </Group>
  )
}

/** Lists what the editor of a text marks. */
const listProblems = ({ isCurrent, check }: Work, file: Finding['file']): readonly EditorProblem[] => {
  if (!isCurrent || check.data === undefined) return []
  const { mistakes, doubts } = check.data
  return [...mistakes, ...doubts.map((doubt) => ({ ...doubt, isDoubt: true }))].filter((each) => each.file === file)
}

function PublishButton({ work: { slug = '', base, publication }, check }: { readonly work: Work; readonly check: KindCheck }) {
  return (
    <ConfirmButton label="Publish" title={`Publish version ${base.newest + 1} of ${slug}?`} mutation={publication}>
      <Stack gap="sm">
        <Text size="sm">For connectors that move to it: {meanings[check.class]}.</Text>
        <Text size="sm">Connectors stay with the version that they run, until you move them. A version never changes.</Text>
      </Stack>
    </ConfirmButton>
  )
}

function CheckResult({ work, stored, goTo }: { readonly work: Work; readonly goTo: (at: Finding) => void } & WorkProps) {
  const { check, isCurrent } = work
  if (check.error !== null) return <ErrorBox error={check.error} title="The file was not checked" />
  if (check.data === undefined) return null
  if (!isCurrent)
    return (
      <Text size="sm" c="dimmed" role="status">
        The text has changed since the last check.
      </Text>
    )
  const { valid, mistakes, doubts, unsure, test, newest } = check.data
  return (
    <Stack gap="md">
      <Findings title="Mistakes" findings={mistakes} goTo={goTo} />
      <Findings title="Doubts" findings={doubts} goTo={goTo} />
      <Findings title="Unsure" findings={unsure} goTo={goTo} />
      <TestResult test={test} goTo={goTo} />
      {valid && (
        <Section title="What this will change">
          <ChangeList changes={check.data.changes} none={newest === 0 ? 'This file makes a new kind.' : 'Nothing.'} />
          <NewHosts hosts={check.data.hosts} known={stored?.hosts ?? []} />
          <Group>
            <PublishButton work={work} check={check.data} />
          </Group>
        </Section>
      )}
    </Stack>
  )
}

/** Says that the texts are not of the newest version, and offers that one. */
function Stale({ work: { base, load }, stored }: { readonly work: Work; readonly stored: KindRecord | undefined }) {
  if (stored === undefined || stored.version <= base.newest) return null
  return (
    <Alert color="yellow" variant="light" title={`Somebody published version ${stored.version} meanwhile`} role="status">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">Your text was made from version {base.newest}, and cannot be published. Copy what you need first.</Text>
        <SmallButton onClick={() => load(toTexts(stored), stored.version)}>Load version {stored.version}</SmallButton>
      </Stack>
    </Alert>
  )
}

/** Shows the editor with what is below it. */
function Editing({ stored, onStale }: WorkProps) {
  const work = useWork({ ...(stored === undefined ? {} : { stored }), ...(onStale === undefined ? {} : { onStale }) })
  const { texts, change, slug, check, runCheck, load, take } = work
  const [made, setMade] = useState<MadeKind>()
  const [place, setPlace] = useState<Finding>()
  return (
    <Stack gap="lg">
      <Stale work={work} stored={stored} />
      {stored === undefined && (
        <Group>
          <ImportButton
            onMade={(kind) => {
              setMade(kind)
              take(kind)
            }}
          />
          <Quiet>Makes the file from a document of the vendor, such as OpenAPI. Or write it below.</Quiet>
        </Group>
      )}
      <Stack gap="xs">
        <CodeEditor
          label="Kind file"
          language="kind"
          value={texts.file}
          onChange={(file) => change({ file })}
          onSubmit={runCheck}
          problems={listProblems(work, 'kind')}
          place={place?.file === 'kind' ? place : undefined}
        />
        <Group>
          <Button loading={check.isPending} disabled={slug === undefined} onClick={runCheck}>
            Check
          </Button>
          <Quiet>
            {slug === undefined
              ? 'The file names no kind: write kind: and a short name in its first line.'
              : 'Nothing is stored by a check.'}
          </Quiet>
        </Group>
      </Stack>
      <CheckResult work={work} goTo={(at) => setPlace({ ...at })} {...(stored === undefined ? {} : { stored })} />
      {made !== undefined && <LeftOut parts={made.left_out} />}
      <Recordings
        work={work}
        slug={stored?.slug}
        problems={listProblems(work, 'recordings')}
        place={place?.file === 'recordings' ? place : undefined}
      />
      {stored !== undefined && (
        <>
          <MoveSection kind={stored} refreshes={kindKeys} />
          <Versions kind={stored} onOpen={(opened) => load(opened)} />
          <DeleteButton kind={stored} />
        </>
      )}
    </Stack>
  )
}

function StoredKind({ slug }: { readonly slug: string }) {
  const reading = useRead(['kinds', slug, 'file'], (ferrule, signal) => ferrule.kinds.get(slug, {}, { signal }))
  return (
    <>
      <PageLink to="/kinds" size="sm">
        All kinds
      </PageLink>
      <PageHeader title={reading.data?.title ?? slug} about="A kind of your organization. Nobody has reviewed it.">
        <PageLink to={`/kinds/${slug}`}>Reference</PageLink>
        {reading.data?.sandbox === true && (
          <PageButton to="/connectors/new" params={{ kind: slug, sandbox: '1' }} variant="default">
            New sandbox connector
          </PageButton>
        )}
        <PageButton to="/connectors/new" params={{ kind: slug }}>
          New connector
        </PageButton>
      </PageHeader>
      <ReadingView reading={reading}>{(kind) => <Editing stored={kind} onStale={() => void reading.refetch()} />}</ReadingView>
    </>
  )
}

/** The page. */
export function Page() {
  const { slug } = useParams<{ slug?: string }>()
  if (slug !== undefined) return <StoredKind key={slug} slug={slug} />
  return (
    <>
      <PageLink to="/kinds" size="sm">
        All kinds
      </PageLink>
      <PageHeader title="New kind" about="A file describes an external system: how to sign in, and what to read and write." />
      <Editing />
    </>
  )
}

type Version = KindVersionList['data'][number]

const useVersions = (slug: string) => useRead(['kinds', slug, 'versions'], (ferrule, signal) => ferrule.kinds.versions(slug, { signal }))

/** Shows the versions. @param props `onOpen`: receives the texts of a version */
function Versions({ kind: { slug }, onOpen }: { readonly kind: KindRecord; readonly onOpen: (texts: Texts) => void }) {
  const reading = useVersions(slug)
  const opening = useWrite((ferrule, version: number) => ferrule.kinds.get(slug, { version: String(version) }), {
    onDone: (opened) => {
      onOpen(toTexts(opened))
      announce(`The editor has version ${opened.file_version}. It is published as a new version.`)
    },
  })
  const columns: readonly ListColumn<Version>[] = [
    { title: 'Version', cell: ({ version }) => <strong>{version}</strong> },
    { title: 'Changes', width: '50%', cell: ({ changes }) => <ChangeList changes={changes} none="The first version" /> },
    { title: 'Connectors', isNumber: true, cell: ({ connectors }) => connectors },
    { title: 'Published', cell: ({ created_at: time }) => <Time value={time} /> },
    {
      title: 'Action',
      cell: ({ version }) => (
        <SmallButton aria-label={`Open version ${version}`} onClick={() => opening.mutate(version)}>
          Open
        </SmallButton>
      ),
    },
  ]
  return (
    <Section title="Versions">
      <ErrorBox error={opening.error} />
      <ReadTable label="Versions" columns={columns} reading={reading} rowKey={({ version }) => String(version)} />
    </Section>
  )
}
