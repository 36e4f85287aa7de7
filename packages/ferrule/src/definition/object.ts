/** Names that JavaScript gives a meaning of its own: no field, parameter or step of a path has one of them. */
export const refusedNames: ReadonlySet<string> = new Set(['__proto__', 'prototype', 'constructor', 'then'])

/** Returns whether a value is an object with keys: neither null nor an array. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members that are always there, and those that can be. */
type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** Leaves out members that are undefined. The others keep their order. */
export const dropAbsent = <T extends object>(members: T): Present<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<T>
