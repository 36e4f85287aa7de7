/** Replaces what no recording may hold. The same value becomes the same everywhere, so that walks and paths still fit. */
import { isObject } from '../definition/object.ts'
import { createRedactor, type Redact } from '../engine/credentials/source.ts'
import { decodePart, escapePattern } from '../values/texts.ts'
import type { Identities } from './identities.ts'
import { mailAddress } from './leaks.ts'
import { invent, isLink, type Sort, shortDigits, sortOfMember, sortOfText } from './text-sorts.ts'

/** One thing that was replaced, or that stays. */
export interface Replaced {
  /** Path of it: `answer.data[].email`. */
  readonly path: string
  /** Undefined: texts there stay as they are. */
  readonly as: string | undefined
}

interface KnownTexts {
  /** Values of credentials by the names of their fields: all that were used. */
  readonly secrets: readonly (readonly [name: string, value: string])[]
  /** Texts that stand for others, such as values of the configuration. */
  readonly known: readonly (readonly [from: string, to: string])[]
  /** Addresses of the vendor, and what stands for them. */
  readonly origins: ReadonlyMap<string, string>
  readonly kindWords: ReadonlySet<string>
  /** Words by which the kind knows messages of errors. */
  readonly messageWords: readonly string[]
  /** What stands for whom in the other recordings of the file. */
  readonly identities: Identities
}

/** Shortest text that is replaced within others. */
const shortest = 3
const word = /[\p{L}\p{N}]+/gu
const link = /https?:\/\/[^\s<>"'\\,;)]+/gi
const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint'

/** Lists pairs of values, and each alone, in Base64: headers of HTTP Basic hold them, and vendors answer with what they got. */
function* listEncoded(values: readonly string[]): Generator<string> {
  for (const one of values) {
    yield Buffer.from(one).toString('base64')
    for (const other of ['', ...values]) yield Buffer.from(`${one}:${other}`).toString('base64')
  }
}

/** Makes what removes credentials: each becomes the invented value that replays use. */
export function createSecretRemover(secrets: KnownTexts['secrets']): Redact {
  const values = secrets.map(([, value]) => value)
  const removers = secrets
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([name, value]) => [`recorded-${name}`, createRedactor(() => [value])] as const)
  const encoded = createRedactor(() => [...listEncoded(values)])
  return (text) =>
    removers.reduce((kept, [to, redact]) => redact(kept).replaceAll('[secret]', to), encoded(text).replaceAll('[secret]', 'recorded'))
}

/** Replaces values in two passes: it learns from answers and parameters, and then writes all parts. */
export class Replacer {
  readonly #given: KnownTexts
  readonly #remove: Redact
  readonly #to = new Map<string, string>()
  readonly #byWord = new Map<string, Set<string>>()
  readonly #counts = new Map<Sort, number>()
  readonly #paths = new Map<string, string | undefined>()

  constructor(given: KnownTexts) {
    this.#given = given
    this.#remove = createSecretRemover(given.secrets)
    for (const [from, to] of given.known) this.#know(from, to)
  }

  get replaced(): readonly Replaced[] {
    return [...this.#paths].map(([path, as]) => ({ path, as }))
  }

  #know(from: string, to: string): string {
    this.#to.set(from, to)
    const [first] = from.match(word) ?? []
    if (first !== undefined && from.length >= shortest) this.#byWord.set(first, (this.#byWord.get(first) ?? new Set()).add(from))
    return to
  }

  #inventNext(sort: Sort, text: string): string {
    const count = (this.#counts.get(sort) ?? 0) + 1
    this.#counts.set(sort, count)
    return invent(sort, text, count)
  }

