/** Which names of a manifest a kind file can have. */
import { refusedNames } from '../../definition/object.ts'

/** Longest name, in characters. */
const longest = 64

/** Returns whether a name of the vendor's can stand in a kind file as a field or a parameter. */
export const isName = (name: string): boolean => /^[^\s{}"\\$+][^\s{}"\\]*$/.test(name) && name.length <= longest && !refusedNames.has(name)

/** Returns whether a request can carry a name. */
export const isWireName = (name: string): boolean => isName(name.trim().replace(/^\$/, ''))

/** Returns whether a name is one step of a path. */
export const isStep = (name: string): boolean => isName(name) && /^[^.[\]:!]+$/.test(name)

/** Makes names that do not stand twice. */
export class UniqueNames {
  readonly #taken = new Set<string>()

  /** Returns the name, or the name with a number behind it. */
  take(name: string): string {
    let made = name
    for (let count = 2; this.#taken.has(made); count += 1) made = `${name}_${count}`
    this.#taken.add(made)
    return made
  }
}
