/** Statements that ran in this browser: their texts only, and a bounded number of them. */
import { useCallback, useState } from 'react'
import { usePlace } from '../../data/place.ts'

/** Statements that are kept at most, and the characters of one. Longer ones are not kept. */
const historyLimits = { mostStatements: 30, longest: 10_000 } as const

const storageKey = (organizationId: string | undefined): string => `ferrule-statements ${organizationId ?? ''}`.trim()

/** Reads what is kept. Storage can be switched off, and can hold what another version wrote. */
function readHistory(key: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(key) ?? '[]')
    return Array.isArray(kept) ? kept.filter((each) => typeof each === 'string') : []
  } catch {
    return []
  }
}

function writeHistory(key: string, statements: readonly string[]): void {
  try {
    if (statements.length === 0) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(statements))
  } catch {
    // Without storage the history ends with the page.
  }
}

/** Returns the statements, the newest first, with functions that add one and forget all. */
export function useHistory() {
  const key = storageKey(usePlace().organizationId)
  const [statements, setStatements] = useState(() => readHistory(key))
  const add = useCallback(
    (statement: string) => {
      if (statement.length > historyLimits.longest) return
      const next = [statement, ...readHistory(key).filter((each) => each !== statement)].slice(0, historyLimits.mostStatements)
      writeHistory(key, next)
      setStatements(next)
    },
    [key],
  )
  const clear = useCallback(() => {
    writeHistory(key, [])
    setStatements([])
  }, [key])
  return { statements, add, clear }
}