  /** Finds what stands for a text in the other recordings, or invents what stands for nothing else. */
  #invent(sort: Sort, text: string): string {
    const { identities } = this.#given
    const known = identities.find(text)
    if (known !== undefined) return known
    let made = this.#inventNext(sort, text)
    while (identities.isTaken(made)) made = this.#inventNext(sort, text)
    const whole = this.#addMessageWord(sort, text, made)
    identities.keep(text, whole)
    return whole
  }

  #addMessageWord(sort: Sort, text: string, invented: string): string {
    const said = sort === 'text' ? this.#given.messageWords.find((each) => text.toLowerCase().includes(each.toLowerCase())) : undefined
    return said === undefined ? invented : `${invented}: ${said}`
  }

  /** Learns one text. @param sort what its name says */
  #learnText(text: string, sort: Sort | undefined): void {
    const removed = this.#remove(text)
    if (this.#to.has(removed)) return
    if (isLink(removed)) {
      this.#learnLink(removed)
      return
    }
    for (const [address] of removed.matchAll(mailAddress))
      if (!this.#to.has(address)) this.#know(address, this.#invent('mail address', address))
    const found = sortOfText(removed, sort)
    const stays = found === undefined || (found !== 'token' && this.#given.kindWords.has(removed)) || shortDigits.test(removed)
    if (!stays && !this.#to.has(removed)) this.#know(removed, this.#invent(found, removed))
  }

  /** Learns the parts of a link of the vendor; any other is replaced as a whole. */
  #learnLink(text: string): void {
    const url = URL.canParse(text, 'http://relative.invalid') ? new URL(text, 'http://relative.invalid') : undefined
    const isOwn = url !== undefined && (text.startsWith('/') || this.#given.origins.has(url.origin))
    if (!isOwn) return void this.#know(text, this.#invent('link', text))
    for (const part of url.pathname.split('/')) this.#learnText(decodePart(part).replaceAll('/', ''), undefined)
    for (const [name, value] of url.searchParams) this.#learnText(value, sortOfMember(name, undefined))
  }

  learn(value: unknown, holder?: Sort): void {
    if (typeof value === 'string') this.#learnText(value, holder)
    else if (isNumber(value)) {
      const digits = String(value)
      if (!shortDigits.test(digits) && (holder === 'token' || holder === 'name')) this.#learnText(digits, holder)
    } else if (Array.isArray(value)) for (const inner of value) this.learn(inner, holder)
    else if (isObject(value))
      for (const [name, inner] of Object.entries(value)) {
        this.#learnText(name, undefined)
        this.learn(inner, sortOfMember(name, holder))
      }
  }

  /** Learns what a header holds: it has its own grammar, and no prose. */
  learnHeader(value: string): void {
    for (const [found] of value.matchAll(link)) this.#learnLink(found)
    if (!/\s/.test(value)) this.#learnText(value, undefined)
  }

  #writeLink(text: string): string {
    const whole = this.#to.get(text)
    if (whole !== undefined) return whole
    if (!URL.canParse(text)) return text
    const url = new URL(text)
    const origin = this.#given.origins.get(url.origin) ?? url.origin
    return origin + this.#writeTarget(url)
  }

  #writeTarget({ pathname, search }: { readonly pathname: string; readonly search: string }): string {
    const path = pathname
      .split('/')
      .map((part) => {
        const to = this.#writeText(decodePart(part))
        return to === decodePart(part) ? part : encodeURIComponent(to)
      })
      .join('/')
    const query = [...new URLSearchParams(search)].map(([name, value]): [string, string] => [name, this.#writeText(value)])
    return query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`
  }

  #writeText(given: string): string {
    const text = this.#remove(given)
    const whole = this.#to.get(text)
    if (whole !== undefined) return whole
    if (/^\/[^\s/]\S*$/.test(text)) {
      const [pathname = '', search = ''] = text.split(/\?(.*)/s)
      return this.#writeTarget({ pathname, search })
    }
    return this.#writeParts(text.replaceAll(link, (found) => this.#writeLink(found)))
  }

  /** Replaces known texts within a text, where they stand as words. */
  #writeParts(text: string): string {
    const found = new Set((text.match(word) ?? []).flatMap((first) => [...(this.#byWord.get(first) ?? [])]))
    if (found.size === 0) return text
    const forms = [...found].toSorted((one, other) => other.length - one.length).map(escapePattern)
    const form = new RegExp(`(?<![\\p{L}\\p{N}])(?:${forms.join('|')})(?![\\p{L}\\p{N}])`, 'gu')
    return text.replaceAll(form, (part) => this.#to.get(part) ?? part)
  }

  #note(path: string, from: unknown, to: unknown): void {
    if (from !== to) this.#paths.set(path, this.#paths.get(path) ?? String(to))
    else if (typeof from === 'string' && !this.#paths.has(path)) this.#paths.set(path, undefined)
  }

  /** Writes a value. @param path where it stands, for the list of what was replaced */
  write(value: unknown, path: string, holder?: Sort): unknown {
    if (Array.isArray(value)) return value.map((inner) => this.write(inner, `${path}[]`, holder))
    if (isObject(value))
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => {
          const to = this.#writeKey(name)
          return [to, this.write(inner, `${path}.${to}`, sortOfMember(name, holder))]
        }),
      )
    const to = this.#writeScalar(value, holder)
    this.#note(path, value, to)
    return to
  }

  writePath = (pathname: string): string => this.#writeTarget({ pathname, search: '' })

  #writeScalar(value: unknown, holder: Sort | undefined): unknown {
    const isLocal = holder === 'address' && shortDigits.test(String(value))
    if (typeof value === 'string') return isLocal ? this.#inventNext('address', value) : this.#writeText(value)
    if (!isNumber(value)) return value
    const digits = isLocal ? this.#inventNext('address', '0') : this.#writeText(String(value))
    if (digits === String(value)) return value
    return /^\d{1,15}$/.test(digits) ? Number(digits) : /^\d+$/.test(digits) ? BigInt(digits) : 0
  }

  /** Writes the name of a member. Names of people are no names of members, so common words stay. */
  #writeKey(name: string): string {
    const removed = this.#remove(name)
    const isPlain = /^[A-Za-z_$][\w$.-]{0,40}$/.test(removed) && sortOfText(removed, undefined) === undefined
    return isPlain ? removed : this.#writeText(removed)
  }
}
