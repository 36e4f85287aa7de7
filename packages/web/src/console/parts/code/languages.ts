/** Languages of the editor; each is loaded with its first use. */
import type { Extension } from '@codemirror/state'

/** Loads what a language needs. */
export const languages = {
  json: async (): Promise<Extension> => (await import('./json.ts')).language,
  sql: async (): Promise<Extension> => (await import('./sql.ts')).language,
  kind: async (): Promise<Extension> => (await import('./kind.ts')).language,
  filter: async (): Promise<Extension> => (await import('./filter.ts')).language,
} as const

/** Name of a language. */
export type Language = keyof typeof languages
