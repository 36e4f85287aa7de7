/** Reads JSON from a file or from standard input. */
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { isObject } from '../definition/object.ts'
import { readJson } from '../values/json/json.ts'
import { failUsage, readErrorCode } from './failure.ts'

/** Reads a text from a file; `-` is standard input. @throws FerruleError `validation_failed` when it cannot be read */
export async function readSource(path: string): Promise<string> {
  try {
    return path === '-' ? await readAll(process.stdin) : await readFile(path, 'utf8')
  } catch (thrown) {
    throw failUsage(`The file ${path} cannot be read (${readErrorCode(thrown) ?? String(thrown)}).`, 'Check the path and its permissions.')
  }
}

const describePlace = (path: string): string => (path === '-' ? 'standard input' : path)

/**
 * Parses an object of JSON.
 * @param from where the text is from, for errors. The text can hold secrets, so errors never quote it
 */
export function parseObject(text: string, from: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = readJson(text)
  } catch {
    throw failUsage(`${describePlace(from)} is not valid JSON.`, 'Give one JSON object.')
  }
  if (!isObject(value)) throw failUsage(`${describePlace(from)} is not a JSON object.`, 'Give one JSON object.')
  return value
}

/** Reads an object of JSON from a file; `-` is standard input. */
export const readObject = async (path: string): Promise<Readonly<Record<string, unknown>>> => parseObject(await readSource(path), path)
