/** Parameters of the address that a page reads and changes; the organization and the workspace have `tenant.ts`. */
import { isObject, tryReadJson, writeJson } from 'ferrule/internal'
import { useCallback } from 'react'
import { useSearchParams } from 'wouter'
import type { GoOptions } from './tenant.ts'

/** Most characters of a filter or of parameters in the address: servers and proxies take about 8,000 with the headers. */
export const longestValue = 4_000

type CallParams = Readonly<Record<string, unknown>>

/** Returns whether the parameters of a call are too long for the address. */
export const isTooLong = (params: CallParams): boolean => writeJson(params).length > longestValue

/** Prints the parameters of a call for the address; undefined: nothing was entered, or too much. */
export const printParams = (params: CallParams): string | undefined =>
  Object.keys(params).length === 0 || isTooLong(params) ? undefined : writeJson(params)

/** Parses parameters of the address; what is no JSON object counts as no parameters. */
export function parseParams(text: string | undefined): CallParams {
  const value = tryReadJson(text ?? '')
  return isObject(value) ? value : {}
}

/** Values of parameters by name; undefined: the address does not have it. */
export type ParamValues<Name extends string> = Readonly<Record<Name, string | undefined>>

/**
 * Reads parameters of the address.
 * @returns their values, and a function that changes some of them; undefined and '' take a parameter out
 */
export function useAddressParams<Name extends string>(
  ...names: readonly Name[]
): readonly [ParamValues<Name>, (changes: Partial<ParamValues<Name>>, options?: GoOptions) => void] {
  const [params, setParams] = useSearchParams()
  const values = Object.fromEntries(names.map((name) => [name, params.get(name) ?? undefined])) as ParamValues<Name> // has all names
  const change = useCallback(
    (changes: Partial<ParamValues<Name>>, options?: GoOptions) =>
      setParams((before) => {
        const after = new URLSearchParams(before)
        for (const [name, value] of Object.entries<string | undefined>(changes)) {
          if (value === undefined || value === '') after.delete(name)
          else after.set(name, value)
        }
        return after
      }, options),
    [setParams],
  )
  return [values, change]
}
