/** The host of a kind and the path that all calls begin with, from the addresses of all streams. */
import { toSlotName } from '../sentences.ts'
import type { Notes } from './outcome.ts'
import { splitTemplate } from './request.ts'
import type { Setting, Settings } from './settings.ts'
import { type Choice, joinTexts, listSlots, type Slot, type Template, type TemplatePart, writeTemplate } from './template.ts'

/** An address in parts. */
export interface Address {
  /** Without the scheme. */
  readonly host: Template
  /** A host for each value of a setting, instead of `host`. */
  readonly chosen?: { readonly by: Setting; readonly of: Readonly<Record<string, string>> }
  readonly segments: readonly Template[]
}

/** Writes a template so that equal ones have equal texts. */
export const sign = (template: Template): string => writeTemplate(template, ({ root, path }) => `{${root}:${path.join('.')}}`)
/** Writes a host so that equal ones have equal texts. */
export const signHost = (address: Address | undefined): string =>
  address === undefined ? '' : `${sign(address.host)} ${JSON.stringify(address.chosen?.of)}`

function split(url: Template): { readonly host: Template; readonly segments: readonly Template[] } | undefined {
  const [first, ...rest] = url
  const [, scheme = '', text = ''] = first?.is === 'text' ? (/^\s*(https:\/\/)([\s\S]*)$/.exec(first.text) ?? []) : []
  if (scheme === '') return undefined
  const [host = [], ...segments] = splitTemplate([...(text === '' ? [] : [{ is: 'text' as const, text }]), ...rest], '/')
  return { host, segments: segments.filter((segment) => segment.length > 0) }
}

/** Ends a host as the vendor's own domain does: its last two parts stand in the file. */
const isOwn = (host: Template): boolean => {
  const last = host.at(-1)
  return (
    last?.is === 'text' &&
    /(^|\.)[A-Za-z0-9-]+\.[A-Za-z]{2,}(:\d+)?$/.test(last.text) &&
    (host.length === 1 || last.text.startsWith('.') || /\..*\./.test(last.text))
  )
}

/** Replaces the parts that a value chooses with a text. */
const put = (url: Template, textOf: (part: Choice | Slot) => string | undefined): Template =>
  joinTexts(
    url.map((part): TemplatePart => {
      const text = part.is === 'choice' || part.is === 'slot' ? textOf(part) : undefined
      return text === undefined ? part : { is: 'text', text }
    }),
  )

/** Reads one address for each value of a setting. Only the hosts may differ. */
function readVariants(variants: readonly (readonly [value: string, url: Template])[], by: Setting, notes: Notes): Address | undefined {
  const read = variants.map(([value, url]) => [toSlotName(value), split(url)] as const)
  const [[, first] = ['', undefined]] = read
  const isSame = read.every(([, each]) => each !== undefined && each.segments.map(sign).join('/') === first?.segments.map(sign).join('/'))
  if (first === undefined || !isSame) return notes.stop('a path that a value of the account chooses')
  const hosts = read.map(([value, each]) => [value, each?.host ?? []] as const)
  if (hosts.some(([, host]) => !isOwn(host) || host.length > 1)) return notes.stop(wholeHost)
  return { ...first, chosen: { by, of: Object.fromEntries(hosts.map(([value, host]) => [value, `https://${sign(host)}`])) } }
}

const wholeHost = 'a host that each account names as a whole'

function readChosen(url: Template, choices: readonly Choice[], settings: Settings, notes: Notes): Address | undefined {
  const [{ by } = { by: undefined }] = choices
  if (by === undefined || by.root !== 'config' || choices.some((each) => each.by.path.join() !== by.path.join()))
    return notes.stop('logic in the address', 'a choice by several values')
  const setting = settings.find(by)
  const named = [...new Set(choices.flatMap(({ cases }) => cases.map(([value]) => value)))]
  const rest = setting.values.filter((value) => !named.includes(value))
  const others = rest.length > 0 ? rest : named.includes('true') ? ['false'] : ['other']
  if (rest.length === 0 && setting.values.length === 0) notes.doubt('api', 'guessed')
  const textOf = (value: string) => (part: Choice | Slot) =>
    part.is === 'choice' ? (part.cases.find(([each]) => each === value)?.[1] ?? part.otherwise) : undefined
  return readVariants(
    [...named, ...others].map((value) => [value, put(url, textOf(value))] as const),
    setting,
    notes,
  )
}

/** Matches a host of which an account names the first part, as specifications show it: `<shop>.myshopify.com`. */
const hostIn = /(?<![\w.@-])([A-Za-z0-9<>_*-]+)((?:\\?\.[a-z0-9-]+)*\\?\.[a-z0-9-]+\\?\.[a-z]{2,})\b/gi

/** Finds a host of the vendor in what the specification shows for a value: the first part of it is the account's. */
function guessHost(shown: readonly string[]): string | undefined {
  if (shown.some((text) => /^https?:\/\/[^/]+\/./.test(text))) return undefined
  const hosts = shown.flatMap((text) => [...text.matchAll(hostIn)].map(([, , rest = '']) => rest.replaceAll('\\', '')))
  const [first] = hosts
  const domain = (host: string): string => host.split('.').slice(-2).join('.')
  return first === undefined || hosts.some((host) => domain(host) !== domain(first)) || /example|domain|your|host\./i.test(first)
    ? undefined
    : first
}

