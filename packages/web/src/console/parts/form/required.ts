/** Finds what a form still needs, before anything is sent. */
import type { Problem } from 'ferrule/core'
import { isObject, pointTo } from 'ferrule/internal'
import { useEffect, useRef, useState } from 'react'
import { findKind, readProperties, type Schema } from './schema.ts'

/** Says that a field is empty, in the words of the service. @param at JSON pointer */
export const printMissing = (at: string): Problem => ({ field: at, message: `${at} is required.`, error_code: 'required' })

/** Lists the JSON pointers of the fields of an object. */
export const listPointers = (schema: Schema, at: string): readonly string[] => readProperties(schema).map(({ name }) => pointTo(at, name))

/** Lists the required fields of an object that are empty. @param at JSON pointer of the value, as the service names it */
export function listMissing(schema: Schema, value: Schema, at: string): readonly Problem[] {
  return readProperties(schema).flatMap(({ name, schema: inner, isRequired }): readonly Problem[] => {
    const [given, pointer] = [value[name], pointTo(at, name)]
    if (isObject(given)) return listMissing(inner, given, pointer)
    if (!isRequired || 'const' in inner) return []
    if (given === undefined && findKind(inner) === 'object') return listMissing(inner, {}, pointer)
    return given === undefined || given === '' ? [printMissing(pointer)] : []
  })
}

/**
 * Marks what is missing from the first try on, and moves the focus to the first field that is marked.
 * @param missing what is missing now @param refused what the service refused
 * @returns `form`: the ref of the form; `problems`: for the fields; `isComplete`: call it before sending
 */
export function useRequired(missing: readonly Problem[], refused: readonly Problem[]) {
  const form = useRef<HTMLFormElement>(null)
  const [tries, setTries] = useState(0)
  const first = refused[0]
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new try or a new refusal moves the focus, typing does not
  useEffect(() => form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [tries, first])
  const isComplete = (): boolean => {
    setTries(missing.length === 0 ? 0 : tries + 1) // a form that is sent and emptied has no mark
    return missing.length === 0
  }
  return { form, problems: tries === 0 ? refused : [...missing, ...refused], isComplete }
}
