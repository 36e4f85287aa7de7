/** Checks files of strangers: the rules of every kind file, and stricter ones (docs/decisions/own-kinds.md). */

import { isObject } from '../../definition/object.ts'
import { listSlots } from '../../definition/templates.ts'
import { foldKindName } from '../../values/texts.ts'
import type { Findings } from '../check-tree.ts'
import type { Mistake } from '../mistakes.ts'
import { type ReadKind, readKindStrictly } from '../read-kind.ts'
import { checkHosts } from './hosts.ts'
import { findAt, listWithin } from './visit.ts'

/** Most entries of maps and lists, by patterns of their paths. An entity has at most one operation of each action. */
const mostEntries: readonly (readonly [pattern: string, entries: number])[] = [
  ['headers', 20],
  ['configuration', 30],
  ['api.of', 50],
  ['auth', 10],
  ['auth.*.fields', 20],
  ['auth.*.send', 10],
  ['auth.*.query', 10],
  ['auth.*.headers', 20],
  ['auth.*.login.send', 20],
  ['auth.*.login.headers', 10],
  ['auth.*.oauth.scopes', 200],
  ['auth.*.oauth.always', 20],
  ['auth.*.oauth.returns', 10],
  ['auth.*.oauth.signed.claims', 20],
  ['limits.rates', 10],
  ['limits.budgets', 20],
  ['limits.budgets.*', 10],
  ['errors.rows', 200],
  ['errors.message', 10],
  ['errors.warnings', 10],
  ['webhooks.challenge.when', 5],
  ['webhooks.account.at', 5],
  ['webhooks.account', 5],
  ['webhooks.id', 10],
  ['webhooks.topic', 5],
  ['webhooks.events', 200],
  ['webhooks.events.*', 10],
  ['webhooks.events.*.key', 10],
  ['webhooks.events.*.needs', 10],
  ['webhooks.events.*.params', 20],
  ['pages', 20],
  ['types', 50],
  ['entities', 100],
  ['entities.*.scope', 50],
  ['entities.*.*.headers', 10],
  ['entities.*.*.text', 10],
  ['entities.*.*.text.*.parts', 50],
  ['entities.*.*.merge', 20],
  ['entities.*.sync.each', 10],
  ['entities.*.sync.values', 5],
  ['entities.*.sync.values.*', 100],
]

/** Most values in one list that requests carry, and its levels. */
const [mostValues, deepest] = [500, 8]

/** Most slots in one text, and the longest text that is no text of a query language, in characters. */
const [mostSlots, longestText] = [20, 2_000]

const count = (value: unknown): number => (Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0)

/** Describes what is wrong with the slots of a path; undefined if nothing is. */
function findSlotFlaw(call: string): string | undefined {
  const slots = listSlots(call)
  if (new Set(slots).size < slots.length) return 'has the same slot twice'
  if (call.includes('}{')) return 'has two slots side by side: nobody can tell where one ends'
  return call.split('/').some((part) => listSlots(part).length > 2) ? 'has more than two slots between two slashes' : undefined
}

function checkSlots(file: unknown, found: Findings): void {
  const calls = ['list', 'get', 'create', 'update', 'delete'].flatMap((action) => [`entities.*.${action}`, `entities.*.${action}.call`])
  for (const pattern of [...calls, 'path', 'elsewhere.path', 'auth.*.oauth.page', 'auth.*.oauth.token', 'auth.*.login.call'])
    for (const { steps, value } of findAt(file, pattern)) {
      const message = typeof value === 'string' ? findSlotFlaw(value) : undefined
      if (message !== undefined) found.note(steps, { message, example: 'GET /repos/{owner}/{repo}' })
    }
}

function checkBounds(file: unknown, found: Findings): void {
  for (const [pattern, entries] of mostEntries)
    for (const { steps, value } of findAt(file, pattern))
      if (count(value) > entries)
        found.note(steps, { message: `has ${count(value)} entries; an uploaded kind has at most ${entries}` }, 'key')
  for (const { steps, value } of findAt(file, 'entities.*.*.always.*')) {
    const levels = [...listWithin(value)].map((inner) => inner.steps.length)
    if (levels.length - 1 > mostValues || Math.max(...levels) > deepest)
      found.note(steps, { message: `has more than ${mostValues} values or ${deepest} levels: an uploaded kind has at most that many` })
  }
  for (const { steps, value } of listWithin(file)) {
    if (typeof value !== 'string') continue
    if (value.length > longestText)
      found.note(steps, { message: `has ${value.length} characters; an uploaded kind has at most ${longestText} in one text` })
    else if (listSlots(value).length > mostSlots)
      found.note(steps, { message: `has ${listSlots(value).length} slots; an uploaded kind has at most ${mostSlots} in one text` })
  }
}

/** Names that stand in no form of vendors. */
const knownHeaders =
  /^(?:accept|accept-language|access-token|api-key|api-token|apikey|consistencylevel|content-language|from|idempotency-key|if-match|if-none-match|ocp-apim-subscription-key|prefer|token|user-agent)$/
/** `x-acme-team`, `acme-version`, `acme-account`. */
const ofVendors =
  /^(?:x-[a-z0-9-]+|[a-z][a-z0-9]*(?:-[a-z0-9]+)*-(?:account|company|environment|id|key|organization|organisation|project|region|secret|site|team|tenant|token|version|workspace))$/
/** Names that proxies and servers believe. */
const ofNetworks =
  /^(?:proxy|sec|cf|cdn|via|surrogate|metadata|x-(?:forwarded|real|original|rewrite|client-ip|cluster|remote|host|proxy|proxyuser|url|http|method|override|envoy|amzn|aws|metadata|middleware|accel|sendfile|nginx|varnish|cf|cdn|sandbox))(?:-|$)/

