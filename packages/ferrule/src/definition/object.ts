/** Names that JavaScript gives a meaning of its own: no field, parameter or step of a path has one of them. */
export const refusedNames: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor', 'then'])

/** Returns whether a value is an object with keys: neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Leaves out members that are undefined. */
export const dropAbsent = (members: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
