/** Follows what changes in the copy of an entity. */
import { useDocumentVisibility } from '@mantine/hooks'
import { FerruleError } from 'ferrule/core'
import type { ChangeRecord } from 'ferrule/wire'
import { useCallback, useEffect, useRef, useState } from 'react'
import { useConnector } from './connector.ts'

/** Entries that are kept, the newest ones. */
const mostEntries = 200

/** A change, with its number since the page was opened. */
export interface SeenChange extends ChangeRecord {
  readonly number: number
}

/** What was seen. */
export interface Feed {
  /** The newest first. */
  readonly entries: readonly SeenChange[]
  /** Changes since the beginning, also those that are no longer kept. */
  readonly count: number
  /** True: the service has answered. */
  readonly isBegun: boolean
  /** Why nothing more comes; null: it is followed. */
  readonly error: unknown
}

const nothing: Feed = { entries: [], count: 0, isBegun: false, error: null }

/** Adds a page. */
function addPage({ entries, count }: Feed, data: readonly ChangeRecord[]): Feed {
  const added = data.map((entry, index) => ({ ...entry, number: count + index + 1 }))
  return { entries: [...added.toReversed(), ...entries].slice(0, mostEntries), count: count + data.length, isBegun: true, error: null }
}

/**
 * Follows changes from now on, while the page is in sight: browsers allow six connections to a service without https, over all tabs. What
 * changes meanwhile comes when the page is in sight again.
 * @returns what was seen, and a function that resumes after an error
 */
export function useFeed(id: string, entity: string): readonly [Feed, () => void] {
  const connector = useConnector(id)
  const isVisible = useDocumentVisibility() !== 'hidden'
  const [feed, setFeed] = useState(nothing)
  const [attempt, setAttempt] = useState(0)
  const after = useRef('now')
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins the effect again
  useEffect(() => {
    if (!isVisible) return
    const left = new AbortController()
    const { signal } = left
    const follow = async () => {
      for await (const { data, next } of connector.changePages(entity, { after: after.current }, { signal })) {
        after.current = next
        setFeed((before) => addPage(before, data))
      }
    }
    follow().catch((error: unknown) => {
      if (signal.aborted) return
      if (error instanceof FerruleError && error.code === 'changes_expired') after.current = 'now'
      setFeed((before) => ({ ...before, error }))
    })
    return () => left.abort()
  }, [connector, entity, isVisible, attempt])
  return [feed, useCallback(() => setAttempt((before) => before + 1), [])]
}
