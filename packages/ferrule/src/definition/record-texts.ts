/** What people see of a record: its title, a summary, and the address of its page at the vendor. */
import type { Sentences } from './check-codes.ts'
import type { Kind } from './connector.ts'
import type { EntityDefinition } from './entity.ts'
import { isObject } from './object.ts'
import { findField } from './plain-schema.ts'
import { listSlots } from './templates.ts'

/** Names of fields that are the title of an entity which says none, the best first. Case and `_` do not count. */
const usualTitles = 'name title subject summary label displayname fullname email emailaddress identifier code'.split(' ')
/** End of the names that are a title where no field has one of these: `campaign_name`. */
const usualEnd = /(?:name|title)$/

const foldName = (name: string): string => name.replaceAll('_', '').toLowerCase()

/**
 * Finds the field with the title of an entity's records: the one that the definition names, else the first usual one that is a searchable
 * string.
 */
export function findTitle({ title, context_store_search: fields = {} }: EntityDefinition): string | undefined {
  if (title !== undefined) return title
  const strings = Object.entries(fields).filter(([, { type, format }]) => [type].flat().includes('string') && format === undefined)
  const names = strings.map(([name]) => name)
  const [usual] = usualTitles.flatMap((title) => names.find((name) => foldName(name) === title) ?? [])
  return usual ?? names.find((name) => usualEnd.test(foldName(name)))
}

/** Lists the texts at a path: `name`, `owner.name`, `title[].plain_text`. A member of a list is a member of each of its elements. */
function listTexts(value: unknown, [name, ...rest]: readonly string[]): readonly string[] {
  if (Array.isArray(value)) return value.flatMap((each) => listTexts(each, name === undefined ? [] : [name, ...rest]))
  if (name !== undefined) return isObject(value) && Object.hasOwn(value, name) ? listTexts(value[name], rest) : []
  if (typeof value === 'string') return value.trim() === '' ? [] : [value]
  return typeof value === 'number' || typeof value === 'bigint' ? [String(value)] : []
}

const splitPath = (path: string): readonly string[] => path.replaceAll('[]', '').split('.')

/** Reads the text at a path of a record; several texts are joined. Undefined without a text. */
export function readRecordText(record: unknown, path: string | undefined): string | undefined {
  const texts = path === undefined ? [] : listTexts(record, splitPath(path))
  return texts.length === 0 ? undefined : texts.join(' ')
}

/** The host of a link: parts from the configuration may stand before a domain of the definition. */
const linkForm = /^https:\/\/((?:\{\w+\}\.)?)([a-z0-9-]+(?:\.[a-z0-9-]+)+)(\/[^\s]*)?$/
const hostPart = /^[A-Za-z0-9][A-Za-z0-9_-]{0,62}(?:\.[A-Za-z0-9][A-Za-z0-9_-]{0,62}){0,3}$/

/** Reads an address; undefined for another text, and for a host that is not below the given one. */
function readAddress(text: string, host: string): URL | undefined {
  const url = URL.parse(text)
  const isBelow = url?.protocol === 'https:' && url.username === '' && (url.hostname === host || url.hostname.endsWith(`.${host}`))
  return isBelow ? url : undefined
}

/** What a link is filled from. */
export interface LinkValues {
  readonly record: unknown
  readonly configuration: Readonly<Record<string, unknown>>
}

/**
 * Fills the link of a record. Each value is escaped. A value that is an address already is the link, if its host is that of the link or below it.
 * @returns undefined without a link, and where a value is missing or leads elsewhere
 */
export function fillLink(link: string | undefined, { record, configuration }: LinkValues): string | undefined {
  const [, label = '', host = ''] = linkForm.exec(link ?? '') ?? []
  if (link === undefined || host === '') return undefined
  const values = listSlots(link).map((slot) => readRecordText(configuration, slot) ?? readRecordText(record, slot))
  if (values.some((value) => value === undefined)) return undefined
  const whole = values.length === 1 ? readAddress(values[0] ?? '', host) : undefined
  if (whole !== undefined) return whole.href
  if (values.some((value) => /^[a-z]+:\/\//i.test(value ?? ''))) return undefined
  if (label !== '' && !hostPart.test(values[0] ?? '')) return undefined
  let at = 0
  return readAddress(
    link.replace(/\{[^{}]*\}/g, () => encodeURIComponent(values[at++] ?? '')),
    host,
  )?.href
}

/** Checks what an entity says of its records' titles, summaries and links. */
export function checkRecordTexts(
  { definition: { configuration } }: Kind,
  { title, summary, link, ...entity }: EntityDefinition,
): Sentences {
  const fields = entity.context_store_search ?? {}
  const isSearchable = (path: string): boolean => {
    const [first = ''] = splitPath(path)
    return Object.hasOwn(fields, first) && (findField(fields, first)?.properties === undefined || findField(fields, path) !== undefined)
  }
  const label = /^https:\/\/\{(\w+)\}\./.exec(link ?? '')?.[1]
  return [
    ...Object.entries({ title, summary }).map(
      ([word, path]) => path !== undefined && !isSearchable(path) && `${word} ${path} is not a searchable field`,
    ),
    link !== undefined && !linkForm.test(link) && 'link is no https address with a host of the definition',
    label !== undefined && !Object.hasOwn(configuration, label) && `link has ${label} in its host, which is not a field of configuration`,
    ...(link === undefined ? [] : listSlots(link)).map(
      (slot) =>
        slot !== label &&
        isSearchable(slot) === Object.hasOwn(configuration, slot) &&
        `link takes ${slot}, which is not one searchable field`,
    ),
  ]
}
