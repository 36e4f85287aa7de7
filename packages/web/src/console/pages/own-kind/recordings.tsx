/** The recordings of a kind: their text, a way to try each call, and what they prove of the file. */
import { FileButton, Group, Stack, Text } from '@mantine/core'
import { isObject, tryReadJson } from 'ferrule/internal'
import { type KindCheck, longestRecordings } from 'ferrule/wire'
import { useMemo, useState } from 'react'
import { printParams } from '../../data/params.ts'
import { announce } from '../../parts/announcements.tsx'
import { CodeEditor } from '../../parts/code/code-editor.tsx'
import type { EditorProblem } from '../../parts/code/props.ts'
import { SmallButton } from '../../parts/looks.tsx'
import { PageLink } from '../../parts/page-link.tsx'
import { printCounted, printSize } from '../../parts/print.ts'
import { Section } from '../../parts/section.tsx'
import { type Finding, Findings } from './check-view.tsx'
import type { Work } from './work.ts'

/** A recording, as far as the page shows it. */
interface Shown {
  readonly call: string
  readonly name: string | undefined
  readonly source: string
  readonly params: unknown
  readonly requests: number
}

const readText = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

/** Reads recordings from their text; none while the text is not right. */
function readShown(text: string): readonly Shown[] {
  const file = tryReadJson(text)
  const all = isObject(file) ? file['recordings'] : undefined
  return (Array.isArray(all) ? all : []).flatMap((each: unknown): readonly Shown[] => {
    if (!isObject(each)) return []
    const { call, name, source, params, exchanges } = each
    const shown = { call: readText(call) ?? '', name: readText(name), source: readText(source) ?? '', params }
    return [{ ...shown, requests: Array.isArray(exchanges) ? exchanges.length : 0 }]
  })
}

/** Leads to the call in the explorer, on a connector of the kind or on its stand-in. */
function TryLink({ slug, recording: { call, params } }: { readonly slug: string; readonly recording: Shown }) {
  const [entity, action] = call.split('.')
  const address = { kind: slug, entity, action, params: isObject(params) ? printParams(params) : undefined }
  return (
    <PageLink to="/explorer" params={address} size="sm" underline="always" aria-label={`Try ${call}`}>
      Try
    </PageLink>
  )
}

function RecordingItem({ recording, slug }: { readonly recording: Shown; readonly slug: string | undefined }) {
  const { call, name, source, requests } = recording
  return (
    <Group component="li" gap="xs">
      <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
        {call}
      </Text>
      <Text size="sm">
        {name !== undefined && `${name}, `}
        {source === 'live' ? 'recorded' : "from the vendor's pages"}, {printCounted(requests, 'request')}
      </Text>
      {slug !== undefined && <TryLink slug={slug} recording={recording} />}
    </Group>
  )
}

/** Puts the text of a file into the editor. */
function OpenButton({ onOpen }: { readonly onOpen: (text: string) => void }) {
  const open = async (file: File | null) => {
    if (file === null) return
    if (file.size > longestRecordings) announce(`${file.name} is larger than ${printSize(longestRecordings)}.`)
    else onOpen(await file.text())
  }
  return (
    <FileButton onChange={(file) => void open(file)} accept=".json,application/json">
      {(props) => <SmallButton {...props}>Open recordings</SmallButton>}
    </FileButton>
  )
}

interface RecordingsProps {
  readonly work: Work
  /** Undefined: no connector can try the calls yet. */
  readonly slug: string | undefined
  readonly place: EditorProblem | undefined
  readonly problems: readonly EditorProblem[]
}

/** Shows the text, and names each recording. */
export function Recordings({ work: { texts, change, runCheck }, slug, place, problems }: RecordingsProps) {
  const [isOpen, setOpen] = useState(false)
  const { recordings } = texts
  const shown = useMemo(() => readShown(recordings), [recordings])
  const isEdited = isOpen || recordings !== ''
  return (
    <Section
      title="Recordings"
      about="Calls with the answers of the vendor. A check tests the file by them, and the sandbox plays the vendor from them."
    >
      <Group>
        <OpenButton onOpen={(text) => change({ recordings: text })} />
        {!isEdited && <SmallButton onClick={() => setOpen(true)}>Write recordings</SmallButton>}
      </Group>
      {isEdited && (
        <CodeEditor
          label="Recordings"
          language="json"
          value={recordings}
          onChange={(text) => change({ recordings: text })}
          onSubmit={runCheck}
          problems={problems}
          place={place}
        />
      )}
      {shown.length > 0 && (
        <Stack component="ul" gap={4} p={0} m={0} style={{ listStyle: 'none' }} aria-label="Recorded calls">
          {shown.map((recording, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: recordings have no other name
            <RecordingItem key={index} recording={recording} slug={slug} />
          ))}
        </Stack>
      )}
    </Section>
  )
}

/** Shows what the recordings prove. */
export function TestResult({ test, goTo }: { readonly test: KindCheck['test']; readonly goTo: (at: Finding) => void }) {
  if (test === null) return null
  const { calls, requests, live, failures, notes } = test
  return (
    <Section title="Test by the recordings">
      <Text size="sm">
        {printCounted(calls, 'recorded call')} with {printCounted(requests, 'request')}, {live} of the calls live.{' '}
        {failures.length === 0 ? 'All do what the file says.' : 'Some do something else.'}
      </Text>
      <Findings title="Failures" findings={failures} goTo={goTo} />
      <Findings title="Notes" findings={notes} goTo={goTo} />
    </Section>
  )
}
