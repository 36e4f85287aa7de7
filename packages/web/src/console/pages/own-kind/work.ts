/** What the page of a kind edits: the file with its recordings, their check and their publication. */
import { writeKindTemplate } from 'ferrule/internal'
import type { KindRecord } from 'ferrule/wire'
import { useState } from 'react'
import { useChanges } from '../../data/leaving.ts'
import { useGo } from '../../data/tenant.ts'
import { useWrite } from '../../data/write.ts'
import { announce } from '../../parts/announcements.tsx'

/** Reads the slug of a file, at the beginning of a line. */
const readSlug = (file: string): string | undefined => /^(?:\s*\{\s*)?"?kind"?:\s*["']?([a-z][a-z0-9-]*)/m.exec(file)?.[1]

/** What is edited. */
export interface Texts {
  readonly file: string
  /** Empty: the kind has none. */
  readonly recordings: string
}

/** What is edited, and the version that it was made from. */
interface Base extends Texts {
  readonly newest: number
}

/** What a publication changes in other readings. */
export const kindKeys = [['kinds'], ['definitions'], ['definition']] as const

/** What the editor gets. */
export interface WorkProps {
  /** Undefined for a new kind: its file names it. */
  readonly stored?: KindRecord
  /** Reads the kind again. */
  readonly onStale?: () => void
}

/** Reads what a stored kind has. */
export const toTexts = ({ file, recordings }: Pick<KindRecord, 'file' | 'recordings'>): Texts => ({ file, recordings: recordings ?? '' })

const toBody = ({ file, recordings }: Texts) => ({ file, ...(recordings.trim() === '' ? {} : { recordings }) })

/** Holds the texts, their check and their publication. */
export function useWork({ stored, onStale }: WorkProps) {
  const go = useGo()
  const [base, setBase] = useState<Base>(() => ({
    ...(stored === undefined ? { file: writeKindTemplate('acme', 'Acme', 'https://api.acme.example'), recordings: '' } : toTexts(stored)),
    newest: stored?.version ?? 0,
  }))
  const [texts, setTexts] = useState<Texts>({ file: base.file, recordings: base.recordings })
  const keep = useChanges(texts)
  const slug = stored?.slug ?? readSlug(texts.file)
  const check = useWrite((ferrule, given: Texts & { readonly slug: string }) => ferrule.kinds.check(given.slug, toBody(given)))
  const publication = useWrite(
    async (ferrule) => {
      try {
        return await ferrule.kinds.publish(slug ?? '', { ...toBody(texts), newest: base.newest })
      } catch (error) {
        onStale?.()
        throw error
      }
    },
    {
      refreshes: kindKeys,
      onDone: ({ slug: published, title, version }) => {
        keep(texts)
        setBase({ ...texts, newest: version })
        check.reset()
        announce(`${title} has version ${version} now.`)
        if (stored === undefined) go(`/own-kinds/${published}`, {}, { replace: true })
      },
    },
  )
  const runCheck = () => {
    if (slug !== undefined && !check.isPending) check.mutate({ slug, ...texts })
  }
  /** Puts texts into the editors. @param newest version that they were made from; left out: that of the texts before */
  const load = (next: Texts, newest = base.newest) => {
    setBase({ ...next, newest })
    setTexts(next)
    check.reset()
  }
  const take = (made: { readonly slug: string; readonly file: string }) => {
    const next = { file: made.file, recordings: '' }
    load(next)
    check.mutate({ slug: made.slug, ...next })
  }
  const { variables } = check
  const isCurrent = check.data !== undefined && variables?.file === texts.file && variables.recordings === texts.recordings
  const change = (part: Partial<Texts>) => setTexts((before) => ({ ...before, ...part }))
  return { base, texts, change, slug, check, runCheck, publication, load, take, isCurrent }
}

/** What the page edits. */
export type Work = ReturnType<typeof useWork>