/**
 * Writes an address that a value is the host of: with the domain that the specification shows, else with the host that the manifest has by
 * default. Others stay as they are.
 */
export function spreadHost(url: Template, settings: Settings, notes: Notes): Template {
  const [first, second, ...rest] = url
  const isBare = first?.is === 'slot'
  const [slot, behind] = isBare ? [first, second === undefined ? rest : [second, ...rest]] : [second, rest]
  const isWhole = isBare || (first?.is === 'text' && /^\s*https:\/\/$/.test(first.text))
  const [after] = behind
  if (!isWhole || slot?.is !== 'slot' || slot.root !== 'config' || (after?.is === 'text' && !isBare && !after.text.startsWith('/')))
    return url
  const setting = settings.find(slot)
  if (setting.values.length > 0) return url
  const usual = setting.otherwise === undefined ? '' : String(setting.otherwise)
  const host = guessHost([...setting.examples, ...(usual === '' ? [] : [usual])])
  const isHost = /^(https:\/\/)?[a-z0-9-]+(\.[a-z0-9-]+)+(\/\S*)?$/.test(usual)
  if (host === undefined && !isHost) return url
  notes.doubt('api', 'guessed')
  const path = joinText(behind)
  const isSpread = /^[^/?]/.test(path[0]?.is === 'text' ? path[0].text : '/')
  const start: Template =
    host === undefined
      ? [{ is: 'text', text: `https://${usual.replace(/^https:\/\//, '').replace(/\/$/, '')}` }]
      : [{ is: 'text', text: 'https://' }, slot, { is: 'text', text: host }]
  return joinTexts([...start, ...(isSpread ? [{ is: 'text' as const, text: '/' }] : []), ...path])
}

/** Splits an address; undefined for a host that an account names as a whole. */
export function readAddress(given: Template, settings: Settings, notes: Notes): Address | undefined {
  const url = spreadHost(given, settings, notes)
  const choices = url.filter((part) => part.is === 'choice')
  if (choices.length > 0) return readChosen(url, choices, settings, notes)
  const [first, ...behind] = url
  if (first?.is === 'slot' && first.root === 'config') return readWhole(first, behind, settings, notes)
  const found = split(url)
  if (found === undefined) return notes.stop('an address without a host')
  const slots = listSlots(found.host)
  if (slots.some(({ root }) => root !== 'config')) return notes.stop('a host that a record names')
  if (isOwn(found.host)) return found
  const [slot, ...others] = slots
  if (slot === undefined || others.length > 0) return notes.stop(wholeHost)
  return found.host.length === 1 ? readWhole(slot, joinPath(found.segments), settings, notes) : readListed(slot, url, settings, notes)
}

const joinText = (template: Template): Template => (sign(template) === '/' ? [] : template)

/** Reads a host of which a value is the end: a value that the specification lists. */
function readListed(slot: Slot, url: Template, settings: Settings, notes: Notes): Address | undefined {
  const setting = settings.find(slot)
  const values = setting.values.length > 0 ? setting.values : setting.otherwise === undefined ? [] : [String(setting.otherwise)]
  if (values.length === 0) return notes.stop(wholeHost)
  if (setting.values.length === 0) notes.doubt('api', 'guessed')
  const textOf = (value: string) => (part: Choice | Slot) =>
    part.is === 'slot' && part.path.join() === slot.path.join() ? value : undefined
  return readVariants(
    values.map((value) => [value, put(url, textOf(value))] as const),
    setting,
    notes,
  )
}

/** Finds the path that the first example of an address has behind its host. */
const findPath = ([example = '']: readonly string[]): string => /^https?:\/\/[^/?#\s{}]+((?:\/[\w.-]+)+)\/?$/.exec(example)?.[1] ?? ''

/** Reads an address that a value is the host of: one of listed ones. */
function readWhole(slot: Slot, behind: Template, settings: Settings, notes: Notes): Address | undefined {
  const setting = settings.find(slot)
  const toUrl = (value: string): Template =>
    joinTexts([{ is: 'text', text: `https://${value.replace(/^https?:\/\//, '').replace(/\/$/, '')}` }, ...joinText(behind)])
  if (setting.values.length > 0)
    return readVariants(
      setting.values.map((value) => [value, toUrl(value)] as const),
      setting,
      notes,
    )
  // The customer runs the product on a host of their own. Its value has no path.
  notes.doubt('api', 'guessed')
  return { host: [slot], segments: split(toUrl(`host${findPath(setting.examples)}`))?.segments ?? [] }
}

const isPrefixPart = (segment: Template): boolean =>
  segment.every((part) => (part.is === 'slot' ? part.root === 'config' : part.is === 'text' && /^[\w.-]+$/.test(part.text)))

/** Finds the segments that all addresses begin with. */
export function findPrefix(all: readonly (readonly Template[])[]): readonly Template[] {
  const [first = [], ...others] = all
  const shortest = Math.min(...all.map((segments) => segments.length)) - 1
  let length = 0
  while (length < shortest) {
    const segment = first[length] ?? []
    if (!isPrefixPart(segment) || others.some((segments) => sign(segments[length] ?? []) !== sign(segment))) break
    length += 1
  }
  return first.slice(0, Math.max(length, 0))
}

/** Joins segments to a path. */
export const joinPath = (segments: readonly Template[]): Template =>
  segments.length === 0 ? [{ is: 'text', text: '/' }] : segments.flatMap((segment): Template => [{ is: 'text', text: '/' }, ...segment])
