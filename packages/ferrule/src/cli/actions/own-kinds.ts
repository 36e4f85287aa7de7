/** `kind publish` and its siblings: kinds that the organization has in the service. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { type ConnectorMoves, moveConnectors } from '../../client/move-connectors.ts'
import { Connectors } from '../../client/resources/connectors.ts'
import { Kinds } from '../../client/resources/kinds.ts'
import type { Transport } from '../../client/transport.ts'
import { type KindChangeClass, kindChangeClasses, kindChangeMeanings } from '../../definition/compare.ts'
import { fail, withHint } from '../../errors.ts'
import type { Mistake } from '../../kind-file/mistakes.ts'
import { findRecordingsPath } from '../../values/kind-files.ts'
import type { KindCheck, KindSummary } from '../../wire/kinds.ts'
import { type CommandContext, readFlag, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import { describeMembers } from '../known-fields.ts'
import { readPresent, replaceFile } from '../replace-file.ts'
import { callOptions, openSession } from '../session.ts'

/**
 * The first line of a kind file that was pulled from a service: it says which version the rest is. It stays on this machine, so what the service
 * has is the text that somebody wrote.
 */

interface Pulled {
  /** Id of the kind: another organization can have one of the same slug. */
  readonly id: string
  readonly version: number
}

interface PulledFile {
  /** Undefined for a file that was not pulled. */
  readonly pulled: Pulled | undefined
  /** The text without the line. */
  readonly text: string
}

const line = /^# Version ([1-9]\d{0,8}) of [\w-]+, ([\da-f-]{36})\b[^\n]*\n/

/** Takes the line from the text of a file. */
export function splitPulled(content: string): PulledFile {
  const [whole = '', version, id] = line.exec(content) ?? []
  return { pulled: id === undefined ? undefined : { id, version: Number(version) }, text: content.slice(whole.length) }
}

/** Puts the line in front of a text. JSON has no comments, so a JSON file gets none. */
const joinPulled = (text: string, slug: string, { id, version }: Pulled): string =>
  text.trimStart().startsWith('{')
    ? text
    : `# Version ${version} of ${slug}, ${id}. With this line, ferrule kind publish replaces no other version.\n${text}`

const columns = 'slug,title,version,connectors,updated_at'

/** Members of what `kind publish` prints. */
export const publicationMembers = describeMembers(
  ...['slug', 'version', 'published', 'class', 'changes', 'hosts', 'connectors', 'moved', 'left'],
)

async function readSlug(text: string, file: string): Promise<string> {
  const slug = await (await import('../../kind-file/tree.ts')).readKindSlug(text)
  if (slug !== undefined) return slug
  throw failUsage(`${file} names no kind.`, 'Write its slug in the file, such as kind: acme. ferrule kind check shows every mistake.')
}

const findKind = async (kinds: Kinds, slug: string, context: CommandContext): Promise<KindSummary | undefined> =>
  (await kinds.list(callOptions(context))).find((each) => each.slug === slug)

/** Says what a file changes, before anything happens. */
function noteChanges({ slug, newest, hosts, changes, doubts }: KindCheck, before: KindSummary | undefined, { note }: CommandContext): void {
  const used = before === undefined || before.connectors === 0 ? 'no connector' : `connectors: ${before.connectors}`
  if (newest === 0) note(`${slug} is a new kind.`)
  else note(`${slug}: this file against version ${newest} (${used}).${changes.length === 0 ? ' No change.' : ''}`)
  for (const { class: is, entity, message } of changes)
    note(`  ${is}: ${entity === null ? '' : `${entity} `}${message} (${kindChangeMeanings[is]})`)
  const known = new Set(before?.hosts)
  const fresh = hosts.filter((host) => !known.has(host))
  if (fresh.length > 0) note(`  New hosts: ${fresh.join(', ')}`)
  if (doubts.length > 0) note(`  Doubts: ${doubts.length}; ferrule kind check shows them.`)
}

const isAbove = (one: KindChangeClass, other: KindChangeClass): boolean => kindChangeClasses.indexOf(one) > kindChangeClasses.indexOf(other)

async function move(transport: Transport, kind: Pick<KindSummary, 'slug' | 'version'>, context: CommandContext): Promise<ConnectorMoves> {
  const moves = await moveConnectors(new Connectors(transport), kind, callOptions(context))
  for (const { name, version, reason } of moves.left) context.note(`${name} stays with version ${version}: ${reason}`)
  if (moves.left.length > 0)
    context.note(`Give what they need with "kind_version": ${kind.version} in a file: ferrule connectors update NAME --from-file FILE`)
  return moves
}

/** Names the file of a mistake as the user did. @param above lines of the user's file that the service did not get */
const toMistake = ({ file: at, near, example, line, ...rest }: KindCheck['mistakes'][number], file: string, above: number): Mistake => ({
  ...rest,
  line: at === 'kind' ? line + above : line,
  file: basename(at === 'kind' ? file : findRecordingsPath(file)),
  ...(near === null ? {} : { near }),
  ...(example === null ? {} : { example }),
})

