/** The versions of a kind, each with what it changed. */
import { Button } from '@mantine/core'
import type { KindRecord, KindVersionList } from 'ferrule/wire'
import { useRead } from '../../data/ferrule.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { ReadingView } from '../../parts/reading-view.tsx'
import { Section } from '../../parts/section.tsx'
import { type ListColumn, ListTable } from '../../parts/table/list-table.tsx'
import { Time } from '../../parts/time.tsx'
import { ChangeList } from './check-view.tsx'
import { type Texts, toTexts } from './work.ts'

type Version = KindVersionList['data'][number]

/** Reads the versions of a kind. */
export const useVersions = (slug: string) =>
  useRead(['kinds', slug, 'versions'], (ferrule, signal) => ferrule.kinds.versions(slug, { signal }))

/** Shows the versions. @param props `onOpen`: receives the texts of a version */
export function Versions({ kind: { slug }, onOpen }: { readonly kind: KindRecord; readonly onOpen: (texts: Texts) => void }) {
  const reading = useVersions(slug)
  const opening = useWrite((ferrule, version: number) => ferrule.kinds.get(slug, { version: String(version) }), {
    onDone: (opened) => {
      onOpen(toTexts(opened))
      announce(`The editor has version ${opened.file_version}. It is published as a new version.`)
    },
  })
  const columns: readonly ListColumn<Version>[] = [
    { title: 'Version', cell: ({ version }) => <strong>{version}</strong> },
    { title: 'Changes', width: '50%', cell: ({ changes }) => <ChangeList changes={changes} none="The first one kept" /> },
    { title: 'Connectors', isNumber: true, cell: ({ connectors }) => connectors },
    { title: 'Published', cell: ({ created_at: time }) => <Time value={time} /> },
    {
      title: 'Action',
      cell: ({ version }) => (
        <Button size="compact-sm" variant="default" aria-label={`Open version ${version}`} onClick={() => opening.mutate(version)}>
          Open
        </Button>
      ),
    },
  ]
  return (
    <Section title="Versions">
      {opening.error !== null && <ErrorBox error={opening.error} />}
      <ReadingView reading={reading}>
        {(rows) => <ListTable label="Versions" columns={columns} rows={rows} rowKey={({ version }) => String(version)} />}
      </ReadingView>
    </Section>
  )
}
