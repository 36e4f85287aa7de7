/** Defines the scopes of tokens. */
import { fail } from 'ferrule/internal'

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
  'applications:read',
  'applications:write', // it can create an application with all scopes
] as const
/** One permission of a token. */
export type Scope = (typeof scopes)[number]

/** Scopes that a token for one workspace can have. */
export const scopedTokenScopes: readonly Scope[] = [
  'connectors:read',
  'connectors:write',
  'execute:read',
  'execute:write',
  'workspaces:read',
]

const writes: readonly string[] = ['create', 'update', 'delete']

/** Returns whether an action of `execute` writes at the vendor. */
export const isWrite = (action: string): boolean => writes.includes(action)

/** Returns the scope that an action of `execute` needs. */
export const getActionScope = (action: string): Scope => (isWrite(action) ? 'execute:write' : 'execute:read')

/** Checks a scope. @throws FerruleError `insufficient_scope` */
export function requireScope(holder: { readonly scopes: ReadonlySet<Scope> }, scope: Scope): void {
  if (!holder.scopes.has(scope)) throw fail('insufficient_scope', { scope })
}

/** Parses space-separated scopes. @returns undefined when a word is no scope */
export function parseScopes(text: string): readonly Scope[] | undefined {
  const words = text.split(' ').filter((word) => word !== '')
  const found = scopes.filter((scope) => words.includes(scope))
  return words.every((word) => scopes.some((scope) => scope === word)) && found.length > 0 ? found : undefined
}
