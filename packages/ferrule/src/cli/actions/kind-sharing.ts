/** `kind add` and `kind search`: kinds that others share as npm packages. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { kindFile, lockName, type Pin } from '../../values/kind-files.ts'
import { type CommandContext, readText } from '../context.ts'
import { failUsage } from '../failure.ts'
import { replaceFile } from '../replace-file.ts'
import { hashFile, hashText, readPins, readSharedKind, type SharedKind, writePins } from '../sharing/archive.ts'
import { downloadArchive, type FoundPackage, findRegistry, findVersion, parsePackage, searchPackages } from '../sharing/registry.ts'

/** Lists packages with kinds that fit some words. */
export async function searchKinds(context: CommandContext): Promise<void> {
  const { args, env, output } = context
  await output.list([await searchPackages(findRegistry(env), args, context)])
}

/** Refuses other bytes for a version that is pinned. */
function checkPin({ name, version }: FoundPackage, isSame: boolean, folder: string): void {
  if (isSame) return
  throw failUsage(
    `${name}@${version} is not what ${join(folder, lockName)} pins: a published version never changes.`,
    'Nothing was written. Ask the author what happened, and take another version.',
  )
}

/** Returns whether all files of a pin are as it says. */
async function isWhole(pin: Pin, folder: string): Promise<boolean> {
  for (const [file, digest] of pin.files) if ((await hashFile(join(folder, file))) !== digest) return false
  return true
}

/** Refuses to replace a file that somebody else wrote or changed. */
async function checkPlaces(next: ReadonlyMap<string, string>, pin: Pin | undefined, folder: string): Promise<void> {
  for (const file of new Set([...next.keys(), ...(pin?.files.keys() ?? [])])) {
    const present = await hashFile(join(folder, file))
    if (present === undefined || present === next.get(file) || present === pin?.files.get(file)) continue
    throw failUsage(
      `${join(folder, file)} is there already, and its content is of somebody else.`,
      'Nothing was written. Move the file, or name another folder with --to.',
    )
  }
}

async function writeFiles({ files }: SharedKind, before: Pin | undefined, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  for (const [file, text] of files) await replaceFile(join(folder, file), text, 0o644)
  for (const file of before?.files.keys() ?? []) if (!files.has(file)) await rm(join(folder, file), { force: true })
}

/**
 * Adds the kind of a package to a folder, and pins it. The same version again changes nothing.
 * @throws FerruleError `validation_failed` for what is refused; `kind_invalid` with the mistakes of the kind; those of the registry
 */
export async function addKind(context: CommandContext): Promise<void> {
  const { args, options, env, output, note } = context
  const wanted = parsePackage(args[0] ?? '')
  const folder = readText(options, 'to') ?? '.'
  const pins = await readPins(folder)
  const found = await findVersion(findRegistry(env), wanted, context)
  const { name, version, integrity } = found
  const pin = pins.get(name)
  const isPinned = pin?.version === version
  if (pin !== undefined && isPinned) {
    checkPin(found, pin.integrity === integrity, folder)
    if (await isWhole(pin, folder)) {
      const file = [...pin.files.keys()].find((each) => kindFile.test(each)) ?? ''
      note(`${name}@${version} is there already: nothing was changed.`)
      return output.value({ package: name, version, before: version, kind: file.replace(kindFile, ''), file: join(folder, file) })
    }
  }
  const shared = await readSharedKind(await downloadArchive(found, context), found)
  const files = new Map([...shared.files].map(([file, text]) => [file, hashText(text)] as const))
  if (pin !== undefined && isPinned) {
    const isSame = files.size === pin.files.size && [...files].every(([file, digest]) => pin.files.get(file) === digest)
    checkPin(found, isSame, folder)
  }
  await checkPlaces(files, pin, folder)
  await writeFiles(shared, pin, folder)
  await writePins(folder, new Map([...pins, [name, { version, integrity, files }]]))
  const kind = shared.file.replace(kindFile, '')
  await output.value({ package: name, version, before: pin?.version ?? null, kind, file: join(folder, shared.file) })
  const change = pin === undefined || isPinned ? '' : ` It was ${pin.version}: read the difference before you use it.`
  note(`Wrote ${[...files.keys()].join(', ')} of ${name}@${version}: no mistakes, ${shared.doubts} doubts.${change}`)
}
