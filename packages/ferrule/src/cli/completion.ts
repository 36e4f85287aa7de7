/** What can follow the words of a command line. It is silent on failure, and waits for a service for a second at most. */
import type { KindDocument } from '../document/kind-document.ts'
import { clientNames, editedClientNames } from './clients/names.ts'
import { type CommandContext, createContext } from './context.ts'
import { showInLine } from './output/terminal.ts'
import { readProfiles } from './profiles.ts'
import { type CommandSpec, globalOptions, type OptionSpec } from './spec.ts'
import { commands, groups } from './specs/index.ts'
import { findEntity, isKindFile, listKinds, listLocalKinds, readKind, readLocalKind } from './target/kinds.ts'
import { listNames } from './typed-values.ts'

/** Longest wait for the service, in seconds, unless the line itself has `--timeout`. */
const defaultPatience = 1

type Candidate = readonly [text: string, about: string]

interface Line {
  readonly spec: CommandSpec | undefined
  /** Words of the command and its arguments, without options. */
  readonly words: readonly string[]
  /** Values of options by name. */
  readonly options: ReadonlyMap<string, string>
  /** Option whose value is being written. */
  readonly open: OptionSpec | undefined
  readonly partial: string
}

const readNames = ({ flags }: OptionSpec): readonly string[] => flags.match(/(?<=^|\s)--?[a-z-]+/gi) ?? []
/** Finds the command of the longest name: `mcp install` before `mcp`. */
const findSpec = (words: readonly string[]): CommandSpec | undefined =>
  commands
    .filter(({ name }) => name === words.slice(0, name.split(' ').length).join(' '))
    .toSorted((one, other) => other.name.length - one.name.length)[0]

function readLine(given: readonly string[]): Line {
  const partial = given.at(-1) ?? ''
  const known = [...globalOptions, ...commands.flatMap(({ options = [] }) => options)]
  const words: string[] = []
  const options = new Map<string, string>()
  let open: OptionSpec | undefined
  for (const word of given.slice(0, -1)) {
    if (open !== undefined) {
      options.set(readNames(open).at(-1) ?? '', word)
      open = undefined
      continue
    }
    const own = findSpec(words)?.options ?? []
    const option = word.startsWith('-') ? [...own, ...known].find((each) => readNames(each).includes(word)) : undefined
    if (option?.flags.includes('<')) open = option
    if (!word.startsWith('-')) words.push(word)
  }
  return { spec: findSpec(words), words, options, open, partial }
}

function completeCommands(words: readonly string[]): readonly Candidate[] {
  if (words.length === 0) {
    const first = new Map<string, string>([
      ...groups.map(({ name, about }) => [name, about] as const),
      ...commands.filter(({ name }) => !name.includes(' ')).map(({ name, about }) => [name, about] as const),
    ])
    return [...first]
  }
  const [group] = words
  return commands.flatMap(({ name, about }) => {
    const [first, second] = name.split(' ')
    return first === group && second !== undefined && words.length === 1 ? [[second, about] as const] : []
  })
}

const completeOptions = (spec: CommandSpec | undefined): readonly Candidate[] =>
  [...(spec?.options ?? []), ...globalOptions].map((option) => [readNames(option).at(-1) ?? '', option.about])

interface Sources {
  kinds(): Promise<readonly Candidate[]>
  localKinds(): Promise<readonly Candidate[]>
  connectors(): Promise<readonly Candidate[]>
  kindOf(connector: string): Promise<KindDocument>
  profiles(): Promise<readonly Candidate[]>
}

const listEntities = ({ entities }: KindDocument): readonly Candidate[] => entities.map(({ entity, description }) => [entity, description])

function listActions(kind: KindDocument, entity: string | undefined): readonly Candidate[] {
  return entity === undefined ? [] : findEntity(kind, entity).actions.map(({ action, description }) => [action, description])
}

/** Completes connector, entity and action; with `--local` the words begin with the entity. */
async function completeOperation({ options }: Line, args: readonly string[], sources: Sources): Promise<readonly Candidate[]> {
  const local = options.get('--local')
  if (local === undefined && args.length === 0) return sources.connectors()
  const kind = local === undefined ? await sources.kindOf(args[0] ?? '') : await readLocalKind(local)
  const [entity, action] = local === undefined ? args.slice(1) : args
  if (entity === undefined) return listEntities(kind)
  return action === undefined ? listActions(kind, entity) : []
}

async function completeParams({ options, words }: Line, sources: Sources): Promise<readonly Candidate[]> {
  const local = options.get('--local')
  const args = words.slice(1)
  const kind = local === undefined ? await sources.kindOf(args[0] ?? '') : await readLocalKind(local)
  const [entity = '', action = words[0]] = local === undefined ? args.slice(1) : args
  const found = findEntity(kind, entity).actions.find((each) => each.action === action)
  return listNames(found?.params).map((name) => [`${name}=`, ''])
}

