/** Keeps for minutes what cannot be read again: the rest of what a write or a statement answered, and long requests. */

/** Where it is kept. An implementation may forget anything at any time: the model is then told to start again. */
export interface KeptStore {
  /** Keeps a text. @returns false if the text is too large to be kept */
  put(id: string, text: string, untilMs: number): boolean | Promise<boolean>
  /** Returns a kept text; undefined: never kept, or forgotten. */
  get(id: string): string | undefined | Promise<string | undefined>
}

/** Bounds of the store in memory. */
export interface KeptBounds {
  /** Maximum number of characters of one text; 4,000,000 by default. */
  readonly mostCharacters?: number
  /** Maximum number of characters of all texts; 32,000,000 by default. */
  readonly mostInAll?: number
  /** Maximum number of texts; 1,000 by default. */
  readonly mostTexts?: number
  readonly now?: () => number
}

/** Makes a store in memory. When it is full it forgets the oldest texts. @param bounds how much is kept */
export function createKeptStore(bounds: KeptBounds = {}): KeptStore {
  const { mostCharacters = 4_000_000, mostInAll = 32_000_000, mostTexts = 1_000, now = Date.now } = bounds
  const texts = new Map<string, { readonly text: string; readonly untilMs: number }>() // in the order of their arrival
  let characters = 0
  const forget = (id: string): void => {
    characters -= texts.get(id)?.text.length ?? 0
    texts.delete(id)
  }
  const makeRoom = (length: number): void => {
    for (const [id, { untilMs }] of texts) if (untilMs <= now()) forget(id)
    for (const id of texts.keys()) {
      if (characters + length <= mostInAll && texts.size < mostTexts) return
      forget(id)
    }
  }
  return {
    put: (id, text, untilMs) => {
      if (text.length > mostCharacters || text.length > mostInAll) return false
      forget(id)
      makeRoom(text.length)
      characters += text.length
      texts.set(id, { text, untilMs })
      return true
    },
    get: (id) => {
      const found = texts.get(id)
      return found !== undefined && found.untilMs > now() ? found.text : undefined
    },
  }
}
