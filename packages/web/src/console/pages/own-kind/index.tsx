/** A kind of the organization: its file in an editor, what a change means, its versions, and its connectors. */
import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { KindCheck, KindRecord } from 'ferrule/wire'
import { useState } from 'react'
import { useParams } from 'wouter'
import { useRead } from '../../data/ferrule.ts'
import { CodeEditor } from '../../parts/code/code-editor.tsx'
import type { EditorProblem } from '../../parts/code/props.ts'
import { ConfirmButton } from '../../parts/confirm-button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { ChangeList, type Finding, Findings, meanings, NewHosts } from './check-view.tsx'
import { DeleteButton, MoveSection } from './connectors.tsx'
import { ImportButton, LeftOut, type MadeKind } from './import-button.tsx'
import { Recordings, TestResult } from './recordings.tsx'
import { Versions } from './versions.tsx'
import { kindKeys, toTexts, useWork, type Work, type WorkProps } from './work.ts'

/** Lists what the editor of a text marks. */
const listProblems = ({ isCurrent, check }: Work, file: Finding['file']): readonly EditorProblem[] => {
  if (!isCurrent || check.data === undefined) return []
  const { mistakes, doubts } = check.data
  return [...mistakes, ...doubts.map((doubt) => ({ ...doubt, isDoubt: true }))].filter((each) => each.file === file)
}

/** Publishes what was checked. */
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

/** Shows what a check found. */
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
        <Button size="compact-sm" variant="default" onClick={() => load(toTexts(stored), stored.version)}>
          Load version {stored.version}
        </Button>
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
          <Text size="sm" c="dimmed">
            Makes the file from a document of the vendor, such as OpenAPI. Or write it below.
          </Text>
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
          <Text size="sm" c="dimmed">
            {slug === undefined
              ? 'The file names no kind: write kind: and a short name in its first line.'
              : 'Nothing is stored by a check.'}
          </Text>
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
        {reading.data?.sandbox === true && (
          <PageLink to="/connectors/new" params={{ kind: slug, sandbox: '1' }}>
            New sandbox connector
          </PageLink>
        )}
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
