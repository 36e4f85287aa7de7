/** A kind of the organization: its file in an editor, what a change means, its versions, and its connectors. */
import { Alert, Button, Code, Group, Stack, Text } from '@mantine/core'
import { writeKindTemplate } from 'ferrule/internal'
import type { KindCheck, KindRecord } from 'ferrule/wire'
import { useState } from 'react'
import { useParams } from 'wouter'
import { useRead } from '../../data/ferrule.ts'
import { useChanges } from '../../data/leaving.ts'
import { useGo } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { CodeEditor } from '../../parts/code/code-editor.tsx'
import type { EditorProblem } from '../../parts/code/props.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { ChangeList, Findings, meanings, NewHosts } from './check-view.tsx'
import { DeleteButton, MoveSection } from './connectors.tsx'
import { ImportButton, LeftOut, type MadeKind } from './import-button.tsx'
import { Versions } from './versions.tsx'

/** Reads the slug of a file, at the beginning of a line. */
const readSlug = (file: string): string | undefined => /^(?:\s*\{\s*)?"?kind"?:\s*["']?([a-z][a-z0-9-]*)/m.exec(file)?.[1]

/** What is edited: the text, and the version that it was made from. */
interface Base {
  readonly text: string
  readonly newest: number
}

/** What a publication changes in other readings. */
const kindKeys = [['kinds'], ['definitions'], ['definition']] as const

/** What the editor gets. */
interface WorkProps {
  /** Undefined for a new kind: its file names it. */
  readonly stored?: KindRecord
  /** Reads the kind again. */
  readonly onStale?: () => void
}

/** Holds the text, its check and its publication. */
function useWork({ stored, onStale }: WorkProps) {
  const go = useGo()
  const [base, setBase] = useState<Base>({
    text: stored?.file ?? writeKindTemplate('acme', 'Acme', 'https://api.acme.example'),
    newest: stored?.version ?? 0,
  })
  const [text, setText] = useState(base.text)
  const keep = useChanges(text)
  const slug = stored?.slug ?? readSlug(text)
  const check = useWrite((ferrule, given: { readonly slug: string; readonly file: string }) =>
    ferrule.kinds.check(given.slug, { file: given.file }),
  )
  const publication = useWrite(
    async (ferrule) => {
      try {
        return await ferrule.kinds.publish(slug ?? '', { file: text, newest: base.newest })
      } catch (error) {
        onStale?.()
        throw error
      }
    },
    {
      refreshes: kindKeys,
      onDone: ({ slug: published, title, version }) => {
        keep(text)
        setBase({ text, newest: version })
        check.reset()
        announce(`${title} has version ${version} now.`)
        if (stored === undefined) go(`/own-kinds/${published}`, {}, { replace: true })
      },
    },
  )
  const runCheck = () => {
    if (slug !== undefined && !check.isPending) check.mutate({ slug, file: text })
  }
  const load = (next: Base) => {
    setBase(next)
    setText(next.text)
    check.reset()
  }
  const take = ({ slug: made, file }: MadeKind) => {
    load({ text: file, newest: 0 })
    check.mutate({ slug: made, file })
  }
  const isCurrent = check.data !== undefined && check.variables?.file === text
  return { base, text, setText, slug, check, runCheck, publication, load, take, isCurrent }
}

type State = ReturnType<typeof useWork>

/** Lists what the editor marks. */
const listProblems = ({ mistakes, doubts }: KindCheck): readonly EditorProblem[] => [
  ...mistakes,
  ...doubts.map((doubt) => ({ ...doubt, isDoubt: true })),
]

/** What the button publishes. */
interface PublishProps {
  readonly work: State
  readonly check: KindCheck
  /** true: the version before has recordings, which the console does not send. */
  readonly hasRecordings: boolean
}

/** Publishes what was checked. */
function PublishButton({ work: { slug = '', base, publication }, check, hasRecordings }: PublishProps) {
  return (
    <ConfirmButton label="Publish" title={`Publish version ${base.newest + 1} of ${slug}?`} mutation={publication}>
      <Stack gap="sm">
        <Text size="sm">For connectors that move to it: {meanings[check.class]}.</Text>
        {hasRecordings && (
          <Text size="sm">
            The newest version has recordings for the sandbox, and this one will have none: <Code>ferrule kind publish</Code> sends them
            with the file.
          </Text>
        )}
        <Text size="sm">Connectors stay with the version that they run, until you move them. A version never changes.</Text>
      </Stack>
    </ConfirmButton>
  )
}

/** Shows what a check found. */
function CheckResult({ work, stored, goTo }: { readonly work: State; readonly goTo: (at: EditorProblem) => void } & WorkProps) {
  const { check, isCurrent } = work
  if (check.error !== null) return <ErrorBox error={check.error} title="The file was not checked" />
  if (check.data === undefined) return null
  if (!isCurrent)
    return (
      <Text size="sm" c="dimmed" role="status">
        The text has changed since the last check.
      </Text>
    )
  const { valid, mistakes, doubts, unsure, newest } = check.data
  return (
    <Stack gap="md">
      <Findings title="Mistakes" findings={mistakes} goTo={goTo} />
      <Findings title="Doubts" findings={doubts} goTo={goTo} />
      <Findings title="Unsure" findings={unsure} goTo={goTo} />
      {valid && (
        <Section title="What this will change">
          <ChangeList changes={check.data.changes} none={newest === 0 ? 'This file makes a new kind.' : 'Nothing.'} />
          <NewHosts hosts={check.data.hosts} known={stored?.hosts ?? []} />
          <Group>
            <PublishButton work={work} check={check.data} hasRecordings={stored?.sandbox === true} />
          </Group>
        </Section>
      )}
    </Stack>
  )
}

/** Shows the editor with what is below it. */
function Work({ stored, onStale }: WorkProps) {
  const work = useWork({ ...(stored === undefined ? {} : { stored }), ...(onStale === undefined ? {} : { onStale }) })
  const { base, text, setText, slug, check, runCheck, load, take, isCurrent } = work
  const [made, setMade] = useState<MadeKind>()
  const [place, setPlace] = useState<EditorProblem>()
  const isOld = stored !== undefined && stored.version > base.newest
  return (
    <Stack gap="lg">
      {isOld && (
        <Alert color="yellow" variant="light" title={`Somebody published version ${stored.version} meanwhile`} role="status">
          <Stack gap="xs" align="flex-start">
            <Text size="sm">Your text was made from version {base.newest}, and cannot be published. Copy what you need first.</Text>
            <Button size="compact-sm" variant="default" onClick={() => load({ text: stored.file, newest: stored.version })}>
              Load version {stored.version}
            </Button>
          </Stack>
        </Alert>
      )}
      {stored === undefined && (
        <Group>
          <ImportButton
            onMade={(kind) => {
              setMade(kind)
              take(kind)
            }}
          />
          <Text size="sm" c="dimmed">
            Makes the file from a document of the vendor, such as OpenAPI. Or write it below.
          </Text>
        </Group>
      )}
      <Stack gap="xs">
        <CodeEditor
          label="Kind file"
          language="kind"
          value={text}
          onChange={setText}
          onSubmit={runCheck}
          problems={isCurrent && check.data !== undefined ? listProblems(check.data) : []}
          place={place}
        />
        <Group>
          <Button loading={check.isPending} disabled={slug === undefined} onClick={runCheck}>
            Check
          </Button>
          <Text size="sm" c="dimmed">
            {slug === undefined
              ? 'The file names no kind: write kind: and a short name in its first line.'
              : 'Nothing is stored by a check.'}
          </Text>
        </Group>
      </Stack>
      <CheckResult work={work} goTo={(at) => setPlace({ ...at })} {...(stored === undefined ? {} : { stored })} />
      {made !== undefined && <LeftOut parts={made.left_out} />}
      {stored !== undefined && (
        <>
          <MoveSection kind={stored} refreshes={kindKeys} />
          <Versions kind={stored} onOpen={(file) => load({ text: file, newest: base.newest })} />
          <DeleteButton kind={stored} />
        </>
      )}
    </Stack>
  )
}

/** Shows a kind that the organization has. */
function StoredKind({ slug }: { readonly slug: string }) {
  const reading = useRead(['kinds', slug, 'file'], (ferrule, signal) => ferrule.kinds.get(slug, {}, { signal }))
  return (
    <>
      <PageLink to="/kinds" size="sm">
        All kinds
      </PageLink>
      <PageHeader title={reading.data?.title ?? slug} about="A kind of your organization. Nobody has reviewed it.">
        <PageLink to={`/kinds/${slug}`}>Reference</PageLink>
        <PageLink to="/connectors/new" params={{ kind: slug }}>
          New connector
        </PageLink>
      </PageHeader>
      <ReadingView reading={reading}>{(kind) => <Work stored={kind} onStale={() => void reading.refetch()} />}</ReadingView>
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
      <Work />
    </>
  )
}