async function completeValue(option: OptionSpec, line: Line, sources: Sources): Promise<readonly Candidate[]> {
  const name = readNames(option).at(-1)
  if (option.choices !== undefined) return option.choices.map((choice) => [choice, ''])
  if (name === '--local') return sources.localKinds()
  if (name === '--kind') return sources.kinds()
  if (name === '--profile') return sources.profiles()
  if (name === '--type') return (await import('../wire/events.ts')).eventTypes.map((type) => [type, ''])
  return name === '--param' ? completeParams(line, sources) : []
}

async function completeArguments(line: Line, spec: CommandSpec, sources: Sources): Promise<readonly Candidate[]> {
  const args = line.words.slice(spec.name.split(' ').length)
  if (['execute', 'search', 'aggregate', 'export', 'download', 'changes'].includes(spec.name)) {
    const most = spec.name === 'execute' ? 3 : 2
    return args.length < most ? completeOperation(line, args, sources) : []
  }
  if (spec.name === 'describe') {
    const [name, entity] = args
    if (name === undefined) return sources.kinds()
    const kind = await sources.kindOf(name)
    return entity === undefined ? listEntities(kind) : args.length === 2 ? listActions(kind, entity) : []
  }
  if (args.length > 0) return []
  if (spec.name === 'use') return sources.profiles()
  if (spec.name === 'mcp install') return clientNames.map((name) => [name, ''])
  if (spec.name === 'mcp uninstall') return editedClientNames.map((name) => [name, ''])
  if (spec.name === 'complete') return ['bash', 'zsh', 'fish', 'powershell'].map((shell) => [shell, ''])
  if (spec.name === 'definitions' || spec.name === 'connectors create') return sources.kinds()
  return spec.args?.startsWith('<connector>') ? sources.connectors() : []
}

async function listCandidates(line: Line, sources: Sources): Promise<readonly Candidate[]> {
  if (line.open !== undefined) return completeValue(line.open, line, sources)
  if (line.partial.startsWith('-')) return completeOptions(line.spec)
  return line.spec?.args === undefined ? completeCommands(line.words) : completeArguments(line, line.spec, sources)
}

/** A name with blanks would be several words. */
const toWord = (id: string, name: string): string => (/^[\w.@-]+$/.test(name) ? name : id)

async function listConnectors(context: CommandContext) {
  const [{ openSession, callOptions }, { Connectors }] = await Promise.all([
    import('./session.ts'),
    import('../client/resources/connectors.ts'),
  ])
  const transport = await openSession(context)
  const query = { workspace_name: transport.settings.workspace, limit: 100 }
  return (await new Connectors(transport).page(query, callOptions(context))).data
}

function openSources(context: CommandContext): Sources {
  return {
    kinds: async () => (await listKinds(context).catch(() => listLocalKinds())).map((kind) => [kind, '']),
    localKinds: async () => (await listLocalKinds()).map((kind) => [kind, '']),
    connectors: async () => (await listConnectors(context)).map(({ id, name, connector_type: kind }) => [toWord(id, name), kind]),
    profiles: async () => Object.entries((await readProfiles(context.env)).profiles).map(([name, { url }]) => [name, url ?? '']),
    kindOf: async (connector) => {
      const local = await listLocalKinds()
      if (local.includes(connector) || isKindFile(connector)) return readLocalKind(connector)
      const found = (await listConnectors(context)).find(({ id, name }) => id === connector || name === connector)
      const kind = found?.connector_type ?? connector
      return local.includes(kind) ? readLocalKind(kind) : readKind(kind, context)
    },
  }
}

/**
 * Finds what can follow.
 * @param given words after `ferrule`; the last one is being written
 * @returns lines of candidate and description, and the line that ends them in the protocol of the scripts
 */
export async function findCompletions(given: readonly string[], version: string): Promise<string> {
  const line = readLine(given)
  const candidates = await findCandidates(line, version).catch(() => [])
  const fitting = candidates.filter(([text]) => text !== '' && text.startsWith(line.partial))
  // 4: no files. 2: no blank after a parameter, whose value follows.
  const directive = line.open === undefined || candidates.length > 0 ? (fitting.some(([text]) => text.endsWith('=')) ? 6 : 4) : 0
  return `${fitting.map(([text, about]) => `${text}\t${showInLine(about.split('\n')[0] ?? '')}`).join('\n')}${fitting.length > 0 ? '\n' : ''}:${directive}\n`
}

async function findCandidates(line: Line, version: string): Promise<readonly Candidate[]> {
  const controller = new AbortController()
  const patience = Number(line.options.get('--timeout')) || defaultPatience
  const names = ['profile', 'url', 'organization', 'workspace']
  const flags = names.flatMap((name) => {
    const value = line.options.get(`--${name}`)
    return value === undefined ? [] : [[name, value] as const]
  })
  const options = { ...Object.fromEntries(flags), timeout: String(patience), quiet: true }
  const timer = setTimeout(() => controller.abort(), patience * 1_000)
  try {
    return await listCandidates(line, openSources(createContext({ args: [], options, version }, controller)))
  } finally {
    clearTimeout(timer)
  }
}
