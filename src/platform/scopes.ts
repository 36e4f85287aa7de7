/** What tokens allow. */
import { fail } from '../errors.ts'

/** All scopes. */
export const scopes = [
  'connectors:read',
  'connectors:write',
  'execute:read',
  'execute:write',
  'workspaces:read',
  'workspaces:write',
  'organizations:read',
  'organizations:write',
] as const
/** One permission of a token. */
export type Scope = (typeof scopes)[number]

/** What a token for one workspace may hold. */
export const scopedTokenScopes: readonly Scope[] = [
  'connectors:read',
  'connectors:write',
  'execute:read',
  'execute:write',
  'workspaces:read',
]

const writes: readonly string[] = ['create', 'update', 'delete']

/** Whether an action of `execute` changes something at the vendor. */
export const isWrite = (action: string): boolean => writes.includes(action)

/** The scope that an action of `execute` needs. */
export const scopeOfAction = (action: string): Scope => (isWrite(action) ? 'execute:write' : 'execute:read')

/** @throws FerruleError `insufficient_scope` */
export function requireScope(holder: { readonly scopes: ReadonlySet<Scope> }, scope: Scope): void {
  if (!holder.scopes.has(scope)) throw fail('insufficient_scope', { scope })
}

/** @returns undefined when a word is no scope */
export function parseScopes(text: string): readonly Scope[] | undefined {
  const words = text.split(' ').filter((word) => word !== '')
  const found = scopes.filter((scope) => words.includes(scope))
  return words.every((word) => scopes.some((scope) => scope === word)) && found.length > 0 ? found : undefined
}
