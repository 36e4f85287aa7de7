/** Makes a kind of a manifest: the declarative YAML of a low-code connector (docs/decisions/importers.md). */
import { isObject } from '../../definition/object.ts'
import type { FileChoice, FileEntity, FileWay, KindFile, Unsure } from '../../kind-file/file.ts'
import { DocumentError, dropEmpty, type Imported, type ImportOptions, type LeftOut } from '../imported.ts'
import { toEntityName, toSlotName, writeSentence } from '../sentences.ts'
import { type Address, findPrefix, joinPath, readAddress, signHost } from './address.ts'
import { writeScheme } from './authentication.ts'
import { Component, References, readSpec, readTop, UnreadableManifest, type Values } from './component.ts'
import { type Draft, listRoots } from './draft.ts'
import { writeCall, writeEntity } from './entity.ts'
import { hasHost } from './login.ts'
import { UniqueNames } from './names.ts'
import { Notes, type Reason, sayReason, softWords } from './outcome.ts'
import type { Entry } from './request.ts'
import { type AuthSource, type Scheme, takeCredential } from './scheme.ts'
import { type Setting, Settings } from './settings.ts'
import { StreamReader } from './stream.ts'
import { listSlots, type Slot, type Template, writeTemplate } from './template.ts'

/** What was made of a manifest. */
export interface ImportedManifest extends Imported {
  /** True if everything that the manifest says is in the file, but for soft properties. */
  readonly isWhole: boolean
  readonly streams: { readonly all: number; readonly said: number }
  /** Why streams are left out. */
  readonly reasons: readonly Reason[]
}

/** No stream of a manifest can be said. */
export class NothingSaidError extends DocumentError {
  readonly reasons: readonly Reason[]
  readonly streams: number

  constructor(reasons: readonly Reason[], streams: number, leftOut: readonly LeftOut[]) {
    const [first] = leftOut
    super(`has no stream that a kind can say${first === undefined ? '' : `; ${first.what}: ${first.why}`}`)
    this.reasons = reasons
    this.streams = streams
  }
}

/** Largest file in characters, with room for the layout of YAML. */
const largestFile = 200_000
const mostEntities = 100

/** Headers that the request makes itself. */
const ownHeaders = /^(host|content-length|content-type|connection|accept-encoding|cookie|transfer-encoding|te|expect|keep-alive|upgrade)$/i

/** Finds what most elements have in common. */
function findMost<T>(all: readonly T[], signOf: (one: T) => string): string {
  const counts = new Map<string, number>()
  for (const each of all) counts.set(signOf(each), (counts.get(signOf(each)) ?? 0) + 1)
  return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0] ?? ''
}

class KindMaker {
  readonly #drafts: readonly Draft[]
  readonly #settings: Settings
  readonly #options: ImportOptions
  readonly #spec: Component | undefined
  readonly configuration: Record<string, unknown>
  readonly notes = new Notes()
  readonly #addresses = new Map<Draft, Address>()
  /** Headers of the calls of single streams. */
  readonly #headers = new Map<Draft, readonly Entry[]>()
  readonly #ways = new Map<string, { readonly name: string; readonly way: FileWay }>()

  constructor(
    drafts: readonly Draft[],
    rest: { settings: Settings; options: ImportOptions; spec: Component | undefined; configuration: Record<string, unknown> },
  ) {
    this.#drafts = drafts
    this.#settings = rest.settings
    this.#options = rest.options
    this.#spec = rest.spec
    this.configuration = rest.configuration
  }

