/** Shortens long texts of a value, and says their length. */
import { isObject } from '../../definition/object.ts'

/** Lengths of the texts that were shortened, by the path of their field. Arrays are left out of paths. */
export type Shortened = Map<string, number>

/** Cuts a text without parting a pair of surrogates. */
function cut(text: string, most: number): string {
  const last = text.charCodeAt(most - 1)
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most)
}

function shortenAt(value: unknown, [most, path, found]: readonly [number, string, Shortened]): unknown {
  if (typeof value === 'string') {
    if (value.length <= most) return value
    found.set(path, Math.max(found.get(path) ?? 0, value.length))
    return `${cut(value, most)}… [${value.length} characters]`
  }
  if (Array.isArray(value)) return value.map((element: unknown) => shortenAt(element, [most, path, found]))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, shortenAt(member, [most, path === '' ? name : `${path}.${name}`, found])]),
  )
}

/**
 * Shortens every text of a value.
 * @param most maximum number of characters of a text
 * @param found gets the paths of shortened texts
 */
export const shorten = (value: unknown, most: number, found: Shortened): unknown =>
  most === Number.POSITIVE_INFINITY ? value : shortenAt(value, [most, '', found])
