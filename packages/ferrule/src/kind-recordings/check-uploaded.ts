/** Checks recordings that somebody uploads with a kind: other people would see their secrets in the sandbox. */
import type { ConnectorDefinition } from '../definition/connector.ts'
import { isObject } from '../definition/object.ts'
import type { Mistake } from '../kind-file/mistakes.ts'
import { listSecretHeaders, listSecretQuery } from './connection.ts'
import { credentialForms, listLeaks } from './leaks.ts'
import { type ReadRecordings, readRecordings } from './read.ts'
import type { Recording } from './recording.ts'

/** Names whose values are credentials at every vendor. */
const secretName =
  /^(?:access|refresh|id|bearer|auth|session)_?token$|^(?:client_?)?secret$|^(?:pass(?:word|wd|phrase)|(?:api|private|secret)_?key)$/i
/** What `kind try` puts in place of a credential, or something as short. */
const invented = /^(?:recorded-[\w-]+|token-\d+|9+\d*|x+\d*|[^\s]{0,11})$/

function* listSecretMembers(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const inner of value) yield* listSecretMembers(inner)
  else if (isObject(value))
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'string' && secretName.test(name) && !invented.test(inner)) yield name
      yield* listSecretMembers(inner)
    }
}

function listSecrets(recording: Recording, definition: ConnectorDefinition): readonly string[] {
  const [headers, query] = [listSecretHeaders(definition), listSecretQuery(definition)]
  const names = new Set(listSecretMembers([recording.params, recording.data, recording.exchanges]))
  for (const { request, answer } of recording.exchanges) {
    for (const name of [...Object.keys(request.headers), ...Object.keys(answer.headers)]) if (headers.has(name)) names.add(name)
    for (const [name] of request.query) if (query.has(name)) names.add(name)
    for (const [name, value] of request.form ?? []) if (secretName.test(name) && !invented.test(value)) names.add(name)
  }
  return [
    ...listLeaks(recording),
    ...[...names].map((name) => `${name} carries a credential, which no recording holds: leave it out, or write token-1 in its place`),
  ]
}

/** Finds credentials anywhere in the text: in samples that nothing uses, in names, in the configuration. */
function findInText(text: string): readonly string[] {
  return credentialForms.flatMap(([name, form]) => (form.test(text) ? [`the file holds ${name}, or a text that looks like one`] : []))
}

/**
 * Checks the text of recordings that are uploaded with a kind. Recordings with anything that looks like a secret are refused; no message
 * quotes one.
 * @param options `name`: name of the file, for mistakes; `definition`: the kind
 */
export async function checkUploadedRecordings(
  text: string,
  { name, definition }: { readonly name: string; readonly definition: ConnectorDefinition },
): Promise<ReadRecordings> {
  const { file, mistakes } = await readRecordings(text, { name })
  if (file === undefined) return { file, mistakes }
  const said = file.recordings.flatMap((recording) =>
    listSecrets(recording, definition).map((message): Mistake => ({ file: name, ...recording.at, path: '', message })),
  )
  const start = { file: name, line: 1, column: 1, path: '' }
  const found = [
    ...(file.kind === definition.kind
      ? []
      : [{ ...start, path: 'kind', message: `these are recordings of ${file.kind}, and the kind is ${definition.kind}` }]),
    ...(said.length > 0 ? said : findInText(text).map((message): Mistake => ({ ...start, message }))),
  ]
  return { file: found.length === 0 ? file : undefined, mistakes: found }
}
