/** Reads JSON and the parameters of an operation from the command line, a file or standard input. */
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { isObject } from '../definition/object.ts'
import type { KindDocument, Schema } from '../document/kind-document.ts'
import { readJson, writeJson } from '../values/json/json.ts'
import { type CommandContext, readList, readText } from './context.ts'
import { failUsage, readErrorCode } from './failure.ts'
import { findAction } from './target/kinds.ts'
import { addParams } from './typed-values.ts'

/** Reads JSON that is given as text, as `@file`, or as `-` for standard input. */
export const readObjectOption = async (text: string, name: string): Promise<Schema> => {
  if (text === '-') return readObject('-')
  return text.startsWith('@') ? readObject(text.slice(1)) : parseObject(text, name)
}

/** Reads the parameters: `--params` first, then each `-p`. @param readKind reads the kind, when a value has to be typed */
export async function readParams(
  { options }: CommandContext,
  { entity, action }: { readonly entity: string; readonly action: string },
  readKind: () => Promise<KindDocument>,
): Promise<Schema> {
  const text = readText(options, 'params')
  const base = text === undefined ? {} : await readObjectOption(text, '--params')
  const given = readList(options, 'param')
  return given.length === 0 ? base : addParams(base, given, findAction(await readKind(), entity, action).params)
}

/** Writes the position of a walk as one word for `--cursor`. */
export const writeCursor = (position: unknown): string => Buffer.from(writeJson(position)).toString('base64url')

/** Reads the position that `writeCursor` wrote. @throws FerruleError `validation_failed` */
export function readCursor(text: string | undefined): Schema {
  if (text === undefined) return {}
  try {
    const position = readJson(Buffer.from(text, 'base64url').toString('utf8'))
    if (isObject(position)) return position
  } catch {
    // the same error as for a value that is no object
  }
  throw failUsage('The cursor is not valid.', 'Give --cursor as the command printed it, or leave it out.')
}

/** Reads a text from a file; `-` is standard input. @throws FerruleError `validation_failed` when it cannot be read */
async function readSource(path: string): Promise<string> {
  try {
    return path === '-' ? await readAll(process.stdin) : await readFile(path, 'utf8')
  } catch (thrown) {
    throw failUsage(`The file ${path} cannot be read (${readErrorCode(thrown) ?? String(thrown)}).`, 'Check the path and its permissions.')
  }
}

const describeSource = (path: string): string => (path === '-' ? 'standard input' : path)

/** Parses an object of JSON. @param from where the text is from, for errors. The text can hold secrets, so errors never quote it */
export function parseObject(text: string, from: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = readJson(text)
  } catch {
    throw failUsage(`${describeSource(from)} is not valid JSON.`, 'Give one JSON object.')
  }
  if (!isObject(value)) throw failUsage(`${describeSource(from)} is not a JSON object.`, 'Give one JSON object.')
  return value
}

/** Reads an object of JSON from a file; `-` is standard input. */
export const readObject = async (path: string): Promise<Readonly<Record<string, unknown>>> => parseObject(await readSource(path), path)