/** @throws FerruleError `kind_changed` for a file that was pulled as another version than the newest */
function requireNewest({ slug, newest }: KindCheck, before: KindSummary | undefined, pulled: Pulled | undefined, file: string): void {
  if (pulled === undefined || pulled.id !== before?.id || pulled.version === newest) return
  throw withHint(
    fail('kind_changed', { newest: String(newest), given: String(pulled.version) }),
    `Run ferrule kind pull ${slug} --to newest, and bring your changes into that file. To replace version ${newest} all the same, delete the first line of ${file}.`,
  )
}

/**
 * Publishes a file as the newest version of its kind, after its check.
 * @throws FerruleError `kind_invalid` with the mistakes; `kind_changed` when somebody published in between
 */
export async function publishKind(context: CommandContext): Promise<void> {
  const [file = ''] = context.args
  const { options, output, ask } = context
  const { pulled, text } = splitPulled(await readFile(file, 'utf8'))
  const slug = await readSlug(text, file)
  const recordings = (await readPresent(findRecordingsPath(file)))?.toString()
  const upload = { file: text, ...(recordings === undefined ? {} : { recordings }) }
  const transport = await openSession(context)
  const kinds = new Kinds(transport)
  const check = await kinds.check(slug, upload, callOptions(context))
  if (!check.valid)
    throw (await import('../../kind-file/mistakes.ts')).failMistakes(
      check.mistakes.map((each) => toMistake(each, file, pulled === undefined ? 0 : 1)),
    )
  const before = await findKind(kinds, slug, context)
  noteChanges(check, before, context)
  const { class: is, changes, hosts, newest } = check
  const facts = { slug, class: is, changes, hosts }
  const shown = 'slug,version,published,class,connectors'
  if (readFlag(options, 'dryRun')) {
    const value = { ...facts, version: newest, published: false, connectors: before?.connectors ?? 0, moved: [], left: [] }
    return output.value(value, shown)
  }
  requireNewest(check, before, pulled, file)
  if (isAbove(is, 'entities')) await ask.confirm(`Publish ${slug} with these changes`, readFlag(options, 'yes'))
  const published = await kinds.publish(slug, { ...upload, newest }, callOptions(context))
  const { id, version, connectors } = published
  if (pulled !== undefined) await writeFile(file, joinPulled(text, slug, { id, version }))
  const ends = readFlag(options, 'move') ? await move(transport, { slug, version }, context) : { moved: [], left: [] }
  await output.value({ ...facts, version, published: published.published, connectors, ...ends }, shown)
}

/** Lists the kinds of the organization. */
export async function listKinds(context: CommandContext): Promise<void> {
  const kinds = new Kinds(await openSession(context))
  await context.output.list([await kinds.list(callOptions(context))], columns)
}

/** Lists the versions of a kind. */
export async function listKindVersions(context: CommandContext): Promise<void> {
  const [slug = ''] = context.args
  const kinds = new Kinds(await openSession(context))
  await context.output.list([await kinds.versions(slug, callOptions(context))], 'version,class,connectors,created_at')
}

/** Writes the file of a kind. */
export async function pullKind(context: CommandContext): Promise<void> {
  const { args, options, output, ask, note } = context
  const [slug = '', version] = (args[0] ?? '').split('@')
  if (version !== undefined && !/^[1-9]\d{0,8}$/.test(version))
    throw failUsage(`${args[0]} names no version.`, 'Write the number of the version, such as acme@3.')
  const kinds = new Kinds(await openSession(context))
  const { id, file: text, file_version } = await kinds.get(slug, version === undefined ? {} : { version }, callOptions(context))
  const folder = readText(options, 'to') ?? '.'
  // The slug that the service knows is a word, so the path stays in the folder.
  const path = join(folder, `${slug}.kind.${text.trimStart().startsWith('{') ? 'json' : 'yaml'}`)
  const content = joinPulled(text, slug, { id, version: file_version })
  const present = (await readPresent(path))?.toString()
  const isOther = present !== undefined && splitPulled(present).text !== text
  if (isOther) await ask.confirm(`Replace ${path}, which has other content`, readFlag(options, 'yes'))
  if (present !== content) {
    await mkdir(folder, { recursive: true })
    await replaceFile(path, content, 0o644)
  }
  await output.value({ file: path, kind: slug, version: file_version })
  note(`${present === content ? 'It is there already' : 'Wrote'}: ${path}, version ${file_version}.`)
}

/** Deletes a kind that no connector uses. */
export async function deleteKind(context: CommandContext): Promise<void> {
  const [slug = ''] = context.args
  const kinds = new Kinds(await openSession(context))
  await context.ask.confirm(`Delete the kind ${slug} with all its versions`, readFlag(context.options, 'yes'))
  await context.output.value(await kinds.delete(slug, callOptions(context)))
}
