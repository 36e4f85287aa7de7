/** Whether two types are the same; types that are only assignable to each other are not. */
export type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles for `true` only: `yes<Same<typeof value, string>>()`. */
export const yes = <_T extends true>(): void => undefined