  get #said(): readonly Draft[] {
    return this.#drafts.filter(({ notes }) => notes.reasons.length === 0)
  }

  /** Takes a value into the configuration. @returns its name */
  configure(slot: Slot, type: string): string {
    const { name, about } = this.#settings.find(slot)
    this.configuration[name] ??= `${type} ${about}`
    return name
  }

  /** Takes a value that fills parameters into the configuration. @returns its name */
  #fill({ name, about, isNumber, isRequired, otherwise }: Setting): string {
    const type = isNumber ? 'number' : 'string'
    this.configuration[name] ??=
      otherwise === undefined
        ? `${type}${isRequired ? '' : '?'} ${about}`
        : { $type: type, $about: about, $default: isNumber ? Number(otherwise) : String(otherwise) }
    return name
  }

  #readAddresses(): void {
    for (const draft of this.#said) {
      const address = draft.request === undefined ? undefined : readAddress(draft.request.url, this.#settings, draft.notes)
      if (address !== undefined) this.#addresses.set(draft, address)
    }
    const host = findMost(this.#said, (draft) => signHost(this.#addresses.get(draft)))
    for (const draft of this.#said)
      if (signHost(this.#addresses.get(draft)) !== host) draft.notes.stop('an address on another host than that of most streams')
  }

  /** Streams with another way to authenticate are left out; those without any get the one of the others. */
  #findSchemes(): readonly Scheme[] {
    const signOf = ({ schemes }: Draft): string => JSON.stringify(schemes.map(({ title: _title, ...scheme }) => scheme))
    const isOpen = ({ schemes }: Draft): boolean => schemes.every(({ name }) => name === 'none')
    const closed = this.#said.filter((draft) => !isOpen(draft))
    const most = findMost(closed, signOf)
    for (const draft of closed) if (signOf(draft) !== most) draft.notes.stop('another way to authenticate than that of most streams')
    const [first] = closed.length > 0 ? closed.filter((draft) => signOf(draft) === most) : this.#said
    return (first?.schemes ?? []).map((scheme) => ({
      ...scheme,
      fields: { ...scheme.fields },
      send: { ...scheme.send },
      query: { ...scheme.query },
    }))
  }

  /** A file names the host of a login, or takes that of the API. */
  #checkLogins(schemes: readonly Scheme[]): void {
    const api = this.#said.flatMap((draft) => this.#addresses.get(draft) ?? [])[0]
    if (schemes.some(({ login }) => login !== undefined && !hasHost(login, api)))
      for (const { notes } of this.#said) notes.stop('tokens at a host that a value chooses, and that is not the host of the API')
  }

  /** Headers with fixed values hold for all calls, those with values of the account belong to the credentials. */
  #splitHeaders(schemes: readonly Scheme[]): Record<string, string> {
    const fixed = new Map<string, Set<string>>()
    for (const draft of this.#said)
      for (const { name, value } of draft.request?.headers ?? []) {
        const low = name.toLowerCase()
        if (ownHeaders.test(low)) continue
        if (!/^[a-z][a-z0-9_-]*$/.test(low)) draft.notes.stop('a header whose name kind files do not take', name)
        else if (typeof value === 'object') this.#sendHeader(draft, schemes, { name: low, value })
        else if (low === 'authorization') draft.notes.stop('a header whose value differs between streams', name)
        else fixed.set(low, new Set([...(fixed.get(low) ?? []), String(value)]))
      }
    for (const draft of this.#said)
      for (const { name, value } of draft.request?.headers ?? [])
        if ((fixed.get(name.toLowerCase())?.size ?? 0) > 1) this.#addHeader(draft, { name: name.toLowerCase(), value })
    return Object.fromEntries([...fixed].flatMap(([name, values]) => (values.size === 1 ? [...values].map((value) => [name, value]) : [])))
  }

  #addHeader(draft: Draft, entry: Entry): void {
    this.#headers.set(draft, [...(this.#headers.get(draft) ?? []), entry])
  }

  #sendHeader(draft: Draft, schemes: readonly Scheme[], { name, value }: { readonly name: string; readonly value: Template }): void {
    const { notes } = draft
    if (listSlots(value).some(({ root }) => root !== 'config')) {
      this.#addHeader(draft, { name, value })
      return
    }
    for (const scheme of schemes) {
      const written = takeCredential(value, scheme, { settings: this.#settings, notes })
      if (written === undefined) return
      if ((scheme.send[name] ?? written) !== written) notes.stop('a header whose value differs between streams', name)
      else scheme.send[name] = written
    }
  }

  /** Values of the account that every request carries in its address belong to the credentials. */
  #carryValues(schemes: readonly Scheme[]): ReadonlySet<string> {
    const carried = new Set<string>()
    const said = this.#said
    for (const { name, value } of said.flatMap(({ request }) => request?.query ?? [])) {
      const [part, ...others] = typeof value === 'object' ? value : []
      if (typeof value !== 'object' || part?.is !== 'slot' || part.root !== 'config' || others.length > 0 || carried.has(name)) continue
      const setting = this.#settings.find(part)
      const same = said.filter(({ request }) =>
        request?.query.some((each) => each.name === name && JSON.stringify(each.value) === JSON.stringify(value)),
      )
      const hasOther = said.some(({ request }) =>
        request?.query.some((each) => each.name === name && JSON.stringify(each.value) !== JSON.stringify(value)),
      )
      const isOfAll = setting.isRequired && setting.otherwise === undefined && same.length === said.length
      if (hasOther || !(setting.isSecret || isOfAll)) continue
      for (const scheme of schemes)
        scheme.query[name] ??= takeCredential(value, scheme, { settings: this.#settings, notes: this.notes }) ?? ''
      carried.add(name)
    }
    return carried
  }

  #nameWay(draft: Draft): string | undefined {
    const { way } = draft.way ?? {}
    if (way === undefined) return undefined
    const id = JSON.stringify(way)
    const known = this.#ways.get(id)
    if (known !== undefined) return known.name
    const sort =
      way.next === 'pages' || way.next === 'rows'
        ? way.next
        : way.send === undefined
          ? 'link'
          : way.next.startsWith('last:')
            ? 'last'
            : 'cursor'
    const count = [...this.#ways.values()].filter(({ name }) => name.replace(/_\d+$/, '') === sort).length
    const name = count === 0 ? sort : `${sort}_${count + 1}`
    this.#ways.set(id, { name, way })
    return name
  }

  /** Stops streams whose parents are left out, have no copy, or hang on several roots. */
  #checkParents(entities: ReadonlyMap<Draft, FileEntity>): boolean {
    const before = this.#said.length
    for (const draft of this.#said)
      for (const { draft: parent } of draft.partition?.parents ?? []) {
        if (parent.notes.reasons.length > 0) draft.notes.stop('a parent that is left out', parent.name)
        else if (entities.get(draft)?.sync !== undefined && entities.get(parent)?.sync === undefined) draft.notes.doubt('sync', 'not said')
      }
    for (const draft of this.#said) if (new Set(listRoots(draft)).size > 1) draft.notes.stop('parents that two walks read')
    return this.#said.length < before
  }

  /** Writes the entities, again and again until no stream is left out because of another one. */
  #writeEntities(scope: {
    readonly prefix: number
    readonly carried: ReadonlySet<string>
    readonly depth: number
  }): ReadonlyMap<Draft, FileEntity> {
    let entities = new Map<Draft, FileEntity>()
    for (let isChanged = true; isChanged; ) {
      const said = this.#said
      entities = new Map(said.map((draft) => [draft, this.#writeOne(draft, said, scope)]))
      isChanged = this.#said.length < said.length || this.#checkParents(entities)
    }
    return new Map([...entities].map(([draft, entity]) => [draft, this.#withoutLostSync(draft, entity, entities)]))
  }

  /** A list below records that are not copied is not copied either. */
  #withoutLostSync(draft: Draft, entity: FileEntity, entities: ReadonlyMap<Draft, FileEntity>): FileEntity {
    const isCopied = (one: Draft): boolean =>
      entities.get(one)?.sync !== undefined && (one.partition?.parents ?? []).every(({ draft: parent }) => isCopied(parent))
    const { sync, ...rest } = entity
    return sync === undefined || isCopied(draft) ? entity : rest
  }

  #writeOne(
    draft: Draft,
    said: readonly Draft[],
    { prefix, carried, depth }: { readonly prefix: number; readonly carried: ReadonlySet<string>; readonly depth: number },
  ): FileEntity {
    const path = joinPath(this.#addresses.get(draft)?.segments.slice(prefix) ?? [])
    const below = said.flatMap((other) =>
      (other.partition?.parents ?? []).filter((parent) => parent.draft === draft).map((parent) => ({ other, parent })),
    )
    const configure = (setting: Setting): string => this.#fill(setting)
    const passed = below.flatMap(({ other }) =>
      writeCall(other, {
        ...{ settings: this.#settings, configure, carried },
        path: joinPath(this.#addresses.get(other)?.segments.slice(prefix) ?? []),
        headers: this.#headers.get(other) ?? [],
      }).sources.flatMap(({ source }) => (source.is === 'grandparent' ? [source.field] : [])),
    )
    const given = below.flatMap(({ other, parent }) => [
      ...[parent.path, ...Object.values(parent.extra)],
      ...(other.partition?.folded ?? []).flatMap((folded) => (folded.passed === undefined ? [folded.parent.path] : [])),
    ])
    return writeEntity(draft, {
      settings: this.#settings,
      configure,
      depth,
      path,
      carried,
      headers: this.#headers.get(draft) ?? [],
      way: this.#nameWay(draft),
      given: new Set(given),
      passed: new Set(passed),
    })
  }

  /** Finds the call that proves the credentials: of the manifest's check, else one that needs the fewest values. */
  #findCheck(entities: ReadonlyMap<Draft, FileEntity>, wanted: readonly string[]): KindFile['check'] {
    const all = [...entities].map(([draft, { list }]) => ({ draft, needs: listRequired(list) }))
    const open = all.filter(({ needs }) => needs.length === 0)
    const found =
      open.find(({ draft }) => wanted.includes(draft.name)) ??
      open[0] ??
      all.toSorted((one, other) => one.needs.length - other.needs.length)[0]
    if (found === undefined) return ''
    const { draft, needs } = found
    if (needs.length > 0) this.notes.doubt('check', 'not said')
    else if (!wanted.includes(draft.name)) this.notes.doubt('check', 'guessed')
    const run = `${draft.entity}.list`
    // The author replaces the name with a value of an account: no manifest has one.
    return needs.length === 0 ? run : { run, params: Object.fromEntries(needs) }
  }

  /** Makes the file. @param wanted names of the streams that the manifest checks the connection with */
  make(wanted: readonly string[]): Omit<KindFile, 'unsure'> {
    this.#readAddresses()
    const schemes = this.#findSchemes()
    this.#checkLogins(schemes)
    const headers = this.#splitHeaders(schemes)
    const carried = this.#carryValues(schemes)
    const all = this.#said.flatMap((draft) => this.#addresses.get(draft) ?? [])
    const prefix = all.length === 0 ? [] : findPrefix(all.map(({ segments }) => segments))
    const write = (depth: number) => this.#writeEntities({ prefix: prefix.length, carried, depth })
    let entities = write(4)
    for (const depth of [2, 1]) if (JSON.stringify([...entities.values()]).length > largestFile) entities = write(depth)
    const check = this.#findCheck(entities, wanted)
    const kept = [...entities].filter(([draft]) => draft.notes.reasons.length === 0)
    for (const [draft] of kept.slice(mostEntities)) draft.notes.stop(`more than ${mostEntities} streams`)
    return this.#write({ schemes, headers, prefix, address: all[0], entities: kept.slice(0, mostEntities), check })
  }

  #writeHost(address: Address | undefined): KindFile['api'] {
    const type = address?.host.length === 1 ? 'host' : 'label'
    if (address?.chosen === undefined) return `https://${writeTemplate(address?.host ?? [], (slot) => `{${this.configure(slot, type)}}`)}`
    return this.#configureChoice(address.chosen)
  }

  /** Takes a value that chooses a host into the configuration. */
  #configureChoice({ by, of }: NonNullable<Address['chosen']>): FileChoice {
    const values = Object.keys(of)
    const usual = by.otherwise === undefined ? undefined : toSlotName(String(by.otherwise))
    this.configuration[by.name] ??= {
      $type: values.join('|'),
      $about: by.about,
      $default: values.find((each) => each === usual) ?? values.at(-1) ?? '',
    }
    return { by: by.name, of }
  }

  #write(parts: {
    readonly schemes: readonly Scheme[]
    readonly headers: Record<string, string>
    readonly prefix: readonly Template[]
    readonly address: Address | undefined
    readonly entities: readonly (readonly [Draft, FileEntity])[]
    readonly check: KindFile['check']
  }): Omit<KindFile, 'unsure'> {
    const { kind, title = writeSentence(undefined, kind), api } = this.#options
    const docs = this.#spec?.text('documentation_url') ?? ''
    const host = this.#writeHost(parts.address)
    for (const { login } of parts.schemes) if (login?.address.chosen !== undefined) this.#configureChoice(login.address.chosen)
    const path = parts.prefix.length === 0 ? '' : writeTemplate(joinPath(parts.prefix), (slot) => `{${this.configure(slot, 'path')}}`)
    const isDocs = /^https:\/\/[^\s/]+\.[^\s]+$/.test(docs)
    if (!isDocs || /airbyte/.test(docs)) this.notes.doubt('docs', 'guessed')
    this.notes.doubt('category', 'guessed')
    if (Object.keys(this.configuration).length > 0) this.notes.doubt('configuration', 'guessed')
    const used = new Set(parts.entities.map(([, { list }]) => (typeof list === 'object' ? list.pages : undefined)))
    const pages = [...this.#ways.values()].flatMap(({ name, way }) => (used.has(name) ? [[name, way] as const] : []))
    return {
      ...{ kind, title, category: 'imported', about: `Records of ${title}` },
      docs: isDocs ? docs : `https://${(typeof host === 'string' ? writeVendorHost(host) : '') || 'example.com'}`,
      api: api ?? host,
      ...dropEmpty({ path, headers: parts.headers, configuration: this.configuration }),
      auth: Object.fromEntries(
        parts.schemes.map((scheme, index) => [
          nameScheme(parts.schemes, index),
          writeScheme(scheme, parts.address, (slot, type) => this.configure(slot, type)),
        ]),
      ),
      check: parts.check,
      ...dropEmpty({ pages: Object.fromEntries(pages) }),
      entities: Object.fromEntries(parts.entities.map(([{ entity }, written]) => [entity, written])),
    }
  }
}

const writeVendorHost = (host: string): string => host.replace(/^https:\/\/|\{\w+\}/g, '').replace(/^[.-]/, 'www.')

const nameScheme = (schemes: readonly Scheme[], index: number): string => {
  const name = schemes[index]?.name ?? 'token'
  const before = schemes.slice(0, index).filter((scheme) => scheme.name === name).length
  return before === 0 ? name : `${name}_${before + 1}`
}

function listRequired(list: FileEntity['list']): readonly (readonly [string, unknown])[] {
  const { call, params, body } = typeof list === 'object' ? list : { call: list ?? '', params: {}, body: {} }
  const slots = [...call.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => [name, params?.[name] ?? 'string!'] as const)
  return [...new Map([...Object.entries({ ...params, ...body }), ...slots])].flatMap(([name, field]) => {
    const type = (typeof field === 'string' ? field : isObject(field) ? String(field['$type']) : '').split(' ')[0] ?? ''
    if (!type.endsWith('!') || (isObject(field) && field['$from'] !== undefined)) return []
    const value = type.startsWith('string[]')
      ? [name]
      : type.startsWith('string')
        ? name
        : type.startsWith('number')
          ? 1
          : type.startsWith('unix')
            ? 0
            : type.startsWith('date-time')
              ? '2020-01-01T00:00:00Z'
              : '2020-01-01'
    return [[name, value] as const]
  })
}

function listLeftOut(drafts: readonly Draft[], top: Notes): readonly LeftOut[] {
  const lines = [...top.reasons.map((reason) => ({ what: 'the manifest', why: sayReason(reason) }))]
  for (const { name, notes } of drafts) {
    if (notes.reasons.length > 0) lines.push({ what: name, why: notes.reasons.map(sayReason).join('; ') })
    else for (const [word, detail] of notes.soft) lines.push({ what: `${name} ${detail}`, why: softWords[word] })
  }
  return lines
}

function listUnsure(drafts: readonly Draft[], top: Notes, all: Notes): Readonly<Record<string, Unsure>> {
  const own = drafts
    .filter(({ notes }) => notes.reasons.length === 0)
    .flatMap(({ entity, notes }) =>
      [...notes.unsure].map(([path, is]) => [/^(auth\b|api$)/.test(path) ? path : `entities.${entity}.${path}`, is] as const),
    )
  return Object.fromEntries([...top.unsure, ...all.unsure, ...own])
}

/**
 * Makes a kind of a manifest.
 * @param document the parsed manifest
 * @throws DocumentError for a document that is no manifest, and for one without a stream that a kind can say
 */
export function importManifest(document: unknown, options: ImportOptions): ImportedManifest {
  if (
    !isObject(document) ||
    (document['type'] !== undefined && document['type'] !== 'DeclarativeSource') ||
    document['check'] === undefined
  )
    throw new DocumentError('is no manifest: its type is not DeclarativeSource')
  try {
    return importSource(document, options)
  } catch (thrown) {
    if (!(thrown instanceof UnreadableManifest)) throw thrown
    throw new DocumentError(`cannot be read: ${thrown.message}`)
  }
}

function importSource(document: Values, options: ImportOptions): ImportedManifest {
  const references = new References(document)
  const top = new Notes()
  const source = new Component({ references, met: [] }, document, { parameters: {}, usual: 'DeclarativeSource' })
  const spec = source.child('spec')
  const { schema, consent } = readSpec(spec)
  const settings = new Settings(schema)
  const configuration: Record<string, unknown> = {}
  const configure: AuthSource['configure'] = (slot) => {
    const { name, about } = settings.find(slot)
    configuration[name] ??= `label ${about}`
    return name
  }
  const names = new UniqueNames()
  const reader = new StreamReader(references, { settings, consent, configure }, names)
  const streams = source.children('streams')
  const wanted = (stream: Component): boolean => {
    const name = stream.text('name') ?? ''
    return options.only?.some((each) => each === name || each === toEntityName(name)) ?? true
  }
  for (const stream of streams.filter(wanted)) reader.read(stream)
  const check = source.child('check')
  check?.leave('config_overrides')
  const checked = check?.takeAll('stream_names')
  readTop(source, top)
  const { drafts } = reader
  const maker = new KindMaker(drafts, { settings, options, spec, configuration })
  const file = maker.make(Array.isArray(checked) ? checked.map(String) : [])
  const failed = drafts.filter(({ notes }) => notes.reasons.length > 0)
  const reasons = [...top.reasons, ...failed.flatMap(({ notes }) => notes.reasons)]
  const leftOut = listLeftOut(drafts, top)
  if (failed.length === drafts.length) throw new NothingSaidError(reasons, drafts.length, leftOut)
  return {
    file,
    unsure: listUnsure(drafts, top, maker.notes),
    leftOut,
    isWhole: failed.length === 0 && top.reasons.length === 0 && drafts.length > 0,
    streams: { all: drafts.length, said: drafts.length - failed.length },
    reasons,
  }
}
