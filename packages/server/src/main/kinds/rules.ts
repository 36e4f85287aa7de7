/** The rules that an operator wrote for a kind. */
import type { Rules } from 'ferrule/definition'
import { isObject } from 'ferrule/internal'

const groups = ['rows', 'params', 'claims']

/** Returns whether a value has the form of rules; whether each function does its work shows when it runs. */
const isRules = (value: unknown): value is Rules =>
  isObject(value) &&
  Object.entries(value).every(
    ([group, rules]) => groups.includes(group) && isObject(rules) && Object.values(rules).every((rule) => typeof rule === 'function'),
  )

/**
 * Imports a module with rules: its export `rules` has functions by name, in `rows`, `params` and `claims`.
 * @param url of the module
 * @throws Error with a sentence for the operator; the errors of the module itself
 */
export async function importRules(url: string): Promise<Rules> {
  const loaded: unknown = await import(url)
  const rules = isObject(loaded) ? loaded['rules'] : undefined
  if (isRules(rules)) return rules
  throw new Error('it must export rules: functions by name in rows, params and claims')
}
