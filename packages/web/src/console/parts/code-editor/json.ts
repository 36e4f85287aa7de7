/** JSON in the editor. */
import { json } from '@codemirror/lang-json'
import type { Extension } from '@codemirror/state'

export const language: Extension = json()