/** Returns whether a file of a stranger may set a header. `authorization` is for ways to authenticate only. */
const isAllowedHeader = (name: string): boolean => knownHeaders.test(name) || (ofVendors.test(name) && !ofNetworks.test(name))

const example = "headers: { x-acme-version: '3' }"

function checkHeaders(file: unknown, found: Findings): void {
  for (const pattern of ['headers', 'auth.*.headers', 'auth.*.send', 'auth.*.login.headers', 'entities.*.*.headers'])
    for (const { steps, value } of findAt(file, pattern))
      for (const name of isObject(value) ? Object.keys(value) : []) {
        const low = name.toLowerCase()
        // Every file keeps it for `send`.
        if (low !== 'authorization' && !isAllowedHeader(low))
          found.note([...steps, name], { message: `the header ${name} is not one that an uploaded kind may set`, example }, 'key')
      }
  for (const pattern of ['writes.once', 'entities.*.*.once'])
    for (const { steps, value } of findAt(file, pattern))
      if (typeof value === 'string' && !isAllowedHeader(value.toLowerCase()))
        found.note(steps, { message: `the header ${value} is not one that an uploaded kind may set`, example: 'once: idempotency-key' })
}

/** Words that stand in addresses beside the slug of a kind, or that mean all uploaded kinds. */
const reservedNames: ReadonlySet<string> = new Set(
  ['own', 'all', 'any', 'none', 'new', 'check', 'try', 'test', 'versions', 'version', 'publish', 'compare', 'upload', 'uploads'].concat(
    ...['kind', 'kinds', 'connector', 'connectors', 'definition', 'definitions', 'sandbox', 'custom', 'ferrule', 'recordings', 'import'],
    ...['search', 'execute', 'openapi', 'docs', 'health', 'me', 'admin'],
  ),
)

/** Folds a name as it looks: other forms of letters are the letters, and signs without a width are nothing. */
const fold = (name: string): string =>
  foldKindName(
    name
      .normalize('NFKC')
      .replaceAll(/\p{Cf}/gu, '')
      .trim(),
  )

/** Notes a slug or a title that is taken. @param taken slugs, ids and titles of kinds that nobody may replace */
function checkKindNames(file: unknown, found: Findings, taken: readonly string[]): void {
  const others = new Set(taken.map(fold))
  for (const name of ['kind', 'title'])
    for (const { steps, value } of findAt(file, name)) {
      if (typeof value !== 'string') continue
      const example = name === 'kind' ? 'kind: our-acme' : 'title: Our Acme'
      if (others.has(fold(value))) found.note(steps, { message: `${value} is the name of another kind already`, example })
      else if (name === 'kind' && reservedNames.has(fold(value)))
        found.note(steps, { message: `${value} is a word of the service itself`, example })
    }
}

/** Control characters but tabs and ends of lines, marks of direction, signs without a width, tags, and halves of signs. */
const hiddenSign =
  /[^\P{Cc}\t\n\r]|[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Cs}/u

const hiddenMessage = 'holds a sign that is not seen, or that turns the direction of the text: leave it out'

function checkTexts(file: unknown, found: Findings): void {
  for (const { steps, value } of listWithin(file)) {
    if (typeof value === 'string' && hiddenSign.test(value)) found.note(steps, { message: hiddenMessage })
    if (!isObject(value)) continue
    for (const name of Object.keys(value)) if (hiddenSign.test(name)) found.note([...steps, name], { message: hiddenMessage }, 'key')
  }
}

/** Longest message and path of a mistake, in characters: they quote the file. */
const longest = 500

const showSafely = (text: string): string => {
  const shown = text.length > longest ? `${text.slice(0, longest)}…` : text
  return shown.replaceAll(new RegExp(hiddenSign, 'gu'), '\ufffd')
}

/** Whose file it is, and which names it may not have. */
export interface UploadOptions {
  /** Name of the file, for mistakes. */
  readonly name: string
  /** Slugs, ids and titles that are taken: those of all kinds that the service has for everybody. */
  readonly taken?: readonly string[]
}

const mostMistakes = 200

const show = (mistakes: readonly Mistake[]): readonly Mistake[] => {
  const shown = mistakes.slice(0, mostMistakes).map(
    (one): Mistake => ({
      ...one,
      path: showSafely(one.path),
      message: showSafely(one.message),
      ...(one.near === undefined ? {} : { near: showSafely(one.near) }),
      ...(one.example === undefined ? {} : { example: showSafely(one.example) }),
    }),
  )
  const [last] = shown.slice(-1)
  const more = mistakes.length - shown.length
  return last === undefined || more === 0 ? shown : [...shown, { ...last, path: '', message: `${more} more mistakes follow` }]
}

/**
 * Checks the text of a kind that somebody uploads to a running service. Such a kind is data only: it has no rules and no regular expressions,
 * and its hosts, headers, names and sizes are bounded. All mistakes come at once. The definition is marked as `foreign`.
 */
export async function checkUploadedKind(text: string, { name, taken = [] }: UploadOptions): Promise<ReadKind> {
  const read = await readKindStrictly(text, {
    name,
    further: (file, found) => {
      checkKindNames(file, found, taken)
      checkHosts(file, found)
      checkHeaders(file, found)
      checkBounds(file, found)
      checkSlots(file, found)
      checkTexts(file, found)
    },
  })
  const definition = read.definition === undefined ? undefined : { ...read.definition, foreign: true as const }
  return { ...read, definition, mistakes: show(read.mistakes), doubts: show(read.doubts) }
}
