/** What this browser keeps of the reader. Storage can be switched off, and can hold what another version wrote. */

/** Reads what is kept as JSON; undefined: nothing that can be read. */
export function readKept(key: string): unknown {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null')
  } catch {
    return undefined
  }
}

/** Keeps a value as JSON; undefined forgets it. Without storage it ends with the page. */
export function keep(key: string, value: unknown): void {
  try {
    if (value === undefined) localStorage.removeItem(key)
    else localStorage.setItem(key, JSON.stringify(value))
  } catch {
    // What is kept only spares a choice.
  }
}
