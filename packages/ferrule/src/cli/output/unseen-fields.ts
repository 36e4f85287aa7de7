/** The chosen fields that no record has had so far. Records of vendors leave members out, so such a field is remarked on, and not refused. */
import { isObject } from '../../definition/object.ts'
import type { FieldPath } from '../../values/fields.ts'

/** Maximum number of names in the remark. */
const longestList = 40

/** Returns whether a value has a path; an array does when one of its elements does, and an empty one may. */
function hasPath(value: unknown, segments: readonly string[]): boolean {
  const [first, ...rest] = segments
  if (first === undefined) return true
  if (Array.isArray(value)) return value.length === 0 || value.some((element) => hasPath(element, segments))
  return isObject(value) && Object.hasOwn(value, first) && hasPath(value[first], rest)
}

/** Watches records for the chosen fields. */
export class UnseenFields {
  #left: readonly FieldPath[]
  readonly #names = new Set<string>()

  constructor(fields: readonly FieldPath[] | undefined) {
    this.#left = fields ?? []
  }

  /** Looks at records. It costs nothing once every field was seen. */
  see(records: readonly unknown[]): void {
    if (this.#left.length === 0) return
    this.#left = this.#left.filter(({ segments }) => !records.some((record) => hasPath(record, segments)))
    for (const record of records) if (isObject(record)) for (const name of Object.keys(record)) this.#names.add(name)
  }

  /** Describes the fields that no record had; undefined without such fields, and without records. */
  describe(): string | undefined {
    if (this.#left.length === 0 || this.#names.size === 0) return undefined
    const names = [...this.#names]
    const listed = `${names.slice(0, longestList).join(', ')}${names.length > longestList ? ' and more' : ''}`
    return `No record here has ${this.#left.map(({ name }) => name).join(', ')}. Fields: ${listed}.`
  }
}
