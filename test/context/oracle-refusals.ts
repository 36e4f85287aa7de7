/** Searches that are refused for a value that no record has: the row "known values" of docs/decisions/search.md. */
import type { Field, Fields } from '../../packages/ferrule/src/definition/fields.ts'
import { elementScope } from './oracle.ts'
import { type FieldPath, isNumber, isObject, type Json, resolvePath, type Scope } from './oracle-paths.ts'
import { compareDecimals, decimalOfNumber, decimalOfText, kept } from './oracle-values.ts'

/** Maximum length of a noted path and value. */
const longest = 250

/** Context of a condition: its names, the names above it, and the records. */
interface Standing {
  readonly scope: Scope
  readonly above: readonly string[]
  readonly records: readonly Json[]
}

/** Returns all values at some names, across any arrays. */
function valuesAt(value: unknown, [first, ...rest]: readonly string[]): unknown[] {
  if (Array.isArray(value)) return value.flatMap((each) => valuesAt(each, first === undefined ? [] : [first, ...rest]))
  if (first === undefined) return value === null || value === undefined ? [] : [value]
  return isObject(value) && Object.hasOwn(value, first) ? valuesAt(value[first], rest) : []
}

const knownOf = (schema: Field | undefined): readonly string[] =>
  Reflect.get(schema ?? {}, 'x-known-values') ?? knownOf(Reflect.get(schema ?? {}, 'items') as Field)

function isSame(value: string, operand: unknown): boolean {
  if (typeof operand === 'string' && kept(value).toLowerCase() === kept(operand).toLowerCase()) return true
  const number = isNumber(operand) ? decimalOfNumber(operand) : typeof operand === 'string' ? decimalOfText(operand) : undefined
  const decimal = decimalOfText(kept(value))
  return number !== undefined && decimal !== undefined && compareDecimals(number, decimal) === 0
}

function isForeign(operand: unknown, path: FieldPath, { above, records }: Standing): boolean {
  if (operand === null || Array.isArray(operand) || (isObject(operand) && !isNumber(operand))) return false
  if (typeof operand === 'string' && knownOf(path.schema).some((value) => value.toLowerCase() === operand.toLowerCase())) return false
  const names = [...above, ...path.steps.filter((step) => step !== '[]')]
  const below = names.slice(1).reduce((length, name) => length + name.length + 1, 0)
  const stored = records.flatMap((record) => valuesAt(record, names))
  if (stored.some((value) => typeof value !== 'string' || below + 1 + value.length > longest)) return false
  return !stored.some((value) => isSame(String(value), operand))
}

function refuses(condition: Json, standing: Standing): boolean {
  const { scope, above } = standing
  return Object.entries(condition).some(([operator, operand]) => {
    if (operator === 'not') return refuses(operand as Json, standing)
    if (operator === 'and' || operator === 'or') return (operand as Json[]).some((each) => refuses(each, standing))
    return Object.entries(operand as Json).some(([field, asked]) => {
      const path = resolvePath(scope, field)
      const names = [...above, ...path.steps.filter((step) => step !== '[]')]
      if (operator === 'any') return refuses(asked as Json, { ...standing, scope: elementScope(path), above: names })
      if (path.how !== 'lower' || !['eq', 'neq', 'in', 'contains'].includes(operator)) return false
      return (operator === 'in' ? (asked as unknown[]) : [asked]).some((each) => isForeign(each, path, standing))
    })
  })
}

/** Returns whether a filter names a value of a string with known values that is neither known nor in any record. */
export const isRefused = (fields: Fields, records: readonly Json[], filter: Json | undefined): boolean =>
  filter !== undefined && refuses(filter, { scope: { members: fields, schema: undefined }, above: [], records })
