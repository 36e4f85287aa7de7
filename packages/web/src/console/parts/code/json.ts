/** JSON in the editor, checked while it is typed. */
import { json, jsonParseLinter } from '@codemirror/lang-json'
import { linter } from '@codemirror/lint'
import type { Extension } from '@codemirror/state'

export const language: Extension = [json(), linter(jsonParseLinter())]
